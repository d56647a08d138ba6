import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Fingerprints of keys in sketches.
@Suite struct KeyFingerprintsTests {
  @Test func aTracesKeysHaveItsFingerprints() {
    for id in [1, 9, 10, 255, 70_000, ObjectID.max] {
      let expected = Request.fingerprint(of: id)
      let ids = KeyHasher(.standard, .objectIDs)
      #expect(ids.fingerprint(UInt64(id), 0) == expected)
      #expect(ids.fingerprint(id, 0) == expected)
      #expect(ids.fingerprint("object \(id)", 0) == expected)
      let spread = KeyHasher(.fast, .spreadObjectIDs)
      #expect(spread.fingerprint(id.spread, 0) == expected)
      #expect(KeyFingerprints.spreadObjectIDs.fingerprint(text: "\(id.spread)".utf8) == expected)
    }
  }

  @Test func otherFingerprintsArePartsOfTheHash() {
    let hasher = KeyHasher(.seeded(7))
    #expect(hasher.fingerprint("a", 0x1234_5678_9ABC_DEF0) == 0x9ABC_DEF0)
    // With seed 0 the hash of a small number is that of the object with this id.
    let plain = KeyHasher(.seeded(0))
    #expect(plain.fingerprint(41, plain.hash(41)) == Request.fingerprint(of: 41))
  }

  /// A sketch recognises a key after everything about it was removed, so its fingerprint is not
  /// that of its id, which belongs to another key by then.
  @Test func memoryKnowsKeysWhoseIDsAreGone() throws {
    let cache = try MemoryCache<String, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 2), policy: "tinylfu", shards: 1))
    for _ in 0..<5 { cache.set(1, for: "wanted") }
    cache.remove("wanted")
    #expect(cache.set(2, for: "other") && cache.set(3, for: "another"))
    #expect(!cache.set(4, for: "new"))
    #expect(cache.set(5, for: "wanted"))
  }

  @Test func diskKnowsKeysAfterARestart() throws {
    let folder = try ScratchFolder()
    func open() throws -> BlockingDiskCache {
      try BlockingDiskCache(
        path: folder.path,
        configuration: DiskConfiguration(
          policy: "tinylfu", limits: DiskLimits(bytes: nil, count: 2, freeBytes: 0)))
    }
    let first = try open()
    try first.set(Data([1]), for: "wanted")
    for _ in 0..<5 { #expect(try first.value(for: "wanted") != nil) }
    try first.close()
    let second = try open()
    try second.remove("wanted")
    #expect(try second.set(Data([2]), for: "other") && second.set(Data([3]), for: "another"))
    #expect(try !second.set(Data([4]), for: "new"))
    #expect(try second.set(Data([5]), for: "wanted"))
  }
}
