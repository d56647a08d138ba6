import LarderEngine

/// An entry of a memory cache with its metadata.
public struct MemoryCacheEntry<Key: Sendable, Value: Sendable>: Sendable {
  /// The key.
  public var key: Key
  /// The value.
  public var value: Value
  /// Weight against the limit; 1 if the cache keeps no weights.
  public var weight: Int
  /// Time of storing by the cache's clock, kept to a little more than a second (2^20 microseconds):
  /// up to that much earlier. Nil for an entry that is being reloaded.
  public var created: CacheInstant?
  /// Expiry by the cache's clock, unless the entry is accessed before if idle entries expire; nil
  /// for never.
  public var expires: CacheInstant?
  /// True if cleaning skips the entry.
  public var isPermanent: Bool
}

extension MemoryCache {
  /// Entries that have not expired, with their metadata, unordered. Some hundred are copied when
  /// the loop reaches them, so a loop may change the cache. Not counted as accesses. O(entries).
  ///
  ///     let largest = cache.entries.max { $0.weight < $1.weight }
  public var entries: some Sequence<MemoryCacheEntry<Key, Value>> {
    sequence(state: (shard: 0, walk: ShardWalk(), entries: [MemoryCacheEntry<Key, Value>]())) {
      state in
      while state.entries.isEmpty, state.shard < self.blocks.count {
        let part = self.withShard(state.shard) { shard, _ in
          state.walk.part(of: Int(shard.highest) + 1).map {
            shard.entries($0, now: self.clock.time)
          }
        }
        state.entries = part ?? []
        if part == nil { (state.shard, state.walk) = (state.shard + 1, ShardWalk()) }
      }
      return state.entries.popLast()
    }
  }

  /// Removes the entries, expired or not, for which `isRemoved` returns true, permanent ones only
  /// if `includingPermanent`, and returns their number.
  ///
  ///     cache.remove { key, _ in key.hasPrefix("user/17/") }
  ///
  /// Running loads are not stored, and remembered missing values are forgotten. `isRemoved` is
  /// called with a lock held, and must be short and not call the cache, which traps in debug
  /// builds. If it throws, the entries removed so far stay removed. O(entries).
  @discardableResult public func remove<Failure: Error>(
    includingPermanent: Bool = false, where isRemoved: (Key, Value) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    var count = 0
    defer { loads.absences?.removeAll() }
    for index in 0..<blocks.count {
      forgetLoads(ofShard: index)
      var walk = ShardWalk()
      while let part = try remove(ofShard: index, &walk, includingPermanent, isRemoved) {
        count += part
      }
    }
    return count
  }

  private func remove<Failure: Error>(
    ofShard index: Int, _ walk: inout ShardWalk, _ includingPermanent: Bool,
    _ isRemoved: (Key, Value) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    var gone = EvictedEntries<Key, Value>(isHeard: events.isActive, handing: handing)
    var removed: [Key] = []
    // Destroyed after the lock is released: a deinitialiser may call the cache.
    var kept: [(key: Key, value: Value)] = []
    var failure: Failure?
    blocks.lock(index)
    let ids = walk.part(of: Int(blocks.shard(index).pointee.highest) + 1)
    for id in ids ?? 0..<0 {
      guard let entry = blocks.shard(index).pointee.resident(id, includingPermanent) else {
        continue
      }
      var (isChosen, isReleased) = (false, false)
      do throws(Failure) {
        isChosen = try ForeignCall.run(
          of: blocks.base, bytes: blocks.bytes, holding: blocks.lock(at: index),
          isReleased: &isReleased
        ) { () throws(Failure) in try isRemoved(entry.key, entry.value) }
      } catch {
        failure = error
      }
      if isReleased {
        blocks.lock(index)
        kept.append(entry)
      }
      if failure != nil { break }
      if isChosen, blocks.shard(index).pointee.remove(id, of: isReleased ? entry.key : nil, &gone) {
        removed.append(entry.key)
      }
    }
    blocks.unlock(index)
    gone.finish(events, onEviction)
    for key in removed {
      let hash = hasher.hash(key)
      if events.watchesChanges(hash) { noteRemoval(key, hash) }
    }
    withExtendedLifetime(kept) {}
    if let failure { throw failure }
    return ids == nil ? nil : removed.count
  }
}

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  fileprivate func entries(
    _ ids: Range<ObjectID>, now: UInt64
  ) -> [MemoryCacheEntry<Key, Value>] {
    var entries: [MemoryCacheEntry<Key, Value>] = []
    entries.reserveCapacity(ids.count)
    for id in ids where tier.contains(id) {
      let expiry = expiry(id)
      if expiry.isOver(at: now) { continue }
      let stamp = records.stamp(id).pointee
      entries.append(
        MemoryCacheEntry(
          key: records.key(id).pointee, value: records.value(id).pointee,
          weight: isWeighed ? Int(tier.size(id)) : 1, created: created(stamp),
          expires: expiry == .never ? nil : CacheInstant(microseconds: expiry.microseconds),
          isPermanent: stamp & Self.permanentBit != 0))
    }
    return entries
  }

  fileprivate func resident(_ id: ObjectID, _ includingPermanent: Bool) -> (key: Key, value: Value)?
  {
    guard tier.contains(id) else { return nil }
    if !includingPermanent, records.stamp(id).pointee & Self.permanentBit != 0 { return nil }
    return (records.key(id).pointee, records.value(id).pointee)
  }

  fileprivate mutating func remove(
    _ id: ObjectID, of key: Key?, _ gone: inout EvictedEntries<Key, Value>
  ) -> Bool {
    guard tier.contains(id) else { return false }
    // Another key may have got the id while the lock was released.
    if let key, records.key(id).pointee != key { return false }
    tier.remove(id)
    totals.removals += 1
    depart(id, .remove, &gone)
    return true
  }
}
