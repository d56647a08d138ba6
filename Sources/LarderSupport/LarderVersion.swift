import Synchronization

/// Version and build of the running program.
package enum LarderVersion {
  package static var current: String { "1.0.0" }

  private static let built = Mutex<String?>(nil)

  /// Git commit of the build, followed by `-changed` if the sources had further changes; nil if
  /// unknown.
  package static var revision: String? { built.withLock { $0 } }

  /// Sets the commit. Called only by the program: compiled into a library, each commit would
  /// rebuild every module above it.
  package static func set(revision: String) {
    built.withLock { $0 = revision.isEmpty ? nil : revision }
  }

  package static var compiler: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3)
      "6.3"
    #elseif compiler(>=6.2)
      "6.2"
    #else
      "6.1 or earlier"
    #endif
  }

  package static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }
}
