import DiskSimulation
import Foundation
import TestSupport
import Testing

@testable import Larder

/// Every system call of a cache fails, once and from then on: with a full disk, I/O errors, a
/// read-only disk, no file descriptors, short writes, and failed syncs after which nothing more is
/// written. `make torture` uses other sequences of operations and every call; this uses every
/// fifth.
@Suite(.endsInTime) struct DiskCallFaultTests {
  @Test(arguments: FaultRound.Plan.all)
  func failingCallsGiveNoWrongValueAndLoseNoAcknowledgedOne(plan: FaultRound.Plan) throws {
    for round in 0..<TestEffort.rounds(2) {
      let done = try FaultRound.run(
        seed: 11, round: round, plan: plan, stride: TestEffort.share > 1 ? 11 : 5)
      #expect(done.places > 0)
    }
  }

  /// A suite whose removal was committed before a call failed is made anew, not used on.
  @Test(arguments: [SimulatedFault.Kind.noSpace, .inputOutput], [1, Int.max])
  func valueStoredAfterFailedClearIsThereAtReopening(
    kind: SimulatedFault.Kind, count: Int
  ) throws {
    var failures = 0
    for call in 1..<60 {
      let disk = SimulatedDisk(seed: 1)
      let cache = try open(disk)
      for number in 0..<40 {
        try cache.set(Data(repeating: 1, count: 90), for: "key \(number)", suite: "user")
      }
      try cache.set(Data([1]), for: "key")
      disk.fault = SimulatedFault(kind, first: call, count: count)
      if (try? cache.removeAll(suite: "user")) == nil { failures += 1 }
      disk.endFault()
      try cache.set(Data([2]), for: "key", suite: "user")
      try cache.close()
      let again = try open(disk)
      #expect(try again.value(for: "key", suite: "user") == Data([2]), "\(kind), call \(call)")
      try again.close()
    }
    // A single failure is overcome by the second attempt.
    #expect(failures > 0 || count == 1)
  }

  private func open(
    _ disk: SimulatedDisk, inlineBytesMax: Int = 100, checkpointPages: Int = 4_000
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: "/caches/app",
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: nil, freeBytes: 0), inlineBytesMax: inlineBytesMax
      ).with { $0.checkpointPages = checkpointPages },
      clock: SystemCacheClock.wall(), files: SimulatedFiles(disk))
  }

  /// SQLite opens for reading what it cannot open for writing: an error, and no damage.
  @Test func aDatabaseThatCannotBeOpenedForWritingIsNotDamaged() throws {
    let disk = SimulatedDisk(seed: 1)
    try open(disk).set(Data([1]), for: "key")
    for kind in [SimulatedFault.Kind.tooManyFiles, .readOnly] {
      var refusals = 0
      for call in 1... {
        disk.fault = SimulatedFault(kind, first: call, count: 1)
        let failures = disk.failures
        let cache = try? open(disk)
        if cache == nil { refusals += 1 }
        disk.endFault()
        if let cache {
          #expect(cache.statistics.rebuilds == 0, "\(kind), call \(call)")
          #expect(try cache.value(for: "key") == Data([1]), "\(kind), call \(call)")
          try cache.close()
        }
        if disk.failures == failures { break }
      }
      #expect(refusals > 0)
    }
  }

  /// An opening that commits, because a suite is empty, cannot sync its log: nothing is lost.
  @Test(arguments: [SimulatedFault.Kind.noSpace, .sync, .inputOutput], [1, Int.max])
  func failedSyncWhileOpeningKeepsTheDatabase(
    kind: SimulatedFault.Kind, count: Int
  ) throws {
    for call in 1... {
      let disk = SimulatedDisk(seed: 1)
      let first = try open(disk)
      try first.set(Data([1]), for: "key")
      try first.set(Data([1]), for: "key", suite: "empty")
      try first.remove("key", suite: "empty")
      try first.close()
      disk.fault = SimulatedFault(kind, first: call, count: count)
      // Closed by its deallocation, while calls fail.
      _ = try? open(disk, checkpointPages: 1)
      disk.endFault()
      let cache = try open(disk)
      #expect(cache.damage == nil, "call \(call)")
      #expect(try cache.value(for: "key") == Data([1]), "call \(call)")
      if disk.failures == 0 { break }
    }
  }

  /// The system dropped pages of a log that it had failed to write.
  @Test func logThatLostPagesIsSetAside() throws {
    let disk = SimulatedDisk(seed: 1)
    let cache = try open(disk)
    for key in 0..<9 { try cache.set(Data([1]), for: "\(key)") }
    disk.fault = SimulatedFault(.sync, first: 1, count: 1)
    try cache.core.index?.log.checkpoint()
    #expect(disk.failures == 1)
    let files = SimulatedFiles(disk)
    let size = try files.size("/caches/app/index.sqlite-wal")
    try [UInt8](repeating: 0, count: 4_096).withUnsafeBytes {
      try files.write(
        $0, to: "/caches/app/index.sqlite-wal", at: size - 4_096, .existing, syncs: false)
    }
    #expect(try cache.value(for: "0") == nil)
    #expect(cache.damage?.contains("log") == true && cache.statistics.rebuilds == 1)
  }

  /// A damaged database is set aside, and then no call succeeds that would create another.
  @Test func databaseSetAsideIsReportedByTheNextOpening() throws {
    var reports = 0
    for call in 1... {
      let disk = SimulatedDisk(seed: 1)
      let first = try open(disk)
      try first.set(Data([1]), for: "key")
      try first.close()
      try [UInt8](repeating: 7, count: 4_096).withUnsafeBytes {
        try SimulatedFiles(disk).write(
          $0, to: "/caches/app/index.sqlite", at: 0, .existing, syncs: false)
      }
      disk.fault = SimulatedFault(.noSpace, first: call, count: .max)
      var message = ""
      do { _ = try open(disk) } catch { message = "\(error)" }
      disk.endFault()
      if message.isEmpty { break }
      let isKept = try SimulatedFiles(disk).kind("/caches/app/damaged/index.sqlite") == .file
      let isDiscarded = message.contains("the earlier database was discarded")
      let cache = try open(disk)
      #expect((cache.statistics.rebuilds == 1) == (isKept || !isDiscarded), "call \(call)")
      if isKept { reports += 1 }
    }
    #expect(reports > 2)
  }

  /// Entries lost by a failed call do not reappear when the database has to be reopened.
  @Test func lostEntriesDoNotReappearWithTheDatabase() throws {
    for kind in SimulatedFault.Kind.allCases {
      for call in 1...40 {
        let disk = SimulatedDisk(seed: 1)
        let cache = try open(disk)
        try cache.set(Data([1]), for: "a")
        try cache.set(Data(repeating: 1, count: 1_000), for: "b")
        disk.fault = SimulatedFault(kind, first: call, count: .max)
        _ = try? cache.removeAll()
        _ = try? cache.set(Data([2]), for: "c")
        disk.endFault()
        #expect(try cache.value(for: "a") == nil, "\(kind), call \(call)")
        #expect(try cache.value(for: "b") == nil, "\(kind), call \(call)")
      }
    }
  }
}
