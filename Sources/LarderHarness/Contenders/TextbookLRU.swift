import Foundation
import Larder
import LarderEngine
import LarderSimulation

/// A dictionary, a linked list of nodes and one lock: what is written when a cache is needed by
/// tonight.
final class TextbookLRU: CacheUnderTest, @unchecked Sendable {
  private let lock = NSLock()
  private let entries: LinkedLRU<Data>
  private let clock: TraceClock

  /// An empty one.
  init(_ tier: TierSetup, _ setup: CacheSetup) {
    entries = LinkedLRU(tier)
    clock = setup.clock
  }

  func get(_ key: UInt64) -> CacheAnswer? {
    lock.lock()
    defer { lock.unlock() }
    return entries.get(key, now: clock.nowMicroseconds, { _ in }).map { CacheAnswer($0) }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) {
    lock.lock()
    defer { lock.unlock() }
    _ = entries.set(key, value, options, now: clock.nowMicroseconds, { _ in })
  }

  func remove(_ key: UInt64) {
    lock.lock()
    defer { lock.unlock() }
    entries.remove(key)
  }

  func usage() -> CacheUsage {
    lock.lock()
    defer { lock.unlock() }
    var usage = CacheUsage()
    usage.memoryEntries = entries.count
    usage.memoryWeight = entries.used
    return usage
  }

  func tierCounts() -> CacheTierCounts? {
    lock.lock()
    defer { lock.unlock() }
    var counts = CacheTierCounts()
    counts.memory = entries.counts
    return counts
  }

  func resetCounts() {
    lock.lock()
    defer { lock.unlock() }
    entries.counts = TierCounts()
  }
}

extension CacheContender {
  /// The LRU that everybody has written once.
  static let textbookLRU = CacheContender(
    name: "textbook-lru", summary: "A dictionary, a linked list of nodes and one lock: LRU",
    kinds: [.memory]
  ) { setup in
    guard case .memory(let tier) = setup.simulation.arrangement else {
      throw ExecutionError.kind(cache: "textbook-lru", kind: .disk)
    }
    return TextbookLRU(tier, setup)
  }
}
