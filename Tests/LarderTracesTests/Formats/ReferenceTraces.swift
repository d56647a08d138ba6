import Foundation

/// Real traces for some tests, if the environment names their folder.
enum ReferenceTraces {
  /// The folder, nil when `LARDER_TRACES` is not set.
  static let folder = ProcessInfo.processInfo.environment["LARDER_TRACES"]

  /// True if tests that need them can run.
  static var areAvailable: Bool { folder != nil }

  static func path(_ name: String) -> String { "\(folder ?? "")/\(name)" }
}
