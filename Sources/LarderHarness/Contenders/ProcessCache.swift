import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderLibc
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

  /// The answer to `version` of a process that wants to receive the trace's time.
  private static let timed = "VERSION larder-1"
  /// memcached treats larger numbers of seconds as dates.
  static let longestSeconds: UInt64 = 30 * 24 * 3600

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
      var sockets = [pipe].compactMap { $0 }
      while let path = program.socket, sockets.count < max(1, setup.threads) {
        sockets.append(try program.connect(to: path))
      }
      let connections = sockets.map { ProcessConnection($0, of: program) }
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
      _ = try connection.set(value, for: key, seconds: seconds(options))
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
    // A process that receives the trace's time has no dates.
    return Self.seconds(life, most: hearsTime ? .max : Self.longestSeconds)
  }

  static func seconds(_ life: UInt64, most: UInt64 = longestSeconds) -> UInt64 {
    min(life / 1_000_000 + (life % 1_000_000 == 0 ? 0 : 1), most)
  }

  /// Asks on a free connection. One that failed is not reused.
  private func asking<Answer>(
    _ body: (ProcessConnection) throws(ProcessCacheError) -> Answer
  ) throws(ProcessCacheError) -> Answer {
    let connection = try taken()
    if hearsTime { connection.tell(clock.time) }
    let answer = try body(connection)
    free.withLock { $0.append(connection) }
    return answer
  }

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

final class CacheProgram: ProcessPeer, Sendable {
  private let child: ChildProgram
  let name: String
  let timeoutSeconds: UInt32
  let socket: String?

  /// Starts a program. `pipe` is our end of its standard input and output, unless it listens on a
  /// socket.
  static func start(
    _ spec: ProcessSpec, _ value: (ProcessPlaceholder) -> String
  ) throws(ProcessCacheError) -> (program: CacheProgram, pipe: Int32?) {
    let program = try CacheProgram(spec)
    let words = spec.filled { $0 == .socket ? program.socket ?? "" : value($0) }
    let ends = program.socket == nil ? try LocalSocket.pair() : nil
    // The program has its own copy.
    defer { if let ends { close(ends.theirs) } }
    do {
      try program.run(words, in: spec.folder, pipe: ends?.theirs)
    } catch {
      if let ends { close(ends.ours) }
      throw .launch(program: program.name, reason: error.localizedDescription)
    }
    return (program, ends?.ours)
  }

  private init(_ spec: ProcessSpec) throws(ProcessCacheError) {
    guard let first = spec.command.first else { throw .noCommand }
    name = first
    timeoutSeconds = spec.timeoutSeconds
    do {
      child = try ChildProgram()
    } catch {
      throw .system(what: NSTemporaryDirectory(), reason: error.localizedDescription)
    }
    socket = spec.uses(.socket) ? "\(child.folder)/socket" : nil
  }

  private func run(_ words: [String], in folder: String, pipe: Int32?) throws {
    let handle = pipe.map { FileHandle(fileDescriptor: $0, closeOnDealloc: false) }
    let ends = handle ?? FileHandle.nullDevice
    guard name.contains("/") else {
      let env = URL(fileURLWithPath: "/usr/bin/env")
      return try child.start(env, words, in: folder, input: ends, output: ends)
    }
    // Relative to the folder it starts in.
    let base = URL(fileURLWithPath: folder.isEmpty ? "." : folder, isDirectory: true)
    try child.start(
      URL(fileURLWithPath: name, relativeTo: base).absoluteURL, Array(words.dropFirst()),
      in: folder, input: ends, output: ends)
  }

  func connect(to path: String) throws(ProcessCacheError) -> Int32 {
    let end = ContinuousClock.now + .seconds(timeoutSeconds)
    while ContinuousClock.now < end {
      if let descriptor = try LocalSocket.connected(to: path) { return descriptor }
      guard child.isRunning else { throw ended() }
      usleep(2000)
    }
    throw silent("listen on its socket")
  }

  /// Waits for its exit if its standard input has been closed (`isTold`); terminates it otherwise
  /// or after a time limit.
  ///
  /// - Throws: `ProcessCacheError.ended` if it failed by itself.
  func end(isTold: Bool) throws(ProcessCacheError) {
    if isTold, child.ends(within: Double(timeoutSeconds)) {
      guard child.hasExited, child.status == 0 else { throw ended() }
      return
    }
    child.terminate()
    if isTold { throw silent("end after its input") }
  }

  func ended() -> ProcessCacheError {
    // It may have closed its output just before it exits.
    guard child.ends(within: 1) else {
      return .ended(program: name, status: nil, said: child.lastLine)
    }
    // The status of `env` for a program that it does not find.
    if child.status == 127, !name.contains("/") {
      return .launch(program: name, reason: "there is no such program in PATH")
    }
    let how = child.hasExited ? "with status" : "by signal"
    return .ended(program: name, status: "\(how) \(child.status)", said: child.lastLine)
  }

  func silent(_ what: String) -> ProcessCacheError {
    .silent(program: name, what: what, seconds: timeoutSeconds, said: child.lastLine)
  }

  var bytesWritten: UInt64? { ProcessWrites.bytes(.disk, of: "\(child.id)") }
}

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
    if !workingFolder.isEmpty { process.currentDirectoryURL = URL(fileURLWithPath: workingFolder) }
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

  /// Kills what it has left behind: workers of a server whose first process was killed.
  func killGroup() { kill(-id, SIGKILL) }

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
