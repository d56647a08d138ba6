/// For policies that look at what they would evict before they do, and may keep it after all.
extension ThreeQueues {
  /// Objects in small.
  @inlinable
  @inline(__always)
  public var smallCount: Int { small.count }

  /// Whether the object is in small.
  @inlinable
  @inline(__always)
  public func isInSmall(_ id: ObjectID) -> Bool {
    words[id] & ThreeQueues.placeMask == ThreeQueues.inSmall
  }

  /// What is oldest in small; `.none` where a hole is in its place.
  @inlinable
  @inline(__always)
  public var smallCandidate: ObjectID { small.oldestPlace }

  /// What is oldest in main; `.none` where a hole is in its place.
  @inlinable
  @inline(__always)
  public var mainCandidate: ObjectID { main.oldestPlace }

  /// The oldest object in small with at most `limit` requests, which stays there; older ones go on
  /// to main with their counters. `.none` where small is empty then. Amortised O(1), if what is
  /// found is then taken out.
  @inlinable
  @inline(__always)
  public mutating func spareSmall(above limit: UInt32, _ sizes: some ObjectSizes) -> ObjectID {
    while true {
      let id = small.oldestEntry
      guard id != .none else { return .none }
      let counter = words[id] & ThreeQueues.counterMask
      if counter <= limit * ThreeQueues.one { return id }
      _ = small.popOldest()
      smallWeight -= UInt64(sizes[id])
      mainWeight += UInt64(sizes[id])
      words[id] = ThreeQueues.inMain | counter | main.push(id, words)
    }
  }

  /// The oldest object in main without requests, which stays there; older ones go round again,
  /// their counters lowered by 1. Main must not be empty. Amortised O(1), as above.
  @inlinable
  @inline(__always)
  public mutating func spareMain() -> ObjectID {
    while true {
      let id = main.oldestEntry
      let counter = words[id] & ThreeQueues.counterMask
      if counter == 0 { return id }
      _ = main.popOldest()
      words[id] = ThreeQueues.inMain | (counter - ThreeQueues.one) | main.push(id, words)
    }
  }

  /// Takes the oldest out of small, which must not be empty, and leaves no ghost of it.
  @inlinable
  @inline(__always)
  public mutating func dropSmall(_ sizes: some ObjectSizes) -> ObjectID {
    let id = small.popOldest()
    smallWeight -= UInt64(sizes[id])
    words[id] = 0
    return id
  }

  /// Makes the oldest of small or of main, which must not be empty, the newest of small, as if it
  /// had never been requested. It is resident all the while, also to other threads.
  @inlinable
  @inline(__always)
  public mutating func renewOldest(inSmall: Bool, _ sizes: some ObjectSizes) {
    let id = inSmall ? small.popOldest() : main.popOldest()
    if !inSmall {
      mainWeight -= UInt64(sizes[id])
      smallWeight += UInt64(sizes[id])
    }
    words[id] = ThreeQueues.inSmall | small.push(id, words)
  }
}
