import Foundation

/// The real traces that some tests read, where the environment says they are.
enum ReferenceTraces {
  /// The folder, nil when `LARDER_TRACES` is not set.
  static let folder = ProcessInfo.processInfo.environment["LARDER_TRACES"]

  /// Whether tests that need them can run.
  static var areAvailable: Bool { folder != nil }

  /// The path of a trace.
  static func path(_ name: String) -> String { "\(folder ?? "")/\(name)" }
}
