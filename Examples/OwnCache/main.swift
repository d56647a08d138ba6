// Larder with a cache of your own: it takes `cache: oldest-out` in a workload file and measures
// this one beside all others.
//
//     cd Examples/OwnCache && swift run -c release OwnCache run own-cache.yaml

import Foundation
import LarderCommands
import LarderHarness
import Synchronization

/// The simplest cache that has a limit: what was stored first makes room for what comes next.
final class OldestOut: CacheUnderTest {
  private struct State {
    var entries: [UInt64: (value: Data, weight: UInt64, number: Int)] = [:]
    /// What was stored, the oldest first, from `oldest` on.
    var queue: [(key: UInt64, number: Int)] = []
    var oldest = 0
    var stored = 0
    var weight: UInt64 = 0

    mutating func remove(_ key: UInt64) {
      if let entry = entries.removeValue(forKey: key) { weight -= entry.weight }
    }

    mutating func evict() {
      let next = queue[oldest]
      oldest += 1
      // A key that was removed or replaced meanwhile has left its place in the queue behind.
      if entries[next.key]?.number == next.number { remove(next.key) }
      if oldest > 1000, oldest > queue.count / 2 {
        queue.removeFirst(oldest)
        oldest = 0
      }
    }
  }

  private let state = Mutex(State())
  private let capacity: UInt64

  init(capacity: UInt64) { self.capacity = capacity }

  func get(_ key: UInt64) -> CacheAnswer? {
    state.withLock { $0.entries[key].map { CacheAnswer($0.value) } }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) {
    let weight = UInt64(options.weight)
    state.withLock { state in
      state.remove(key)
      guard weight <= capacity else { return }
      while state.weight + weight > capacity { state.evict() }
      state.stored += 1
      state.entries[key] = (value, weight, state.stored)
      state.queue.append((key, state.stored))
      state.weight += weight
    }
  }

  func remove(_ key: UInt64) { state.withLock { $0.remove(key) } }

  /// Lets the harness check that the cache keeps to its capacity.
  func usage() -> CacheUsage {
    state.withLock { state in
      var usage = CacheUsage()
      usage.memoryEntries = state.entries.count
      usage.memoryWeight = state.weight
      return usage
    }
  }
}

LarderProgram.main(adding: [
  .cache(
    CacheContender(
      name: "oldest-out", summary: "A dictionary and a queue behind one lock.", kinds: [.memory]
    ) { setup in OldestOut(capacity: setup.memoryCapacity) })
])
