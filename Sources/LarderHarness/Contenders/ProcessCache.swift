import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderSupport

/// A cache in a separate process, reached through memcached's text protocol: `get`, `set` and
/// `delete` of one key each, without pipelining (docs/processes.md).
///
/// Standard input has one connection, for which threads wait; a socket has one connection for each
/// thread.
final class ProcessCache: CacheUnderTest, @unchecked Sendable {
  private let program: CacheProgram
  private let tier: CacheAnswer.Tier
  private let clock: TraceClock
  private let longestLife: UInt64?
  private let countsWrites: Bool
  private let hearsTime: Bool
  private let free: Locked<[ProcessConnection]>
  private let wroteBefore = Locked<UInt64?>(nil)

  /// The prefix of the answer to `version` of a process that wants to receive the trace's time.
  static let timed = "VERSION larder-1"
  /// memcached treats larger numbers of seconds as dates.
  private static let longestSeconds: UInt64 = 30 * 24 * 3600

  init(_ setup: CacheSetup) throws(ProcessCacheError) {
    guard let spec = setup.process else { throw .noCommand }
    let (tier, place): (TierSetup, CacheAnswer.Tier) =
      switch setup.simulation.arrangement {
      case .memory(let tier): (tier, .memory)
      case .disk(let tier), .hybrid(_, let tier, _): (tier, .disk)
      }
    self.tier = place
    clock = setup.clock
    longestLife = tier.timeToLiveMicroseconds
    countsWrites = place == .disk
    let (program, pipe) = try CacheProgram.start(spec) { placeholder in
      switch placeholder {
      case .capacity: "\(tier.capacity)"
      case .mebibytes: "\(max(1, tier.capacity >> 20))"
      case .unit: setup.simulation.unit == .bytes ? "bytes" : "objects"
      case .objects: "\(tier.objectsMax ?? 0)"
      case .threads: "\(setup.threads)"
      case .seed: "\(setup.simulation.seed)"
      case .folder: setup.folder
      case .socket: ""
      }
    }
    self.program = program
    do throws(ProcessCacheError) {
      var connections: [ProcessConnection] = []
      if let pipe {
        connections.append(ProcessConnection(pipe, of: program))
      } else if let path = program.socket {
        for _ in 0..<max(1, setup.threads) {
          let socket = try program.connect(to: path)
          connections.append(ProcessConnection(socket, of: program))
        }
      }
      var version = ""
      for connection in connections { version = try connection.greet() }
      hearsTime = version.hasPrefix(Self.timed)
      free = Locked(connections)
    } catch {
      try? program.end(isTold: false)
      throw error
    }
    resetCounts()
  }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    try asking { connection throws(ProcessCacheError) in try connection.get(key) }
      .map { CacheAnswer($0, from: tier) }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try asking { connection throws(ProcessCacheError) in
      try connection.set(value, for: key, seconds: seconds(options))
    }
  }

  func remove(_ key: UInt64) throws {
    try asking { connection throws(ProcessCacheError) in try connection.remove(key) }
  }

  func usage() -> CacheUsage {
    var usage = CacheUsage()
    guard countsWrites, let now = program.bytesWritten else { return usage }
    usage.bytesWritten = now - min(now, wroteBefore.withLock { $0 } ?? 0)
    return usage
  }

  func resetCounts() {
    guard countsWrites else { return }
    let now = program.bytesWritten
    wroteBefore.withLock { $0 = now }
  }

  func close() throws {
    free.withLock { $0.removeAll() }
    try program.end(isTold: program.socket == nil)
  }

  /// The TTL of an entry in seconds, rounded up; 0 for none.
  private func seconds(_ options: CacheWriteOptions) -> UInt64 {
    let own = options.timeToLiveMicroseconds
    let life = own == 0 ? longestLife ?? 0 : min(own, longestLife ?? own)
    let seconds = life / 1_000_000 + (life % 1_000_000 == 0 ? 0 : 1)
    // A process that receives the trace's time has no dates.
    return hearsTime ? seconds : min(seconds, Self.longestSeconds)
  }

  /// Sends a request on an exclusive connection. A connection that failed is not reused.
  private func asking<Answer>(
    _ body: (ProcessConnection) throws(ProcessCacheError) -> Answer
  ) throws(ProcessCacheError) -> Answer {
    let connection = try taken()
    if hearsTime { connection.tell(clock.time) }
    let answer = try body(connection)
    free.withLock { $0.append(connection) }
    return answer
  }

  /// A free connection. On standard input, which has only one, threads wait for it.
  private func taken() throws(ProcessCacheError) -> ProcessConnection {
    let end = ContinuousClock.now + .seconds(program.timeoutSeconds)
    while true {
      if let connection = free.withLock({ $0.popLast() }) { return connection }
      guard ContinuousClock.now < end else { throw program.silent("answer another thread") }
      usleep(1)
    }
  }
}

extension CacheContender {
  static let process = CacheContender(
    name: ProcessSpec.contender,
    summary: "A program in any language that speaks memcached's text protocol: "
      + "cache: {process: [...]}",
    kinds: [.memory, .disk]
  ) { setup in
    try ProcessCache(setup)
  }
}

/// A running cache program, with the folder of its socket and its error output.
final class CacheProgram: ProcessPeer, @unchecked Sendable {
  // `Process` is used by the thread that creates and ends it, and to check that it is running.
  private let process = Process()
  private let folder: String
  let name: String
  let timeoutSeconds: UInt32
  /// The path on which it listens; nil for standard input.
  let socket: String?

  private var log: String { "\(folder)/standard-error.txt" }

  /// The polling interval in milliseconds.
  private static var slice: UInt32 { 2 }
  private static var grace: UInt32 { 5 }

  /// Starts a program.
  ///
  /// - Returns: The program, and our end of its standard input and output unless it listens on a
  ///   socket.
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
    // Socket addresses are short.
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

  /// Starts it and closes `pipe`, of which the program has its own copy.
  private func run(
    _ words: [String], in folder: String, pipe: Int32?
  ) throws(ProcessCacheError) {
    defer { if let pipe { close(pipe) } }
    if !folder.isEmpty { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    if name.contains("/") {
      // Relative to the folder it starts in.
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
      ChildProcesses.add(process.processIdentifier)
    } catch {
      throw .launch(program: name, reason: error.localizedDescription)
    }
  }

  /// Connects to the socket and waits until it exists.
  func connect(to path: String) throws(ProcessCacheError) -> Int32 {
    let end = ContinuousClock.now + .seconds(timeoutSeconds)
    while ContinuousClock.now < end {
      if let descriptor = try LocalSocket.connected(to: path) { return descriptor }
      guard process.isRunning else { throw ended() }
      usleep(Self.slice * 1_000)
    }
    throw silent("listen on its socket")
  }

  /// Waits for its exit if it was asked to exit; terminates it otherwise or after a time limit.
  ///
  /// - Parameter isTold: True if its standard input has been closed.
  /// - Throws: `ProcessCacheError.ended` if it failed by itself.
  func end(isTold: Bool) throws(ProcessCacheError) {
    if isTold, waits(timeoutSeconds) {
      guard process.terminationReason == .exit, process.terminationStatus == 0 else {
        throw ended()
      }
      return
    }
    process.signal(SIGTERM)
    if !waits(Self.grace) {
      process.signal(SIGKILL)
      _ = waits(Self.grace)
    }
    if isTold { throw silent("end after its input") }
  }

  /// True if it exits within `seconds`.
  private func waits(_ seconds: UInt32) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while process.isRunning {
      guard ContinuousClock.now < end else { return false }
      usleep(Self.slice * 1_000)
    }
    ChildProcesses.remove(process.processIdentifier)
    return true
  }

  func ended() -> ProcessCacheError {
    // It may have closed its output just before it exits.
    guard waits(1) else { return .ended(program: name, status: nil, said: said) }
    let status = process.terminationStatus
    // The status of `env` for a program that it does not find.
    if status == 127, !name.contains("/") {
      return .launch(program: name, reason: "there is no such program in PATH")
    }
    let how = process.terminationReason == .exit ? "with status" : "by signal"
    return .ended(program: name, status: "\(how) \(status)", said: said)
  }

  func silent(_ what: String) -> ProcessCacheError {
    .silent(program: name, what: what, seconds: timeoutSeconds, said: said)
  }

  private var said: String {
    guard let log = FileHandle(forReadingAtPath: log), let end = try? log.seekToEnd() else {
      return ""
    }
    try? log.seek(toOffset: end > 4_096 ? end - 4_096 : 0)
    let text = String(decoding: (try? log.readToEnd()) ?? Data(), as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).last ?? ""
    return String(line.trimmingCharacters(in: .whitespaces).prefix(300))
  }

  /// Bytes written to disk; nil if the system does not report them.
  var bytesWritten: UInt64? {
    ProcessWrites.bytes(.disk, of: "\(process.processIdentifier)")
  }
}
