import DiskSimulation
import Foundation
import TestSupport
import Testing

@testable import Larder

/// The database with durability `none`: a journal instead of a log, and combined writes.
@Suite(.endsInTime) struct DiskJournalTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open(
    _ name: String = "cache", _ durability: DiskDurability = .none, groupWrites: Int = 1_000,
    pageCacheBytes: Int = 8 << 20
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: "\(folder.path)/\(name)",
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability,
        groupWrites: groupWrites, pageCacheBytes: pageCacheBytes
      ).with { $0.groupBytes = 1 << 40 })
  }

  private func names(_ cache: String = "cache") throws -> Set<String> {
    try Set(FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(cache)"))
  }

  private func size(_ name: String) throws -> UInt64 {
    try SystemFiles().size("\(folder.path)/cache/\(name)")
  }

  private let value = Data(repeating: 7, count: 1_000)

  @Test func journalExistsUntilTheCacheIsClosed() throws {
    let cache = try open()
    for number in 0..<10 { try cache.set(value, for: "\(number)") }
    try cache.flush()
    #expect(try names().contains("index.sqlite-journal"))
    #expect(try !names().contains("index.sqlite-wal"))
    #expect(try cache.withLock { $0.usage.log } == size("index.sqlite-journal"))
    try cache.close()
    #expect(try names().isDisjoint(with: ["index.sqlite-journal", "index.sqlite-wal"]))
  }

  @Test func flushFreesTheJournal() throws {
    let cache = try open(groupWrites: 10)
    for round in 0..<3 {
      for number in 0..<95 { try cache.set(value, for: "\(round) \(number)") }
      #expect(try size("index.sqlite-journal") > 0)
      try cache.flush()
      #expect(try size("index.sqlite-journal") == 0)
    }
    #expect(try cache.value(for: "0 0") == value)
    try cache.close()
    let again = try open()
    #expect(again.count == 285 && again.statistics.damages == 0)
    try again.close()
  }

  @Test func journalOfAKilledProcessIsRemovedWithALog() throws {
    let cache = try open()
    try cache.set(value, for: "key")
    try cache.flush()
    try cache.set(value, for: "lost")
    // The files that a process leaves if it is killed now.
    try FileManager.default.copyItem(
      atPath: "\(folder.path)/cache", toPath: "\(folder.path)/copy")
    #expect(try names("copy").contains("index.sqlite-journal"))
    let copy = try open("copy", .normal)
    #expect(try copy.value(for: "key") == value)
    #expect(try copy.value(for: "lost") == nil)
    #expect(try !names("copy").contains("index.sqlite-journal"))
    try copy.close()
    let again = try open("copy")
    #expect(try again.value(for: "key") == value)
    #expect(try !names("copy").contains("index.sqlite-wal"))
    try again.close()
    try cache.close()
  }

  @Test(arguments: [64 << 10, 64 << 20])
  func pagesThatTakeTooMuchMemoryAreCommitted(pageCacheBytes: Int) throws {
    let cache = try open(groupWrites: 1_000_000, pageCacheBytes: pageCacheBytes)
    for number in 0..<2_000 { try cache.set(value, for: "\(number)") }
    let isEarly = pageCacheBytes < 1 << 20
    #expect(try (size("index.sqlite") > 1 << 20) == isEarly)
    let memory = cache.withLock { $0.index?.connection.pageCacheBytes ?? 0 }
    #expect((memory < 1 << 20) == isEarly)
    try cache.close()
    #expect(try size("index.sqlite") > 2 << 20)
  }

  @Test func consecutiveWritesAreCombined() throws {
    let disk = SimulatedDisk(seed: 1)
    let cache = try BlockingDiskCache(
      path: "/caches/app",
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: nil, freeBytes: 0), durability: .none),
      clock: SystemCacheClock.wall(), files: SimulatedFiles(disk))
    try cache.set(value, for: "first")
    try cache.flush()
    for isNew in [true, false] {
      for number in 0..<300 { try cache.set(value, for: "\(number)") }
      let before = disk.calls
      try cache.flush()
      // A hundred pages; their old contents are written to the journal first.
      #expect(disk.calls - before < 40, "new: \(isNew)")
    }
    try cache.close()
  }

  /// Without a power cut, a process that is killed during any call leaves the state after some
  /// number of its operations.
  @Test func killLosesOnlyUncommittedOperations() throws {
    for round in 0..<12 {
      let done = try PowerRound.run(
        seed: 11, round: round, durability: DiskDurability.none, cuts: 0, kills: 25)
      #expect(done.kills == 25)
    }
  }
}
