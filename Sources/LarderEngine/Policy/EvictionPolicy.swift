/// A rule that chooses the object that a full cache evicts.
///
/// A policy never sees a key or a value. It sees dense object ids, and the same concrete type works
/// in the simulator and in the real caches. It neither stores values nor tracks the fill level of
/// the cache: the *driver* (a simulation or a cache) does so and calls the policy in a fixed order.
///
/// For each request the driver calls `contains`, and then:
///
/// 1. **Resident**: `hit`, once, and `evict` while the policy `overflows`. If a stored value is
///   replaced by another, `replace` instead of `hit`.
/// 2. **Not resident**, and the object is larger than the capacity: no call. It is never stored.
/// 3. **Not resident**: `admit`. If it returns false, the driver calls `evict` while the policy
///   `overflows`, and makes no other call. Otherwise it calls `evict` until the object fits and the
///   policy no longer `isFull`, and then `insert`, once.
///
/// An entry that expires or is deleted leaves through `remove`, and so does one that `hasIdled`.
///
/// The policy promises:
///
/// - `evict` is called only while something is resident; it returns a resident object, which is not
///   resident afterwards.
/// - `contains` is true exactly from an `insert` until the `evict` or `remove` of that object.
/// - `remove` leaves no trace of the object that could affect a later decision, ghosts included,
///   whether or not it is resident. Only knowledge learned from its requests without their identity
///   may remain, and then the description declares that the policy learns.
/// - Decisions depend only on the calls and the setup: no clock, no global state, and random
///   numbers only from the seed.
/// - Time per call is amortised O(1), or O(log n) if the description says so, and only `init` and
///   `reserve` allocate in the steady state.
///
/// The driver promises that ids are between 1 and the number last passed to `reserve`, that `sizes`
/// holds the size of every resident object, and that it calls from one thread at a time.
public protocol EvictionPolicy: ~Copyable, SendableMetatype {
  /// Name, parameters, needs and paper.
  static var description: PolicyDescription { get }

  /// Creates a policy for an empty cache.
  init(_ setup: PolicySetup) throws(PolicyError)

  /// Returns true if the object is resident.
  func contains(_ id: ObjectID) -> Bool

  /// Returns true if the policy holds any state of the object, resident or ghost. A real cache may
  /// assign the id to another key only if this is false.
  func remembers(_ id: ObjectID) -> Bool

  /// Called when a resident object is requested. `request.size`, `cost` and `expires` are those of
  /// the stored copy.
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes)

  /// Called when a resident object's value is replaced, which also counts as a request.
  /// `request.size` is the new size; `sizes` still holds the old one during the call.
  mutating func replace(_ request: Request, _ sizes: some ObjectSizes)

  /// Returns true if a missing object should be stored, before anything is evicted for it.
  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool

  /// Returns true if an object must be evicted for a missing one although the capacity would hold
  /// it, for example if memory is partitioned. Called after an `admit` that accepts, until it is
  /// false. True only while something is resident.
  func isFull(for request: Request) -> Bool

  /// Evicts one resident object and returns it. `request` is the object for which room is made, or
  /// `Request.none`.
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID

  /// Called when a missing object is stored; `sizes` already holds its size.
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes)

  /// Called when the object is deleted or has expired. It may be resident, a ghost or unknown.
  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes)

  /// True if `overflows` may be true after a hit, so that a hit may evict.
  static var evictsOnHit: Bool { get }

  /// True if the policy holds more than it should. Read after `hit`, `replace` and an `admit` that
  /// rejects; while it is true, the driver calls `evict`.
  var overflows: Bool { get }

  /// Called when a resident object was requested and another tier answered, so that its next use is
  /// now `request.nextUse`. Called only for policies that need the next use.
  mutating func foresee(_ request: Request)

  /// The object that `evict` would return now, for admission filters that compare victims; `.none`
  /// if nothing is resident. Read only if `knowsVictim`.
  var victim: ObjectID { get }

  /// True if the policy can predict its next victim without changing state.
  static var knowsVictim: Bool { get }

  /// An object that `evict` is likely to return soon, or `.none`: a hint that must not require a
  /// search. A real cache prefetches its entry. O(1).
  var candidate: ObjectID { get }

  /// Describes hits that only update one word per object and never make the policy `overflow`, so
  /// that hits of a real cache need no exclusive lock and run while another thread calls the
  /// policy. Two hits of one object at the same time may count as one, and a hit during a change of
  /// the word by the policy may be lost. Nil if a hit does more. Constant until `reserve` is
  /// called; unused if an admission filter must see hits.
  var hitWords: HitWords? { get }

  /// The largest number of remembered objects that are not resident, as far as it is known: a real
  /// cache makes room for these. An estimate, not a promise.
  var ghostsMax: Int { get }

  /// Returns a ghost that was forgotten since the last call, or `.none`; may miss some. A real
  /// cache then searches for forgotten ghosts less often.
  mutating func takeForgotten() -> ObjectID

  /// Calls `body` with the queues if their ghost queue holds all remembered objects that are not
  /// resident, so that a real cache can keep ghosts by slot; returns nil otherwise.
  mutating func withGhostQueues<Result>(_ body: (inout ThreeQueues) -> Result) -> Result?

  /// True if the policy observes all gets and the time, when fetches take time.
  static var observesRequests: Bool { get }

  /// Called for every request of an object at `now`, regardless of its outcome, before `contains`;
  /// only if fetches take time and `observesRequests`. `fetchLatency` is the latency of a fetch,
  /// without queueing at the origin. Times are in microseconds and never decrease. In a hybrid's
  /// memory, the latency is that of a read if disk holds the object; on disk, demotions count as
  /// requests.
  mutating func observe(_ id: ObjectID, now: UInt64, fetchLatency: UInt64)

  /// Called when a fetch or a read ended at `now`: `admit`, `evict` and `insert` for its object may
  /// follow. Called only if `observe` is.
  mutating func advance(to now: UInt64)

  /// True if the policy follows the time of requests, when it is known.
  static var followsTime: Bool { get }

  /// Sets the time to `now`, in microseconds, or 0 if unknown. Called before each get and set, only
  /// if `followsTime`. A real cache may pass 0 until an entry has an expiry.
  mutating func follow(_ now: UInt64)

  /// True if `hasIdled` may be true.
  static var idles: Bool { get }

  /// Returns true if a resident object was not requested for so long that it must not answer.
  /// Called when it is requested; the driver then removes it like an expired one.
  func hasIdled(_ id: ObjectID) -> Bool

  /// Returns the memory of an entry in the modelled server, for a value and a key of these lengths;
  /// see `EntryMemory`.
  static func entryBytes(value: UInt64, key: UInt64) -> UInt64

  /// Makes ids up to `objects` valid. O(`objects`); called outside the per-request path.
  mutating func reserve(objects: Int)

  /// Prefetches the state that a request for `id` reads. A hint.
  func prefetch(_ id: ObjectID)

  /// Prefetches the data that the state of `id` points to; called some requests after
  /// `prefetch(id)`. A hint.
  func prefetchNeighbours(_ id: ObjectID)

  /// Memory held by the policy, in bytes.
  var stateBytes: Int { get }
}

extension EvictionPolicy where Self: ~Copyable {
  /// Defaults to `contains`, for policies without ghosts.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool { contains(id) }

  /// Defaults to `hit`, for policies that keep neither sums of sizes nor other properties of the
  /// value.
  @inlinable @inline(__always) public mutating func replace(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    hit(request, sizes)
  }

  /// Does nothing by default.
  @inlinable @inline(__always) public mutating func foresee(_ request: Request) {}

  /// Does nothing by default.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {}

  /// Defaults to false.
  @inlinable public static var evictsOnHit: Bool { false }

  /// Defaults to false.
  @inlinable public static var knowsVictim: Bool { false }

  /// Defaults to `.none`.
  @inlinable public var victim: ObjectID { .none }

  /// Defaults to the victim if the policy knows it.
  @inlinable @inline(__always) public var candidate: ObjectID { Self.knowsVictim ? victim : .none }

  /// Defaults to nil: hits need an exclusive lock.
  @inlinable public var hitWords: HitWords? { nil }

  /// Defaults to 0.
  @inlinable public var ghostsMax: Int { 0 }

  /// Defaults to `.none`.
  @inlinable @inline(__always) public mutating func takeForgotten() -> ObjectID { .none }

  /// Defaults to nil.
  @inlinable @inline(__always) public mutating func withGhostQueues<Result>(
    _ body: (inout ThreeQueues) -> Result
  ) -> Result? { nil }

  /// Defaults to false.
  @inlinable public static var observesRequests: Bool { false }

  /// Does nothing by default.
  @inlinable @inline(__always) public mutating func observe(
    _ id: ObjectID, now: UInt64, fetchLatency: UInt64
  ) {}

  /// Does nothing by default.
  @inlinable @inline(__always) public mutating func advance(to now: UInt64) {}

  /// Defaults to false.
  @inlinable public static var followsTime: Bool { false }

  /// Does nothing by default.
  @inlinable @inline(__always) public mutating func follow(_ now: UInt64) {}

  /// Defaults to false: only objects that do not fit are evicted for.
  @inlinable @inline(__always) public var overflows: Bool { false }

  /// Defaults to false: objects that fit are stored.
  @inlinable @inline(__always) public func isFull(for request: Request) -> Bool { false }

  /// Defaults to false.
  @inlinable public static var idles: Bool { false }

  /// Defaults to false.
  @inlinable @inline(__always) public func hasIdled(_ id: ObjectID) -> Bool { false }

  /// Defaults to the length of the value.
  @inlinable public static func entryBytes(value: UInt64, key: UInt64) -> UInt64 { value }

  /// Everything is admitted.
  @inlinable @inline(__always) public mutating func admit(
    _ request: Request, _ sizes: some ObjectSizes
  ) -> Bool { true }
}
