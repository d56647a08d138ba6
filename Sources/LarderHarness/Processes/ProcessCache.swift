import Foundation
import Larder
import LarderEngine
import LarderSimulation
import LarderSystem
import LarderWorkloads

/// A cache in a process of its own, which is asked in memcached's text protocol: `get`, `set` and
/// `delete` of one key each, every one answered before the next on its connection
/// (docs/processes.md).
///
/// On standard input there is one connection, and threads wait for each other; on a socket there is
/// one for each thread.
final class ProcessCache: CacheUnderTest, @unchecked Sendable {
  private let program: CacheProgram
  private let tier: CacheAnswer.Tier
  private let clock: TraceClock
  private let longestLife: UInt64?
  private let countsWrites: Bool
  private let hearsTime: Bool
  private let free: Locked<[ProcessConnection]>
  private let wroteBefore = Locked<UInt64?>(nil)

  /// What an answer to `version` begins with where the process wants to hear the trace's time.
  static let timed = "VERSION larder-1"
  /// memcached takes more seconds than these for a date.
  private static let longestSeconds: UInt64 = 30 * 24 * 3600

  /// Starts the process of a setup, and greets it.
  ///
  /// - Throws: `ProcessCacheError`.
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

  /// The life of an entry in seconds, rounded up; 0 for none.
  private func seconds(_ options: CacheWriteOptions) -> UInt64 {
    let own = options.timeToLiveMicroseconds
    let life = own == 0 ? longestLife ?? 0 : min(own, longestLife ?? own)
    let seconds = life / 1_000_000 + (life % 1_000_000 == 0 ? 0 : 1)
    // A process that hears the trace's time has no dates.
    return hearsTime ? seconds : min(seconds, Self.longestSeconds)
  }

  /// Asks on a connection that nobody else uses meanwhile. One that failed is not used again.
  private func asking<Answer>(
    _ body: (ProcessConnection) throws(ProcessCacheError) -> Answer
  ) throws(ProcessCacheError) -> Answer {
    let connection = try taken()
    if hearsTime { connection.tell(clock.nowMicroseconds) }
    let answer = try body(connection)
    free.withLock { $0.append(connection) }
    return answer
  }

  /// A free connection. On standard input, where there is one for all threads, it is waited for.
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
  /// A program of anybody's.
  static let process = CacheContender(
    name: ProcessSpec.contender,
    summary: "A program in any language that speaks memcached's text protocol: "
      + "cache: {process: [...]}",
    kinds: [.memory, .disk]
  ) { setup in
    try ProcessCache(setup)
  }
}
