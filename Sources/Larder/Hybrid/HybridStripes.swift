/// All stripes of a cache.
///
/// Under rules that move what memory evicts, a stripe is what one shard of memory holds. A victim
/// then belongs to the same stripe as what it made room for, and nobody can come between its
/// eviction and its arrival on disk.
final class HybridStripes<Key: DiskKeyRepresentable, Value: Sendable>: @unchecked Sendable {
  private(set) var all: [HybridStripe<Key, Value>] = []
  private var hasher = KeyHasher(.standard)

  /// Makes them; before that nothing may be asked. `count` is a power of two.
  func make(count: Int, _ hasher: KeyHasher) {
    self.hasher = hasher
    all = (0..<count).map { _ in HybridStripe() }
  }

  /// The stripe of a key.
  subscript(key: Key) -> HybridStripe<Key, Value> { all[number(key)] }

  /// The number of a key's stripe.
  func number(_ key: Key) -> Int { Int(truncatingIfNeeded: hasher.hash(key)) & (all.count - 1) }
}
