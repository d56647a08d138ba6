public import CLarderShims
public import LarderEngine
public import Synchronization

/// What is read of a shard by threads that do not hold its lock: where things are, and how a hit is
/// made. It changes only when the shard grows or begins to keep expiries, so every processor has a
/// copy of its cache lines, in which nothing else is.
@usableFromInline
struct ShardView<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  /// What a get without the lock came to.
  @usableFromInline
  enum Outcome {
    case hit
    case miss
    /// It is for who has the lock to say.
    case unknown
  }

  /// 1 while what is below must not be used.
  @usableFromInline let isClosed = Atomic<UInt32>(0)
  @usableFromInline let directoryBase: Atomic<UnsafeMutableRawPointer>
  @usableFromInline let buckets: Atomic<Int>
  @usableFromInline var records: ShardRecords<Key, Value>
  @usableFromInline var hits: HitWords?
  @usableFromInline var expiries: UnsafeMutablePointer<Atomic<UInt64>>?
  /// Looked at only where there are `expiries`.
  @usableFromInline var idle: IdleTimes?
  /// What a set needs beside the shard itself: the tier, and its victims.
  @usableFromInline let tierState: UnsafeRawBufferPointer
  @usableFromInline let victims: UnsafeRawPointer

  /// A view of a shard's parts.
  init(
    _ records: ShardRecords<Key, Value>, _ directory: KeyDirectory, _ tier: CacheTier,
    _ idle: IdleTimes?
  ) {
    self.records = records
    hits = tier.hitWords()
    expiries = tier.sharedExpiries()
    self.idle = idle
    tierState = tier.state
    victims = tier.victims.place
    directoryBase = Atomic(directory.base)
    buckets = Atomic(directory.buckets)
  }

  /// The directory: to be read from through a slot. Who has neither slot nor lock may ask it for a
  /// `home`, which is good for a prefetch whatever becomes of it meanwhile.
  @inlinable
  var directory: KeyDirectory {
    @inline(__always)
    get {
      KeyDirectory(
        base: directoryBase.load(ordering: .relaxed), buckets: buckets.load(ordering: .relaxed))
    }
    nonmutating set {
      directoryBase.store(newValue.base, ordering: .relaxed)
      buckets.store(newValue.buckets, ordering: .relaxed)
    }
  }

  /// A get through a slot. With versions others may write meanwhile, without they may not.
  @inlinable
  @inline(__always)
  func get<Result>(
    _ key: Key, _ hash: UInt32, _ clock: any CacheClock, _ result: inout Result?,
    _ read: (UnsafePointer<Value>) -> Result?
  ) -> Outcome {
    if ShardRecords<Key, Value>.haveVersions {
      return getTogether(key, hash, clock, &result, read)
    }
    guard let hits else { return .unknown }
    let id = directory.find(hash) { [records] in records.isOf(key, hash, $0) }
    if id == .none { return .miss }
    if isExpired(id, clock) { return .unknown }
    guard hits.hit(id) else { return .miss }
    result = read(UnsafePointer(records.value(id)))
    return .hit
  }

  /// A get while others write: everything is read between two looks at the record's version, so it
  /// was there together.
  @inlinable
  @inline(__always)
  func getTogether<Result>(
    _ key: Key, _ hash: UInt32, _ clock: any CacheClock, _ result: inout Result?,
    _ read: (UnsafePointer<Value>) -> Result?
  ) -> Outcome {
    var outcome = Outcome.miss
    _ = directory.find(hash) { [records] id in
      // A ghost, whose key only the lock's holder may look at, and will when the key is stored.
      guard Int(id) <= records.room else {
        larder_prefetch_shared(records.ghostKey(ShardRecords<Key, Value>.ghostPlace(id)))
        return false
      }
      let version = records.version(id).pointee.load(ordering: .acquiring)
      guard let word = hits?.word(id) else {
        outcome = .unknown
        return true
      }
      let found = SharedBytes.read(records.key(id))
      let value = SharedBytes.read(records.value(id))
      // What may be of two keys is not shown to the key's own idea of equality.
      guard version & 1 == 0, records.isStill(version, id) else {
        outcome = .unknown
        return true
      }
      guard found == key else { return false }
      // Read again, and not kept: where nothing is counted most of it is not needed.
      guard let hits, hits.isResident(word) else { return true }
      if expiries != nil, isExpired(id, clock) || !records.isStill(version, id) {
        outcome = .unknown
        return true
      }
      // What is counted for another key that has come to the id meanwhile was a hit all the same.
      hits.count(id, word)
      result = withUnsafePointer(to: value) { read($0) }
      outcome = .hit
      return true
    }
    return outcome
  }

  /// Whether an entry has expired; if not, this is an access to it.
  @inlinable
  @inline(never)
  func isExpired(_ id: ObjectID, _ clock: any CacheClock) -> Bool {
    guard let expiries else { return false }
    let now = clock.nowMicroseconds
    if expiries[Int(id)].load(ordering: .relaxed) <= now { return true }
    guard let idle else { return false }
    return !idle.touch(id, now)
  }
}
