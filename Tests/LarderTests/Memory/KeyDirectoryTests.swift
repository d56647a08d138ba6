import Testing

@testable import Larder

@Suite struct KeyDirectoryTests {
  /// Hashes near the end wrap around; few different hashes collide often; a small directory has
  /// most ids outside their home buckets.
  @Test(arguments: [UInt32(1), 5, 1_000, .max], [1, 9, 20, 64])
  func behavesAsADictionaryForAllHashes(hashes: UInt32, objects: Int) {
    let directory = KeyDirectory(objects: objects)
    defer { directory.deallocate() }
    var model: [UInt32: UInt32] = [:]
    var random = TestRandom(seed: UInt64(hashes))
    func hash(_ id: UInt32) -> UInt32 {
      .max - UInt32(truncatingIfNeeded: UInt64(id) &* 0x9E37_79B9) % hashes
    }
    for _ in 0..<5_000 {
      let id = UInt32(1 + random.below(objects))
      if let known = model[id] {
        #expect(directory.find(known) { $0 == id } == id)
        let other = id | 1 << 31
        directory.replace(known, id, by: other)
        #expect(directory.find(known) { $0 == id } == 0)
        #expect(directory.find(known) { $0 == other } == other)
        directory.replace(known, other, by: id)
        directory.remove(known, id)
        model[id] = nil
      } else {
        #expect(directory.find(hash(id)) { $0 == id } == 0)
        directory.insert(hash(id), id)
        model[id] = hash(id)
      }
    }
    #expect(Set(directory.ids()) == Set(model.keys))
    for (id, hash) in model {
      #expect(directory.find(hash) { $0 == id } == id)
    }
  }

  /// With a single overflow count per bucket it would be 2.2 buckets, and each is a cache line.
  @Test func missingKeyIsDetectedInFewBuckets() {
    let objects = 10_000
    let directory = KeyDirectory(objects: objects)
    defer { directory.deallocate() }
    var random = TestRandom(seed: 1)
    func anyHash() -> UInt32 { UInt32(random.below(1 << 32)) }
    var hashes = (0..<objects).map { _ in anyHash() }
    for (index, hash) in hashes.enumerated() { directory.insert(hash, UInt32(index + 1)) }
    for _ in 0..<20 {
      for index in hashes.indices {
        let id = UInt32(index + 1)
        directory.remove(hashes[index], id)
        hashes[index] = anyHash()
        directory.insert(hashes[index], id)
      }
    }
    let searches = 10_000
    var seen = 0
    for _ in 0..<searches {
      let hash = anyHash()
      var bucket = directory.home(hash)
      seen += 1
      while KeyDirectory.passed(bucket, hash) > 0 {
        bucket = directory.next(bucket)
        seen += 1
      }
    }
    #expect(Double(seen) / Double(searches) < 1.4)
  }
}
