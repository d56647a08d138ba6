import Foundation

/// The program that runs the rounds of scenarios on simulated disks.
enum DiskTortureProgram {
  /// Environment variable with its path, set by `make torture`.
  static let variable = "LARDER_DISK_TORTURE"

  static func launch(_ arguments: [String], note: String) -> Launch {
    let program = ProcessInfo.processInfo.environment[variable]
    return Launch(
      program: program ?? "DiskTorture (\(variable) is unset)", arguments: arguments, note: note)
  }
}
