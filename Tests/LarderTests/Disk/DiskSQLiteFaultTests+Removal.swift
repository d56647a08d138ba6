import CSQLiteFaults
import Foundation
import Testing

@testable import Larder

extension DiskSQLiteFaultTests {
  /// Any call of SQLite fails during `remove(where:)`: entries that do not match stay, and the
  /// others are gone if the call has succeeded. A success hides no loss of writes that were still
  /// to be committed with it.
  @Test(arguments: DiskDurability.allCases, 1...24)
  func failedRemovalKeepsOtherEntries(_ durability: DiskDurability, _ first: Int) throws {
    let folder = try ScratchFolder(isSmall: true)
    larder_faults_arm(0, 0, 0, 0)
    defer { larder_faults_arm(0, 0, 0, 0) }
    let cache = try open(folder, durability)
    for key in 0..<40 {
      if key == 38 { try cache.flush() }
      try cache.set(bytes(key * 100, key), for: "\(key)")
    }
    let kinds = LARDER_FAULT_READ | LARDER_FAULT_WRITE | LARDER_FAULT_SYNC | LARDER_FAULT_TRUNCATE
    larder_faults_arm(Int32(kinds), first, 1, 0)
    let freed = try? cache.remove { ($0.bytes ?? 0) < 1_000 }
    larder_faults_arm(0, 0, 0, 0)
    if let freed {
      #expect(freed.count == 10)
      for key in 0..<10 { #expect(try cache.value(for: "\(key)") == nil) }
    }
    for key in 10..<40 {
      let value = try cache.value(for: "\(key)")
      #expect(value == bytes(key * 100, key) || value == nil && freed == nil)
    }
    try cache.close()
    let again = try open(folder, durability)
    if freed != nil { #expect(again.count == 30) }
    #expect(again.damage == nil)
  }

  /// Opening removes suites without entries, and any call of SQLite fails, even after the commit is
  /// finished: what is stored in the suite later is found.
  @Test(arguments: DiskDurability.allCases, 1...40)
  func failedRemovalOfAnEmptySuiteLosesNothing(_ durability: DiskDurability, _ first: Int) throws {
    let folder = try ScratchFolder(isSmall: true)
    larder_faults_arm(0, 0, 0, 0)
    defer { larder_faults_arm(0, 0, 0, 0) }
    do {
      let cache = try open(folder, durability)
      for suite in ["s", ""] { try cache.set(Data([1]), for: "a", suite: suite) }
      try cache.remove("a", suite: "s")
      try cache.close()
    }
    let kinds = LARDER_FAULT_WRITE | LARDER_FAULT_SYNC | LARDER_FAULT_TRUNCATE | LARDER_FAULT_SIZE
    larder_faults_arm(Int32(kinds), first, 1, 0)
    let cache = try? open(folder, durability)
    larder_faults_arm(0, 0, 0, 0)
    guard let cache else { return }
    try cache.set(Data([2]), for: "a", suite: "s")
    try cache.close()
    folder.removeSnapshot()
    let again = try open(folder, durability)
    #expect(try again.value(for: "a", suite: "s") == Data([2]) && again.damage == nil)
    #expect(again.count == 2)
  }

  /// A row that a removal could not delete is gone after the next call that removes, even if that
  /// finds nothing to remove, and also between its steps.
  @Test(arguments: [DiskDurability.normal, .full], [false, true])
  func laterRemovalDeletesWhatAnEarlierOneCouldNot(
    _ durability: DiskDurability, _ isBetweenSteps: Bool
  ) throws {
    let folder = try ScratchFolder(isSmall: true)
    larder_faults_arm(0, 0, 0, 0)
    defer { larder_faults_arm(0, 0, 0, 0) }
    let cache = try open(folder, durability)
    for key in 0..<4 { try cache.set(Data([1]), for: "\(key)") }
    larder_faults_arm(Int32(LARDER_FAULT_WRITE), 1, .max / 2, 13)
    #expect(throws: DiskCacheError.self) { try cache.remove("2") }
    larder_faults_arm(0, 0, 0, 0)
    let removal = try cache.beginRemoval(suite: "x", includingPermanent: true, removesCopy: false)
    if isBetweenSteps {
      #expect(try cache.withCore { (core) throws(DiskCacheError) in try core.step(removal) })
      #expect(try !cache.remove("2"))
    } else {
      _ = try cache.finish(removal)
    }
    let copy = folder.path + ".copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
    let again = try BlockingDiskCache(
      path: copy,
      configuration: DiskConfiguration(limits: DiskLimits(bytes: nil), durability: durability))
    #expect(try again.count == 3 && !again.contains("2"))
  }
}
