import DiskSimulation
import Foundation
import TestSupport
import Testing

@testable import Larder

/// Damaged segments, and failing calls.
extension DiskSegmentTests {
  enum Harm: CaseIterable { case delete, cut, change, folder }

  @Test(arguments: Harm.allCases)
  func damagedValueIsAMissAndOthersAreIntact(harm: Harm) throws {
    let cache = try open()
    for number in 0..<3 { try cache.set(bytes(9_000, number), for: "\(number)") }
    try cache.close()
    let file = try #require(try segments().first)
    var whole = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(whole.count == 2 * 12_288 + 9_000)
    switch harm {
    case .delete: try FileManager.default.removeItem(atPath: file)
    case .folder:
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    case .cut: try whole.dropLast().write(to: URL(fileURLWithPath: file))
    case .change:
      whole[whole.count - 1] ^= 1
      try whole.write(to: URL(fileURLWithPath: file))
    }
    let again = try open()
    let isAll = harm == .delete || harm == .folder
    #expect(try again.value(for: "2") == nil)
    #expect(try again.value(for: "0") == (isAll ? nil : bytes(9_000, 0)))
    #expect(try again.value(for: "1") == (isAll ? nil : bytes(9_000, 1)))
    #expect(again.statistics.damages == (isAll ? 3 : 1))
    try again.set(bytes(9_000, 7), for: "2")
    #expect(try again.value(for: "2") == bytes(9_000, 7))
  }

  /// A value found damaged when its segment is recycled is not copied.
  @Test func damagedValuesAreNotCopied() throws {
    let cache = try open()
    try cache.set(bytes(12_000), for: "harmed")
    let file = try #require(try segments().first)
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.seek(toOffset: 5_000)
    try handle.write(contentsOf: Data([1, 2, 3]))
    try handle.close()
    try fillUnevenly(cache)
    #expect(cache.statistics.damages == 1)
    #expect(try cache.value(for: "harmed") == nil)
    #expect(cache.statistics.damages == 1)
    for group in 0..<12 {
      #expect(try cache.value(for: "group \(group)") == bytes(9_000, group))
    }
  }

  @Test func removedSegmentIsReplaced() throws {
    let cache = try open()
    try cache.set(bytes(9_000), for: "a")
    for file in try segments() { try FileManager.default.removeItem(atPath: file) }
    try cache.set(bytes(9_000, 1), for: "b")
    #expect(try cache.value(for: "b") == bytes(9_000, 1))
    #expect(try cache.value(for: "a") == nil)
    #expect(cache.statistics.damages == 1)
  }

  /// A value that cannot be copied now stays in place, and the set that triggered the copy
  /// succeeds.
  @Test func aSegmentThatCannotBeReadNowIsRecycledLater() throws {
    let cache = try open()
    files.set {
      $0.calls = ["read"]
      $0.number = EMFILE
    }
    try wear(cache)
    #expect(cache.statistics.bytesMoved == 0 && cache.statistics.damages == 0)
    files.set { $0.calls = [] }
    try checkWorn(cache)
    try cache.set(bytes(12_000), for: "another")
    #expect(cache.statistics.bytesMoved >= 12_000)
    try checkWorn(cache)
  }

  /// Without a log, SQLite may have finished a commit that it reports as failed: the rows then name
  /// the copies, which must not be reclaimed.
  @Test func aMoveWhoseCommitFailedIsNotLost() throws {
    for call in 1...120 {
      let disk = SimulatedDisk(seed: UInt64(call))
      let configuration = DiskConfiguration(
        limits: DiskLimits(bytes: nil, freeBytes: 0), durability: DiskDurability.none,
        inlineBytesMax: 100, segmentBytes: 16_384, groupWrites: 1)
      func open() throws -> BlockingDiskCache {
        try BlockingDiskCache(
          path: "/cache", configuration: configuration, clock: SystemCacheClock.wall(),
          files: SimulatedFiles(disk))
      }
      let cache = try open()
      for number in 0..<4 {
        try cache.set(bytes(3_000, number), for: "kept \(number)")
        try cache.set(bytes(9_000, number), for: "gone \(number)")
      }
      disk.fault = SimulatedFault(.shortWrite, first: call, count: .max)
      for number in 0..<4 { _ = try? cache.remove("gone \(number)") }
      for number in 0..<4 { _ = try? cache.set(bytes(300, number), for: "small \(number)") }
      disk.endFault()
      let kept = try (0..<4).map { try cache.value(for: "kept \($0)") }
      try cache.set(bytes(300), for: "after")
      try cache.close()
      disk.stop()
      disk.restart(losesPower: false)
      let again = try open()
      #expect(again.statistics.damages == 0, "call \(call)")
      for number in 0..<4 {
        #expect(try again.value(for: "kept \(number)") == kept[number], "call \(call)")
      }
    }
  }
}
