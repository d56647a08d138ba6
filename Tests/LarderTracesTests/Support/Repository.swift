import Foundation

/// Location of the repository.
enum Repository {
  static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The folder of the sample traces.
  static let samples = path + "/Workloads/samples"
}
