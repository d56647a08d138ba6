import LarderEngine
import Synchronization

/// Keys that the origin does not have, remembered for a while. Every change of a key requires its
/// stripe's lock: no request learns of an absence after a value of the key was stored.
final class HybridAbsences<Key: DiskKeyRepresentable>: Sendable {
  private let cache = AtomicLazyReference<MemoryCache<Key, Bool>>()
  private let configuration: MemoryCacheConfiguration

  init(_ memory: MemoryCacheConfiguration?, _ clock: any CacheClock) {
    var wanted = memory ?? MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 1))
    wanted.clock = clock
    configuration = wanted.ofAbsences
  }

  func insert(_ key: Key, for life: Duration) {
    guard life > .zero, let cache = cache.load() ?? made() else { return }
    cache.set(true, for: key, timeToLive: life)
  }

  private func made() -> MemoryCache<Key, Bool>? {
    // The count was checked with the memory tier's configuration.
    (try? MemoryCache(configuration)).map { cache.storeIfNil($0) }
  }

  func contains(_ key: Key) -> Bool { cache.load()?.value(for: key) ?? false }

  func remove(_ key: Key) { cache.load()?.remove(key) }

  func removeAll() { _ = cache.load()?.removeAll() }
}
