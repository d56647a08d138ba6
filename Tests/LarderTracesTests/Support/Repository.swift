import Foundation

/// Where the repository is.
enum Repository {
  /// Its folder.
  static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The folder of the sample traces.
  static let samples = path + "/Workloads/samples"
}
