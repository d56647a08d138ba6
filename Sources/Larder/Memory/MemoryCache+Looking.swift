import LarderEngine

/// Looking at entries without a reference to them.
extension MemoryCache {
  /// Whether a value is there to be used; asking is not a reference to it.
  public func contains(_ key: Key) -> Bool {
    let hash = hasher.hash(key)
    return withShard(blocks.index(hash)) { shard, _ in
      shard.contains(key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds)
    }
  }

  /// When an entry expires, microseconds of the cache's clock, or `UInt64.max` for never; nil where
  /// there is none or it has expired. Asking is not a reference to it.
  package func expiry(of key: Key) -> UInt64? {
    let hash = hasher.hash(key)
    return withShard(blocks.index(hash)) { shard, _ in
      shard.expiry(key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds)
    }
  }

  /// Gives an entry that has not expired another time to live from now on, 0 for none of its own;
  /// `limits.age` may shorten it, and a permanent entry stays as it is. Not a reference to it.
  package func renew(_ key: Key, timeToLiveMicroseconds: UInt64) {
    let hash = hasher.hash(key)
    withShard(blocks.index(hash)) { shard, _ in
      shard.renew(
        key, UInt32(truncatingIfNeeded: hash >> 32), timeToLive: timeToLiveMicroseconds,
        now: clock.nowMicroseconds)
    }
  }

  /// The value of a key that has expired and was kept, with the instant at which it expired,
  /// microseconds; nil where there is none. Asking is not a reference to it.
  func expired(_ key: Key) -> (value: Value, expires: UInt64)? {
    let hash = hasher.hash(key)
    return withShard(blocks.index(hash)) { shard, _ in
      shard.expired(key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds)
    }
  }

  /// The value of a key that may be used; not a reference to it, and not counted.
  func peek(_ key: Key) -> Value? {
    let hash = hasher.hash(key)
    return withShard(blocks.index(hash)) { shard, _ in
      shard.value(key, UInt32(truncatingIfNeeded: hash >> 32), now: clock.nowMicroseconds)
    }
  }
}
