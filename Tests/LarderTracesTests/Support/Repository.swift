import Foundation

/// Location of the repository.
enum Repository {
  static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static let samples = path + "/Workloads/samples"
}
