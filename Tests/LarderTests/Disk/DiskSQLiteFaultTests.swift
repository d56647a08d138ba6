import CSQLiteFaults
import Foundation
import Testing

@testable import Larder

/// Every system call of SQLite fails once, and all from some call on: an error or a miss, never a
/// wrong value, and the cache works again afterwards.
@Suite(.serialized) struct DiskSQLiteFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var kinds: Int
    var code: Int32 = 0
    var testDescription: String { name }
  }

  private static let faults: [Fault] = [
    Fault(name: "read", kinds: LARDER_FAULT_READ),
    Fault(name: "write", kinds: LARDER_FAULT_WRITE),
    Fault(name: "full", kinds: LARDER_FAULT_WRITE, code: 13),
    Fault(
      name: "sync, truncate, size",
      kinds: LARDER_FAULT_SYNC | LARDER_FAULT_TRUNCATE | LARDER_FAULT_SIZE),
    Fault(name: "busy", kinds: LARDER_FAULT_LOCK | LARDER_FAULT_SHARED, code: 5),
    Fault(
      name: "open, delete, lock, shared memory",
      kinds: LARDER_FAULT_OPEN | LARDER_FAULT_DELETE | LARDER_FAULT_LOCK | LARDER_FAULT_SHARED),
  ]

  /// Permitted values of each key.
  private struct Model {
    /// Value in the open cache; a miss is always permitted.
    var now: [String: Data] = [:]
    /// Values after reopening, nil for none.
    var later: [String: Set<Data?>] = [:]
    /// True if a call failed with grouped writes: the acknowledged ones of its group are lost with
    /// it.
    var isGroupLost = false
  }

  private let files = FaultyFiles(databaseLayer: String(cString: larder_faults_name()))
  let clock = ManualClock(seconds: 1_000)

  func open(
    _ folder: ScratchFolder, _ durability: DiskDurability
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability,
        inlineBytesMax: 3_000, groupWrites: 4, pageCacheBytes: 64 << 10
      ).with { $0.checkpointPages = 4 },
      clock: clock, files: files)
  }

  func bytes(_ count: Int, _ seed: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 ^ $0 >> 8) })
  }

  func rows(_ cache: BlockingDiskCache) throws -> Int64? {
    try cache.core.index?.connection.number("SELECT count(*) FROM entries")
  }

  /// Performs sets, gets, renewals, removals and a clearing, and records their permitted results in
  /// `model`.
  private func work(
    _ cache: BlockingDiskCache, _ model: inout Model, acknowledgedIsSure: Bool, seed: Int
  ) throws {
    func noted(_ key: String, _ value: Data?, isSure: Bool) {
      model.now[key] = isSure ? value : nil
      if isSure, acknowledgedIsSure {
        model.later[key] = [value]
      } else {
        model.later[key, default: [nil]].formUnion([value, nil])
      }
    }
    func failed() { if !acknowledgedIsSure { model.isGroupLost = true } }
    func check(_ key: String) {
      // Not `try?`: nil is a valid result, too.
      guard case .success(let found) = Result(catching: { try cache.value(for: key) }) else {
        return failed()
      }
      #expect(found == model.now[key] || found == nil && model.isGroupLost, "\(key)")
    }
    for step in 0..<8 {
      let key = "\((step * 3 + seed) % 7)"
      let value = bytes(step % 4 == 0 ? 4_000 : 2_500, step + seed)
      do {
        try cache.set(value, for: key, suite: "")
        noted(key, value, isSure: true)
      } catch {
        noted(key, value, isSure: false)
        failed()
        #expect(((try? cache.value(for: key)) ?? nil) == nil, "after a failed set")
      }
      check("\(step)")
      if step == 3 {
        do { _ = try cache.renew(key, timeToLive: .seconds(50), version: "v") } catch { failed() }
      }
      if step % 3 == 2 {
        let other = "\((step + seed) % 7)"
        do {
          try cache.remove(other)
          noted(other, nil, isSure: true)
        } catch {
          noted(other, nil, isSure: false)
          model.now[other] = nil
          failed()
        }
        check(other)
      }
      if step == 5 { do { try cache.flush() } catch { failed() } }
    }
  }

  private func checkLater(_ cache: BlockingDiskCache, _ model: Model, _ context: String) throws {
    for (key, values) in model.later {
      let found = try cache.value(for: key)
      #expect(values.contains(found), "\(context): \(key)")
    }
    #expect(cache.statistics.damages == 0 && cache.statistics.rebuilds == 0, "\(context)")
  }

  /// One run in which call `first` and `count` - 1 after it fail; false if there was no such call.
  private func run(
    _ fault: Fault, _ durability: DiskDurability, first: Int, count: Int
  ) throws -> Bool {
    let context = "\(fault.name), \(durability), call \(first)"
    let folder = try ScratchFolder(isSmall: true)
    var model = Model()
    let isSure = durability != .none
    larder_faults_arm(0, 0, 0, 0)
    defer { larder_faults_arm(0, 0, 0, 0) }
    var cache: BlockingDiskCache? = try open(folder, durability)
    try work(try #require(cache), &model, acknowledgedIsSure: isSure, seed: 0)
    try cache?.close()
    larder_faults_arm(Int32(fault.kinds), first, count, fault.code)
    cache = try? open(folder, durability)
    if let cache {
      try checkNow(cache, model)
      try work(cache, &model, acknowledgedIsSure: isSure, seed: 100)
    }
    let failed = larder_faults_failures() > 0
    larder_faults_arm(0, 0, 0, 0)
    if let cache {
      // It works again, without being reopened.
      for (key, value) in model.now {
        let found = try cache.value(for: key)
        #expect(found == nil || found == value, "\(context): \(key)")
      }
      let value = bytes(2_000, 7)
      try cache.set(value, for: "again")
      #expect(try cache.value(for: "again") == value, "\(context)")
      model.later["again"] = [value]
      try cache.close()
      #expect(cache.damage == nil, "\(context)")
    }
    cache = nil
    let last = try open(folder, durability)
    try checkLater(last, model, context)
    let large = try (0..<7).count { try last.value(for: "\($0)")?.count == 4_000 }
    #expect(try folder.valueFiles().count == large, "\(context)")
    try last.close()
    return failed
  }

  private func checkNow(_ cache: BlockingDiskCache, _ model: Model) throws {
    for (key, values) in model.later {
      guard let found = try? cache.value(for: key) else { continue }
      #expect(values.contains(found), "\(key)")
    }
  }

  /// Acknowledged writes that cannot be committed are reported even if the rest can.
  @Test func aFlushThatLosesSomethingIsAnError() throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { larder_faults_arm(0, 0, 0, 0) }
    let cache = try open(folder, .none)
    try cache.set(bytes(100, 1), for: "kept")
    try cache.flush()
    try cache.set(bytes(100, 2), for: "lost")
    try cache.remove("nothing")
    larder_faults_arm(Int32(LARDER_FAULT_WRITE), 1, 1, 13)
    #expect(throws: DiskCacheError.self) { try cache.flush() }
    #expect(larder_faults_failures() == 1)
    #expect(try cache.value(for: "lost") == nil)
    try cache.flush()
    try cache.close()
    let again = try open(folder, .none)
    #expect(try again.value(for: "kept") == bytes(100, 1))
    #expect(again.count == 1)
  }

  @Test(arguments: faults, DiskDurability.allCases)
  func everyCallFailsOnce(fault: Fault, durability: DiskDurability) throws {
    var first = 1
    while try run(fault, durability, first: first, count: 1) { first += 1 }
    #expect(first > 1)
  }

  @Test(arguments: faults, DiskDurability.allCases)
  func allCallsFailFromSomeCallOn(fault: Fault, durability: DiskDurability) throws {
    var first = 1
    while try run(fault, durability, first: first, count: .max) { first += 7 }
    #expect(first > 1)
  }
}
