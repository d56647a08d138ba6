import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Values appended to segments: the same cache as with files, in fewer files.
@Suite(.endsInTime) struct DiskSegmentTests {
  static let segmentBytes = 64 << 10
  let folder: ScratchFolder
  let files = FaultyFiles()

  init() throws { folder = try ScratchFolder(isSmall: true) }

  func open(
    _ segmentBytes: Int? = segmentBytes, durability: DiskDurability = .normal,
    limits: DiskLimits = DiskLimits(bytes: nil, freeBytes: 0), encryption: DiskEncryption? = nil
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: limits, durability: durability, inlineBytesMax: 100, segmentBytes: segmentBytes,
        groupWrites: 7, encryption: encryption),
      clock: ManualClock(), files: files)
  }

  func bytes(_ count: Int, _ seed: Int = 0) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 ^ $0 >> 8) })
  }

  func segments() throws -> [String] { try folder.valueFiles().filter { $0.contains("/files/s") } }

  private func fileBytes() throws -> Int {
    try folder.valueFiles().reduce(0) { sum, path in
      sum + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
    }
  }

  @Test(arguments: [false, true])
  func segmentsKnowTheirEntries(isReopened: Bool) throws {
    var cache = try open(limits: DiskLimits(bytes: 1 << 20, freeBytes: 0))
    var random = TestRandom(seed: 5)
    for number in 0..<400 {
      try cache.set(bytes(5_000 + random.below(9_000), number), for: "\(random.below(150))")
    }
    if isReopened {
      try cache.close()
      cache = try open(limits: DiskLimits(bytes: 1 << 20, freeBytes: 0))
    }
    #expect(isReopened || cache.statistics.bytesMoved > 0)
    let core = cache.core
    var bySegment: [UInt64: Set<ObjectID>] = [:]
    for (id, slot) in core.slots.enumerated() where slot.isStored {
      let place = try #require(SegmentPlace(slot.file))
      bySegment[place.segment, default: []].insert(ObjectID(id))
    }
    for (segment, ids) in bySegment {
      let known = core.folder.values.segments.ids(in: segment)
      #expect(Set(known).isSuperset(of: ids))
      #expect(known.count <= Self.segmentBytes / 4_096)
    }
  }

  @Test(arguments: DiskDurability.allCases)
  func valuesShareFilesAndSurviveReopening(durability: DiskDurability) throws {
    let cache = try open(durability: durability)
    for number in 0..<20 { try cache.set(bytes(12_000, number), for: "\(number)") }
    try cache.set(bytes(100_000), for: "larger than a segment")
    #expect(try segments().count == 4 && folder.valueFiles().count == 5)
    #expect(cache.writes.files == 340_000 && cache.statistics.bytesMoved == 0)
    let pages = 20 * 12_288
    #expect(cache.usage.files == UInt64(pages) + 100_000)
    try cache.close()
    let again = try open(durability: durability)
    for number in 0..<20 {
      #expect(try again.value(for: "\(number)") == bytes(12_000, number))
    }
    #expect(try again.value(for: "larger than a segment") == bytes(100_000))
    #expect(again.usage.files == UInt64(pages) + 100_000)
    #expect(again.statistics.damages == 0 && again.usage.spare == 0)
    #expect(try again.value(for: "3") == bytes(12_000, 3))
  }

  /// Half of the keys stay, so that no segment becomes free without copies.
  private func churn(_ cache: BlockingDiskCache, _ check: (Int) throws -> Void) throws -> [Int: Int]
  {
    var random = TestRandom(seed: 5)
    var versions: [Int: Int] = [:]
    for step in 0..<600 {
      let key = step < 40 ? step : random.below(20) * 2
      if step > 40, random.below(10) == 0 {
        try cache.remove("\(key)")
        versions[key] = nil
      } else {
        try cache.set(bytes(9_000, step), for: "\(key)")
        versions[key] = step
      }
      try check(versions.count)
    }
    return versions
  }

  @Test(arguments: [DiskDurability.none, .normal])
  func deadBytesAreBounded(durability: DiskDurability) throws {
    let cache = try open(durability: durability)
    let versions = try churn(cache) { values in
      let live = values * 12_288
      // With `none` up to seven operations wait for their commit.
      let waiting = durability == .none ? 2 * 7 * 12_288 : 0
      let bytes = try fileBytes()
      #expect(bytes <= live + live / 3 + 4 * Self.segmentBytes + waiting)
      #expect(cache.usage.files + cache.usage.spare >= UInt64(bytes))
    }
    let said = cache.statistics
    #expect(said.bytesMoved > 0 && said.evictions == 0 && said.damages == 0)
    // Copies are at most twice the written bytes at this share of dead bytes.
    #expect(said.bytesMoved < 2 * said.bytesWritten)
    #expect(cache.writes.files == said.bytesWritten + said.bytesMoved)
    for (key, step) in versions { #expect(try cache.value(for: "\(key)") == bytes(9_000, step)) }
    try cache.close()
    let again = try open()
    #expect(again.count == versions.count)
    for (key, step) in versions { #expect(try again.value(for: "\(key)") == bytes(9_000, step)) }
    try again.removeAll()
    #expect(try folder.valueFiles() == [])
    #expect(again.usage.files == 0 && again.usage.spare == 0)
  }

  @Test func encryptedValuesAreCopiedAndOpened() throws {
    let key = try DiskEncryption(key: Data(repeating: 7, count: 32))
    let cache = try open(encryption: key)
    let versions = try churn(cache) { _ in }
    #expect(cache.statistics.bytesMoved > 0 && cache.statistics.damages == 0)
    try cache.close()
    let again = try open(encryption: key)
    for (key, step) in versions { #expect(try again.value(for: "\(key)") == bytes(9_000, step)) }
    #expect(again.statistics.damages == 0)
  }

  @Test func copiedEntriesKeepTheirMetadata() throws {
    let cache = try open(limits: DiskLimits(bytes: nil, age: nil, freeBytes: 0))
    let options = DiskStoreOptions(
      timeToLive: .seconds(900), version: "v", contentType: "t", fetchCost: 3)
    try cache.set(bytes(9_000, 1), for: "stays", options: options)
    let before = try #require(try cache.entry(for: "stays"))
    for step in 0..<4 { try cache.set(bytes(9_000, step), for: "other") }
    try cache.set(bytes(9_000, 2), for: "permanent", options: DiskStoreOptions(isPermanent: true))
    try fillUnevenly(cache)
    #expect(cache.statistics.bytesMoved >= 18_000)
    #expect(try cache.entry(for: "stays") == before)
    #expect(try cache.renew("stays", version: "w"))
    try cache.close()
    let again = try open()
    #expect(try again.entry(for: "stays")?.metadata.version == "w")
    #expect(try again.entry(for: "permanent")?.metadata.isPermanent == true)
  }

  /// Policies do not know where values are stored.
  @Test func policiesDecideTheSameAsWithFiles() throws {
    var said: [TierStatistics] = []
    for segmentBytes in [nil, Self.segmentBytes] {
      let cache = try open(segmentBytes, limits: DiskLimits(bytes: 200_000, freeBytes: 0))
      var random = TestRandom(seed: 9)
      for step in 0..<800 {
        let key = "\(random.below(60))"
        if try cache.value(for: key) == nil { try cache.set(bytes(4_000 + step, step), for: key) }
      }
      var statistics = cache.statistics
      #expect((statistics.bytesMoved > 0) == (segmentBytes != nil))
      statistics.bytesMoved = 0
      said.append(statistics)
      try cache.removeAll()
      try cache.close()
    }
    #expect(said[0] == said[1] && said[0].evictions > 100)
  }

  @Test func foldersOfEitherKindOpen() throws {
    let first = try open(nil)
    for number in 0..<10 { try first.set(bytes(9_000, number), for: "\(number)") }
    try first.close()
    let second = try open()
    for number in 5..<15 { try second.set(bytes(9_000, number + 1), for: "\(number)") }
    #expect(try segments().count == 2)
    try second.close()
    let third = try open(nil)
    for number in 0..<15 {
      #expect(
        try third.value(for: "\(number)") == bytes(9_000, number < 5 ? number : number + 1))
    }
    // Dead segments are freed, and live values become files.
    for number in 5..<13 { try third.set(bytes(9_000, number), for: "\(number)") }
    #expect(try segments() == [] && third.statistics.bytesMoved == 45_000)
    for number in 5..<15 {
      #expect(
        try third.value(for: "\(number)") == bytes(9_000, number < 13 ? number : number + 1))
    }
    try third.removeAll()
    #expect(try folder.valueFiles() == [])
  }

  /// Fills the open segment, and leaves one live value of twelve more, so that the oldest segments
  /// are recycled.
  func fillUnevenly(_ cache: BlockingDiskCache) throws {
    for group in 0..<12 {
      for step in 0..<4 { try cache.set(bytes(9_000, step), for: "other") }
      try cache.set(bytes(9_000, group), for: "group \(group)")
    }
  }

  /// Leaves a fifth of four segments live, which exceeds the permitted waste.
  func wear(_ cache: BlockingDiskCache) throws {
    for number in 0..<20 { try cache.set(bytes(12_000, number), for: "\(number)") }
    for number in 0..<20 where number % 5 != 0 {
      try cache.set(bytes(12_000, number + 1), for: "\(number)")
    }
  }

  func checkWorn(_ cache: BlockingDiskCache) throws {
    for number in 0..<20 {
      let value = bytes(12_000, number % 5 == 0 ? number : number + 1)
      #expect(try cache.value(for: "\(number)") == value)
    }
  }

  @Test func segmentsMayBecomeSmaller() throws {
    var cache = try open(256 << 10)
    for number in 0..<60 { try cache.set(bytes(5_000, number), for: "\(number)") }
    try cache.close()
    cache = try open(8 << 10)
    for number in 30..<60 { try cache.set(bytes(5_000, number + 1), for: "\(number)") }
    for number in 0..<60 {
      let value = bytes(5_000, number < 30 ? number : number + 1)
      #expect(try cache.value(for: "\(number)") == value)
    }
    // A segment holds one value: a replaced one leaves nothing to copy.
    let moved = cache.statistics.bytesMoved
    for number in 30..<60 { try cache.set(bytes(5_000, number + 1), for: "\(number)") }
    #expect(cache.statistics.bytesMoved == moved)
    // Two pages each, plus a third and some segments.
    #expect(try fileBytes() < 60 * 8_192 * 4 / 3 + (256 << 10) + 6 * 8_192)
    try cache.close()
  }

  @Test func strayFilesNamedLikeSegmentsAreRemoved() throws {
    try open().close()
    for name in ["s1", "s01", "sx", "sffffffffffffffff", "s+1"] {
      try bytes(10).write(to: URL(fileURLWithPath: "\(folder.path)/files/\(name)"))
    }
    let cache = try open()
    #expect(try folder.valueFiles() == [])
    try cache.set(bytes(9_000), for: "a")
    #expect(try cache.value(for: "a") == bytes(9_000))
  }

  /// The value's segment is recycled between the two halves of a get, which is repeated.
  @Test func aValueIsReadWhileItsSegmentIsRecycled() throws {
    let core = try DiskCore(
      path: folder.path,
      DiskConfiguration(
        limits: DiskLimits(bytes: nil, freeBytes: 0), inlineBytesMax: 100,
        segmentBytes: Self.segmentBytes),
      clock: ManualClock(), files: files)
    func set(_ key: String, _ value: Data) throws {
      try Data(key.utf8).withUnsafeBytes { key in
        try value.withUnsafeBytes { value in
          let isStored = try core.set(key, suite: "", value, DiskStoreOptions())
          #expect(isStored)
        }
      }
    }
    for number in 0..<20 { try set("\(number)", bytes(12_000, number)) }
    try Data("0".utf8).withUnsafeBytes { key in
      guard case .file(let reading) = try core.get(key, suite: 0, expired: .removed) else {
        Issue.record("not in a file")
        return
      }
      for number in 0..<20 where number % 5 != 0 { try set("\(number)", bytes(12_000)) }
      #expect(core.statistics.bytesMoved >= 12_000)
      // The segment is removed, but not overwritten while it is being read.
      let value = try reading.value()
      #expect(value == nil)
      guard case nil = try core.finish(reading, .success(value), key, suite: 0) else {
        Issue.record("not looked for again")
        return
      }
      guard case .file(let second) = try core.get(key, suite: 0, expired: .removed) else {
        Issue.record("lost")
        return
      }
      let found = try second.value()
      #expect(found == bytes(12_000, 0))
      core.folder.values.unpin(second.file)
    }
    #expect(core.statistics.damages == 0)
    try core.close()
  }

  @Test(arguments: [0, 4_095, (1 << 30) + 1])
  func segmentSizesAreBounded(bytes: Int) throws {
    #expect { _ = try open(bytes) } throws: {
      "\($0)".contains("segmentBytes \(bytes) is out of range")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }
}
