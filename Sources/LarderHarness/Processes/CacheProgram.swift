import Foundation
import LarderWorkloads

/// A running program that is a cache, and the folder of its socket and of what it says.
final class CacheProgram: ProcessPeer, @unchecked Sendable {
  // `Process` is used by the thread that makes and ends it, and to ask whether it still runs.
  private let process = Process()
  private let folder: String
  /// How it is called in messages.
  let name: String
  /// The longest that anything may take.
  let timeoutSeconds: UInt32
  /// Where it listens; nil for standard input.
  let socket: String?

  private var log: String { "\(folder)/standard-error.txt" }

  /// Milliseconds between two looks at whether something has come about.
  private static var slice: UInt32 { 2 }
  /// Seconds between asking a program to end and ending it.
  private static var grace: UInt32 { 5 }

  /// Starts a program.
  ///
  /// - Returns: The program, and our end of its standard input and output, where it does not listen
  ///   on a socket.
  /// - Throws: `ProcessCacheError`.
  static func start(
    _ spec: ProcessSpec, _ value: (ProcessPlaceholder) -> String
  ) throws(ProcessCacheError) -> (program: CacheProgram, pipe: Int32?) {
    let program = try CacheProgram(spec)
    let words = spec.filled { $0 == .socket ? program.socket ?? "" : value($0) }
    let ends = program.socket == nil ? try LocalSocket.pair() : nil
    do throws(ProcessCacheError) {
      try program.run(words, in: spec.folder, pipe: ends?.theirs)
    } catch {
      if let ends { close(ends.ours) }
      throw error
    }
    return (program, ends?.ours)
  }

  private init(_ spec: ProcessSpec) throws(ProcessCacheError) {
    guard let first = spec.command.first else { throw .noCommand }
    name = first
    timeoutSeconds = spec.timeoutSeconds
    let inTemporary = NSTemporaryDirectory() + "larder-\(UUID().uuidString)"
    // Addresses of sockets are short.
    folder =
      inTemporary.utf8.count + 8 < LocalSocket.longestPath
      ? inTemporary : "/tmp/larder-\(UUID().uuidString)"
    socket = spec.uses(.socket) ? "\(folder)/socket" : nil
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .system(what: folder, reason: error.localizedDescription)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Starts it; `pipe` is closed here, for the program has its own copies.
  private func run(
    _ words: [String], in folder: String, pipe: Int32?
  ) throws(ProcessCacheError) {
    defer { if let pipe { close(pipe) } }
    if !folder.isEmpty { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    if name.contains("/") {
      // Taken from the folder it starts in.
      let base = URL(fileURLWithPath: folder.isEmpty ? "." : folder, isDirectory: true)
      process.executableURL = URL(fileURLWithPath: name, relativeTo: base).absoluteURL
      process.arguments = Array(words.dropFirst())
    } else {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = words
    }
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: log) ?? FileHandle.nullDevice
    if let pipe {
      let handle = FileHandle(fileDescriptor: pipe, closeOnDealloc: false)
      process.standardInput = handle
      process.standardOutput = handle
    } else {
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
    }
    do {
      try process.run()
    } catch {
      throw .launch(program: name, reason: error.localizedDescription)
    }
  }

  /// Connects to the socket, for which it waits.
  ///
  /// - Throws: `ProcessCacheError`.
  func connect(to path: String) throws(ProcessCacheError) -> Int32 {
    let end = ContinuousClock.now + .seconds(timeoutSeconds)
    while ContinuousClock.now < end {
      if let descriptor = try LocalSocket.connected(to: path) { return descriptor }
      guard process.isRunning else { throw ended() }
      usleep(Self.slice * 1_000)
    }
    throw silent("listen on its socket")
  }

  /// Waits for its end, where it was told to; otherwise, or when it does not, ends it.
  ///
  /// - Parameter isTold: Whether it knows: its standard input has ended.
  /// - Throws: `ProcessCacheError.ended` when it failed by itself.
  func end(isTold: Bool) throws(ProcessCacheError) {
    if isTold, waits(timeoutSeconds) {
      guard process.terminationReason == .exit, process.terminationStatus == 0 else {
        throw ended()
      }
      return
    }
    signal(SIGTERM)
    if !waits(Self.grace) {
      signal(SIGKILL)
      _ = waits(Self.grace)
    }
    if isTold { throw silent("end after its input") }
  }

  /// Sends it a signal, and everything that it has started: what a shell runs holds the shell's
  /// connections, and does not end with it.
  private func signal(_ number: Int32) {
    let id = process.processIdentifier
    kill(getpgid(id) == id ? -id : id, number)
  }

  /// Whether it ends within so many seconds.
  private func waits(_ seconds: UInt32) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while process.isRunning {
      guard ContinuousClock.now < end else { return false }
      usleep(Self.slice * 1_000)
    }
    return true
  }

  /// The error of a program that is gone: its connection has ended.
  func ended() -> ProcessCacheError {
    // It may have closed its output a moment before its end.
    guard waits(1) else { return .ended(program: name, status: nil, said: said) }
    let status = process.terminationStatus
    // What 'env' says of a program that it does not find.
    if status == 127, !name.contains("/") {
      return .launch(program: name, reason: "there is no such program in PATH")
    }
    let how = process.terminationReason == .exit ? "with status" : "by signal"
    return .ended(program: name, status: "\(how) \(status)", said: said)
  }

  /// The error of a program that takes too long.
  func silent(_ what: String) -> ProcessCacheError {
    .silent(program: name, what: what, seconds: timeoutSeconds, said: said)
  }

  /// The last line of its standard error.
  private var said: String {
    guard let log = FileHandle(forReadingAtPath: log), let end = try? log.seekToEnd() else {
      return ""
    }
    try? log.seek(toOffset: end > 4_096 ? end - 4_096 : 0)
    let text = String(decoding: (try? log.readToEnd()) ?? Data(), as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).last ?? ""
    return String(line.trimmingCharacters(in: .whitespaces).prefix(300))
  }

  /// Bytes that it has sent to the disk; nil where the system does not say.
  var bytesWritten: UInt64? {
    ProcessWrites.bytes(.disk, of: "\(process.processIdentifier)")
  }
}
