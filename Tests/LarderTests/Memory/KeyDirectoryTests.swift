import Testing

@testable import Larder

@Suite struct KeyDirectoryTests {
  @Test func behavesAsADictionaryWhateverTheHashes() {
    // Hashes near the end wrap around; few of them collide often.
    for hashes in [UInt32(1), 5, 1_000, .max] {
      var directory = KeyDirectory(objects: 64)
      var model: [UInt32: UInt32] = [:]
      var random = TestRandom(seed: UInt64(hashes))
      func hash(_ id: UInt32) -> UInt32 {
        .max - UInt32(truncatingIfNeeded: UInt64(id) &* 0x9E37_79B9) % hashes
      }
      for _ in 0..<20_000 {
        let id = UInt32(1 + random.below(64))
        if let known = model[id] {
          #expect(directory.find(known) { $0 == id } == id)
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
  }
}
