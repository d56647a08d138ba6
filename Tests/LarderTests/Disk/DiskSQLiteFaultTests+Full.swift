import CSQLiteFaults
import Foundation
import Testing

@testable import Larder

/// A temporarily full disk: the result of each operation, and that the cache works again.
extension DiskSQLiteFaultTests {
  private func fillDisk() {
    larder_faults_arm(Int32(LARDER_FAULT_WRITE | LARDER_FAULT_SHARED), 1, .max, 13)
  }

  private func emptyDisk() { larder_faults_arm(0, 0, 0, 0) }

  /// A cache over a copy of a folder.
  private struct Copy {
    var folder: ScratchFolder
    var cache: BlockingDiskCache
  }

  /// Opens a copy of a folder, as after a kill of its process now.
  private func afterKill(_ folder: ScratchFolder) throws -> Copy {
    let copy = try ScratchFolder(isSmall: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name != "lock" {
      try FileManager.default.copyItem(
        atPath: folder.path + "/" + name, toPath: copy.path + "/" + name)
    }
    return Copy(folder: copy, cache: try open(copy, .normal))
  }

  enum GivingUp: CaseIterable { case remove, removeAll, trim, removeExpired }

  @Test(arguments: GivingUp.allCases, DiskDurability.allCases)
  func aCacheThatWasEmptiedOnAFullDiskWorksAgain(
    call: GivingUp, durability: DiskDurability
  ) throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { emptyDisk() }
    let cache = try open(folder, durability)
    let life: Duration = call == .removeExpired ? .zero : .seconds(1_000)
    try cache.set(bytes(500, 1), for: "a", options: DiskStoreOptions(timeToLive: life))
    try cache.flush()
    fillDisk()
    // An operation that leaves no entry needs no space: no error.
    switch call {
    case .remove: #expect(try cache.remove("a"))
    case .removeAll: #expect(try cache.removeAll().count == 1)
    case .trim: #expect(try cache.trim(bytes: 0).count == 1)
    case .removeExpired: #expect(try cache.removeExpired().count == 1)
    }
    if durability == .none { try cache.flush() }
    #expect(larder_faults_failures() > 0)
    #expect(cache.count == 0 && cache.valueBytes == 0)
    #expect(throws: DiskCacheError.self) {
      try cache.set(bytes(500, 2), for: "b")
      try cache.flush()
    }
    emptyDisk()
    #expect(try cache.value(for: "a") == nil)
    try cache.set(bytes(500, 3), for: "b", suite: "suite")
    try cache.set(bytes(4_000, 3), for: "c", suite: "suite")
    #expect(try cache.value(for: "b", suite: "suite") == bytes(500, 3))
    try cache.flush()
    let copy = try afterKill(folder)
    #expect(try copy.cache.value(for: "a") == nil)
    #expect(try copy.cache.value(for: "b", suite: "suite") == bytes(500, 3))
    #expect(try copy.cache.value(for: "c", suite: "suite") == bytes(4_000, 3))
    #expect(copy.cache.statistics.damages == 0 && copy.cache.statistics.rebuilds == 0)
    try cache.close()
  }

  @Test(arguments: [false, true])
  func closingOnAFullDiskReleasesTheFolder(isEmptied: Bool) throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { emptyDisk() }
    let cache = try open(folder, .none)
    try cache.set(bytes(500, 1), for: "a")
    if isEmptied { try cache.flush() }
    fillDisk()
    if isEmptied {
      try cache.removeAll()
      try? cache.flush()
    }
    try? cache.close()
    emptyDisk()
    #expect(throws: DiskCacheError.closed(path: folder.path)) { try cache.value(for: "a") }
    // The object still exists, but the folder is free.
    let again = try open(folder, .none)
    try again.set(bytes(500, 2), for: "b")
    #expect(try again.value(for: "b") == bytes(500, 2))
    try again.close()
    try cache.close()
  }

  /// A failed set leaves an invalid row; acknowledged operations after it survive a crash.
  @Test(arguments: [DiskDurability.normal, .full], [300, 4_000])
  func removalAfterAFailedSetIsDurable(durability: DiskDurability, size: Int) throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { emptyDisk() }
    let cache = try open(folder, durability)
    try cache.set(bytes(size, 1), for: "k")
    try cache.set(bytes(300, 2), for: "other")
    fillDisk()
    #expect(throws: DiskCacheError.self) { try cache.set(bytes(size, 3), for: "k") }
    #expect(try cache.value(for: "k") == nil)
    #expect(throws: DiskCacheError.self) { try cache.remove("k") }
    emptyDisk()
    #expect(try !cache.remove("k"))
    #expect(try cache.value(for: "k") == nil)
    let copy = try afterKill(folder)
    #expect(try copy.cache.value(for: "k") == nil)
    #expect(try copy.cache.value(for: "other") == bytes(300, 2))
    try cache.close()
  }

  /// A suite that was never stored in has no entries; removing from it is still a removal that
  /// succeeds.
  @Test func removalInAnUnknownSuiteMakesEarlierDeletionsDurable() throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { emptyDisk() }
    let cache = try open(folder, .normal)
    try cache.set(bytes(300, 1), for: "k")
    try cache.set(bytes(300, 2), for: "other")
    fillDisk()
    #expect(throws: DiskCacheError.self) { try cache.set(bytes(300, 3), for: "k") }
    #expect(throws: DiskCacheError.self) { try cache.remove("a", suite: "unknown") }
    emptyDisk()
    #expect(try !cache.remove("a", suite: "unknown"))
    #expect(try afterKill(folder).cache.value(for: "k") == nil)
    try cache.close()
  }

  /// A set that fails once, and whose failure leaves room, is durable without another call.
  @Test(arguments: [false, true])
  func failedSetDeletesTheOldValueIfPossible(isCodecNew: Bool) throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { emptyDisk() }
    let cache = try open(folder, .normal)
    try cache.set(bytes(300, 1), for: "k")
    larder_faults_arm(Int32(LARDER_FAULT_WRITE), 1, 1, 13)
    #expect(throws: DiskCacheError.self) {
      if isCodecNew { try cache.set("3", for: "k", suite: "", codec: .text) }
      try cache.set(bytes(300, 3), for: "k")
    }
    emptyDisk()
    #expect(try cache.value(for: "k") == nil)
    #expect(try afterKill(folder).cache.value(for: "k") == nil)
    try cache.close()
  }

  /// Removing another codec's values on a full disk may start an empty database, which has no
  /// suites: the value is stored in its own, or the set throws.
  @Test func valueThatReplacesAnotherCodecsIsFoundAgain() throws {
    defer { emptyDisk() }
    var stored = 0
    for failures in 1...12 {
      let folder = try ScratchFolder(isSmall: true)
      let cache = try open(folder, .normal)
      try cache.set("1", for: "k", suite: "s", codec: .text)
      larder_faults_arm(Int32(LARDER_FAULT_WRITE), 1, failures, 13)
      let isStored = try? cache.set([2], for: "k", suite: "s", codec: .json)
      emptyDisk()
      let value = isStored == true ? [2] : nil
      stored += value == nil ? 0 : 1
      #expect(try cache.value(for: "k", suite: "s", codec: .json) == value, "\(failures)")
      try cache.close()
      let again = try open(folder, .normal)
      #expect(try again.value(for: "k", suite: "s", codec: .json) == value, "\(failures)")
      #expect(again.statistics.rebuilds == 0 && again.statistics.damages == 0, "\(failures)")
    }
    #expect(stored > 0)
  }

  /// Creating a suite, or recording its codec, commits grouped writes; if that fails, none of them
  /// counts as stored, and their removals are repeated.
  @Test(arguments: [false, true]) func failedSuiteLosesGroupedWrites(isCodecNew: Bool) throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { emptyDisk() }
    let cache = try open(folder, .none)
    try cache.set(bytes(300, 1), for: "old")
    try cache.flush()
    try cache.set(bytes(300, 1), for: "a")
    try cache.remove("old")
    fillDisk()
    #expect(throws: DiskCacheError.self) {
      if isCodecNew { try cache.set("2", for: "b", suite: "", codec: .text) }
      try cache.set(bytes(300, 2), for: "b", suite: "s")
    }
    emptyDisk()
    #expect(try cache.value(for: "a") == nil)
    #expect(cache.count == 0 && cache.statistics.damages == 0)
    try cache.set(bytes(300, 2), for: "c")
    try cache.flush()
    #expect(try rows(cache) == 1 && cache.remove("c"))
    try cache.set(bytes(300, 3), for: "b", suite: "s")
    try cache.close()
    let again = try open(folder, .none)
    #expect(try again.value(for: "b", suite: "s") == bytes(300, 3))
    #expect(again.count == 1 && again.statistics.damages == 0)
    try again.close()
  }
}
