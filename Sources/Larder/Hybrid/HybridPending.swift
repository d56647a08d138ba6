import LarderEngine

/// What a cache that writes back has to see to: keys that memory has evicted, and how many entries
/// wait since when.
final class HybridPending<Key: Sendable>: Sendable {
  private struct State {
    var evicted: [Key] = []
    var waiting = 0
    var order: UInt64 = 0
    var oldest: UInt64?
  }

  private let state = Locked(State())

  /// Memory has evicted a key.
  func note(_ key: Key) { state.withLock { $0.evicted.append(key) } }

  /// An entry begins to wait; its place in the order.
  func add(now: UInt64, isNew: Bool) -> UInt64 {
    state.withLock { state in
      if isNew { state.waiting += 1 }
      if state.oldest == nil { state.oldest = now }
      state.order += 1
      return state.order
    }
  }

  /// An entry does not wait any more.
  func remove() {
    state.withLock { state in
      state.waiting -= 1
      if state.waiting == 0 { state.oldest = nil }
    }
  }

  /// The keys that memory has evicted since this was asked last, and whether everything is due.
  func due(
    entriesMax: Int, intervalMicroseconds: UInt64?, now: UInt64
  ) -> (evicted: [Key], everything: Bool) {
    state.withLock { state in
      var isDue = state.waiting >= entriesMax
      if let interval = intervalMicroseconds, let oldest = state.oldest, now >= oldest {
        isDue = isDue || now - oldest >= interval
      }
      defer { state.evicted = [] }
      return (state.evicted, isDue)
    }
  }

  /// How many entries wait.
  var waiting: Int { state.withLock { $0.waiting } }
}
