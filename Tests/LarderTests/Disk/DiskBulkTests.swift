import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Operations on several keys, on disk and in hybrid caches, and the keys of a disk cache.
@Suite struct DiskBulkTests {
  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1_000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    segmentBytes: Int? = nil, encryption: DiskEncryption? = nil, entries: Int = 100
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: nil, count: entries, freeBytes: 0),
        durability: .none, inlineBytesMax: 50, segmentBytes: segmentBytes, encryption: encryption),
      clock: clock)
  }

  @Test func keysAreThoseThatGetsFind() throws {
    let cache = try cache()
    #expect(try cache.keys() == [])
    let odd = [
      "", "a/b", "\u{0}x", "\u{E9}", "e", "🙂", String(repeating: "k", count: 5_000),
    ]
    for (number, key) in odd.enumerated() {
      try cache.set(Data(count: number * 30), for: key)
      try cache.set(Data(count: 3), for: "other \(number)", suite: "s")
    }
    func bytes(_ keys: [String]) -> Set<[UInt8]> { Set(keys.map { Array($0.utf8) }) }
    #expect(try bytes(cache.keys()) == bytes(odd) && cache.keys().count == odd.count)
    #expect(try Set(cache.keys(suite: "s")) == Set(odd.indices.map { "other \($0)" }))
    #expect(try cache.keys(suite: "no such suite") == [])
    let counted = cache.statistics
    try cache.remove("a/b")
    try cache.set(Data(count: 9), for: "🙂")
    try cache.set(Data(count: 1), for: "brief", options: DiskStoreOptions(timeToLive: .seconds(2)))
    try cache.set(Data(count: 1), for: "kept", options: DiskStoreOptions(isPermanent: true))
    clock.advance(seconds: 5)
    let now = try bytes(cache.keys())
    #expect(now == bytes(odd.filter { $0 != "a/b" } + ["kept"]))
    #expect(cache.statistics.hits == counted.hits && cache.statistics.misses == counted.misses)
    // After a restart, too.
    try cache.close()
    #expect(throws: DiskCacheError.self) { try cache.keys() }
    #expect(try bytes(self.cache().keys()) == now)
  }

  @Test func evictedKeysAreGone() throws {
    let cache = try cache(entries: 5)
    for key in 0..<20 { try cache.set(Data(count: 90), for: "\(key)") }
    #expect(try Set(cache.keys()) == ["15", "16", "17", "18", "19"])
    try cache.removeAll()
    #expect(try cache.keys() == [])
  }

  @Test func segmentsHaveKeys() throws {
    let cache = try cache(segmentBytes: DiskConfiguration.segmentBytesRange.lowerBound)
    for key in 0..<9 { try cache.set(Data(count: 900), for: "\(key)") }
    #expect(try cache.keys().sorted() == (0..<9).map { "\($0)" })
  }

  @Test func encryptedKeysAreRead() throws {
    let cache = try cache(encryption: try DiskEncryption(key: Data(repeating: 7, count: 32)))
    for key in 0..<9 { try cache.set(Data(count: key * 20), for: "secret \(key)") }
    #expect(try cache.keys().sorted() == (0..<9).map { "secret \($0)" })
  }

  @Test func severalValuesAreStoredAndFound() throws {
    let cache = try cache()
    let values = Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", Data(count: $0 * 9)) })
    #expect(try cache.setAll(values, suite: "s") == 20)
    #expect(
      try cache.values(for: ["3", "none", "19"], suite: "s")
        == values.filter {
          ["3", "19"].contains($0.key)
        })
    #expect(try cache.values(for: ["3"]) == [:])
    #expect(cache.statistics.hits == 2 && cache.statistics.misses == 2)
    try cache.close()
    #expect(throws: DiskCacheError.self) { try cache.setAll(["a": Data()]) }
    #expect(throws: DiskCacheError.self) { try cache.values(for: ["a"]) }
  }

  @Test func hybridsStoreAndFindSeveral() async throws {
    let cache = try await HybridCache<String, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration(memory: 3, clock: clock))
    let values = Dictionary(uniqueKeysWithValues: (0..<10).map { ("\($0)", $0) })
    #expect(
      try await cache.setAll(values, options: DiskStoreOptions(timeToLive: .seconds(5))) == 10)
    #expect(try await cache.values(for: values.keys) == values)
    #expect(try await cache.values(for: ["x", "4"]) == ["4": 4])
    clock.advance(seconds: 6)
    #expect(try await cache.values(for: values.keys) == [:])
  }
}
