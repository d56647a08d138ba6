import Foundation
import TestSupport

/// A run of the built `larder`, from start to end.
struct LarderProcess {
  let exitCode: Int32
  let output: String
  let notes: String

  var noteLines: [String] { notes.split(separator: "\n").map(String.init) }

  /// Runs larder in `folder` and waits for it.
  init(
    _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]
  ) throws {
    try self.init(try Self.executable(), arguments, in: folder, environment: environment)
  }

  /// Runs a shell script, in which `larder` is the built one, and waits for it.
  init(shell script: String, _ shell: String = "/bin/sh", in folder: URL) throws {
    let programs = try Self.executable().deletingLastPathComponent().path
    try self.init(
      URL(fileURLWithPath: shell), ["-c", script], in: folder,
      environment: ["PATH": "\(programs):/usr/local/bin:/usr/bin:/bin"])
  }

  private init(
    _ executable: URL, _ arguments: [String], in folder: URL?, environment: [String: String]
  ) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = folder }
    // Tests may run on GitHub or on a cluster themselves.
    let own = ProcessInfo.processInfo.environment.filter { variable in
      !["GITHUB_", "SLURM_", "AWS_BATCH_", "JOB_", "LARDER_STORE"].contains {
        variable.key.hasPrefix($0)
      }
    }
    process.environment = own.merging(environment) { $1 }
    let scratch = try ScratchFolder()
    let files = [scratch.url("output"), scratch.url("notes")]
    for file in files { try Data().write(to: file) }
    // Foundation's processes outlive their run and would keep these files open.
    let handles = try files.map { try FileHandle(forWritingTo: $0) }
    defer { for handle in handles { try? handle.close() } }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    try process.run()
    try Deadline.wait(for: process)
    exitCode = process.terminationStatus
    output = try String(contentsOf: files[0], encoding: .utf8)
    notes = try String(contentsOf: files[1], encoding: .utf8)
  }

  /// The built `larder`, next to the test bundle.
  static func executable() throws -> URL {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var folders = [bundle.deletingLastPathComponent()]
    #if os(macOS)
      folders += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    #endif
    let candidates = folders.map { $0.appendingPathComponent("larder") }
    guard
      let found = candidates.first(where: {
        FileManager.default.isExecutableFile(atPath: $0.path)
      })
    else { throw NotBuilt(candidates: candidates.map(\.path)) }
    return found
  }

  /// The executable is not next to the tests.
  struct NotBuilt: Error {
    let candidates: [String]
  }
}
