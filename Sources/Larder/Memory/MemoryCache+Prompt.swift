import LarderEngine

extension MemoryCache {
  /// Removes what has expired by now, of the entries that are due, and sets the alarm for the next
  /// ones. Amortised O(1) an entry; a shard is locked for 256 of them at a time.
  func removeDue() {
    guard let prompt else { return }
    let now = clock.nowMicroseconds
    for index in 0..<blocks.count {
      var due = withShard(index) { shard, _ in shard.takeDue(now: now) }[...]
      while !due.isEmpty {
        let part = due.prefix(256)
        due = due.dropFirst(256)
        _ = withShard(index) { shard, gone in shard.removeDue(part, now: now, &gone) }
      }
      let next = withShard(index) { shard, _ in shard.wheel?.nextInstant ?? .max }
      if next != .max { prompt.wake(at: next) }
    }
  }
}
