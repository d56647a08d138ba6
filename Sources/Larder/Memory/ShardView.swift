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

  /// A view of a shard's parts.
  init(
    _ records: ShardRecords<Key, Value>, _ directory: KeyDirectory, _ tier: CacheTier,
    _ idle: IdleTimes?
  ) {
    self.records = records
    hits = tier.hitWords()
    expiries = tier.sharedExpiries()
    self.idle = idle
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
    guard let hits else { return .unknown }
    if ShardRecords<Key, Value>.haveVersions {
      return getTogether(key, hash, hits, clock, &result, read)
    }
    let id = directory.find(hash) { [records] in records.isOf(key, hash, $0) }
    if id == .none { return .miss }
    if isExpired(id, clock) { return .unknown }
    guard hits.hit(id) else { return .miss }
    result = read(UnsafePointer(records.value(id)))
    return .hit
  }

  /// A get while others write.
  @inlinable
  @inline(__always)
  func getTogether<Result>(
    _ key: Key, _ hash: UInt32, _ hits: HitWords, _ clock: any CacheClock,
    _ result: inout Result?, _ read: (UnsafePointer<Value>) -> Result?
  ) -> Outcome {
    var version: UInt32 = 1
    let id = directory.find(hash) { [records] id in
      switch records.compare(id, key) {
      case .same(let found): version = found
      case .other: return false
      case .torn: break
      }
      return true
    }
    if id == .none { return .miss }
    if version & 1 != 0 || isExpired(id, clock) { return .unknown }
    // Asked for between two looks at the version: the value is then one that was there.
    let isResident = hits.hit(id)
    return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { copy in
      guard let copy = copy.baseAddress else { return .unknown }
      SharedBytes.read(records.value(id), into: copy)
      guard records.isStill(version, id) else { return .unknown }
      guard isResident else { return .miss }
      result = read(UnsafePointer(copy))
      return .hit
    }
  }

  /// Whether an entry has expired; if not, this is an access to it.
  @inlinable
  @inline(__always)
  func isExpired(_ id: ObjectID, _ clock: any CacheClock) -> Bool {
    guard let expiries else { return false }
    let now = clock.nowMicroseconds
    if expiries[Int(id)].load(ordering: .relaxed) <= now { return true }
    guard let idle else { return false }
    return !idle.touch(id, now)
  }
}
