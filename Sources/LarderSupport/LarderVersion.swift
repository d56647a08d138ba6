import Synchronization

/// Which larder this is.
package enum LarderVersion {
  /// The version, as in the tag of a release.
  package static var current: String { "0.1.0" }

  private static let built = Mutex<String?>(nil)

  /// The git commit that it was built from, with `-changed` behind it where the sources had changes
  /// besides; nil where that is not known.
  package static var revision: String? { built.withLock { $0 } }

  /// Tells the commit. Only the program does: were it compiled into a library, each commit would
  /// rebuild every module above that.
  package static func set(revision: String) {
    built.withLock { $0 = revision.isEmpty ? nil : revision }
  }

  /// The Swift compiler it was built with, as far as the language can tell.
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

  /// `debug` or `release`.
  package static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }
}
