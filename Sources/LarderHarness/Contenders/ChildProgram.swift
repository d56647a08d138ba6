import Foundation
import LarderLibc
import LarderSupport

/// A process that the harness starts, with a private folder. Its standard error goes to a file
/// there, which cannot fill up as a pipe does.
final class ChildProgram: @unchecked Sendable {
  // Used by the thread that creates and ends it, and to check that it is running.
  private let process = Process()
  let folder: String

  init() throws {
    let name = "larder-\(UUID().uuidString)"
    let inTemporary = NSTemporaryDirectory() + name
    // Socket addresses are short.
    folder = inTemporary.utf8.count + 8 < LocalSocket.longestPath ? inTemporary : "/tmp/\(name)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func start(
    _ executable: URL, _ arguments: [String], in workingFolder: String = "",
    adding environment: [String: String] = [:], input: Any?, output: Any?
  ) throws {
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if !workingFolder.isEmpty {
      process.currentDirectoryURL = URL(fileURLWithPath: workingFolder)
    }
    (process.standardInput, process.standardOutput) = (input, output)
    let log = "\(folder)/standard-error.txt"
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: log) ?? FileHandle.nullDevice
    // The process inherits the thread's mask, and threads of Dispatch block signals: a shell would
    // never learn of its child's end.
    var (none, mask) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &mask)
    defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
    try process.run()
    ChildProcesses.add(process.processIdentifier)
  }

  var id: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }
  /// The exit status, or the signal that ended it.
  var status: Int32 { process.terminationStatus }
  var hasExited: Bool { process.terminationReason == .exit }

  func ends(within seconds: Double) -> Bool {
    let limit = ContinuousClock.now + .seconds(seconds)
    while process.isRunning {
      guard ContinuousClock.now < limit else { return false }
      usleep(2000)
    }
    ChildProcesses.remove(id)
    return true
  }

  /// Terminates it and the processes that it started: the child of a shell holds the shell's files
  /// and keeps it from being reaped.
  func terminate() {
    for number in [SIGTERM, SIGKILL] {
      kill(getpgid(id) == id ? -id : id, number)
      if ends(within: 3) { return }
    }
  }

  /// The end of its standard error.
  var errorText: String {
    guard let log = FileHandle(forReadingAtPath: "\(folder)/standard-error.txt"),
      let end = try? log.seekToEnd()
    else { return "" }
    try? log.seek(toOffset: end > 8192 ? end - 8192 : 0)
    return String(decoding: (try? log.readToEnd()) ?? Data(), as: UTF8.self)
  }

  var lastLine: String {
    let line = errorText.split(whereSeparator: \.isNewline).last ?? ""
    return String(line.trimmingCharacters(in: .whitespaces).prefix(300))
  }
}
