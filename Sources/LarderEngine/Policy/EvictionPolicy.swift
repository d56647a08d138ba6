/// A rule that decides which object a full cache gives up.
///
/// A policy never sees a key or a value. It sees dense object ids, and the same concrete type works
/// in the simulator and in the real caches. It neither stores values nor counts how full the cache
/// is: the *driver* (a simulation or a cache) does that and calls the policy in a fixed order.
///
/// For each request the driver asks `contains`, and then:
///
/// 1. **Resident**: `hit`, once, and `evict` while the policy `overflows`. A stored value replaced
///    by another is `replace` instead.
/// 2. **Not resident**, and the object is larger than the capacity: nothing. It is never stored.
/// 3. **Not resident**: `admit`. When the answer is no, the driver calls `evict` while the policy
///    `overflows`, and nothing more happens. Otherwise it calls `evict` until the object fits and
///    the policy no longer `isFull`, and then `insert`, once.
///
/// An entry that expires or is deleted leaves through `remove`, and so does one that `hasIdled`.
///
/// The policy promises:
///
/// - `evict` is called only when something is resident; it returns a resident object, which is no
///   longer resident afterwards.
/// - `contains` is true exactly from an `insert` until the `evict` or `remove` of that object.
/// - `remove` leaves nothing behind by which a later decision could tell that the object had been
///   there, ghosts included, whether or not it is resident. Only what a policy has learned from its
///   requests without knowing whose they were stays, and then the description says that it learns.
/// - No decision depends on anything but the calls made and the setup: no clock, no global state,
///   and random numbers only from the seed.
/// - Time per call is amortised O(1), or O(log n) where the description says so, and no call but
///   `init` and `reserve` allocates in the steady state.
///
/// The driver promises that ids are between 1 and the number last given to `reserve`, that sizes in
/// `sizes` are right for every resident object, and that it calls from one thread at a time.
public protocol EvictionPolicy: ~Copyable, SendableMetatype {
  /// Name, parameters, needs and paper.
  static var description: PolicyDescription { get }

  /// A policy for an empty cache.
  init(_ setup: PolicySetup) throws(PolicyError)

  /// Whether the object is resident.
  func contains(_ id: ObjectID) -> Bool

  /// Whether the policy still knows anything about the object, resident or ghost. A real cache may
  /// give the id to another key only when this is false.
  func remembers(_ id: ObjectID) -> Bool

  /// A resident object is requested. `request.size`, `cost` and `expires` are those of the stored
  /// copy.
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes)

  /// A resident object's value is replaced, which is also a reference to it. `request.size` is the
  /// new size; `sizes` still holds the old one during the call.
  mutating func replace(_ request: Request, _ sizes: some ObjectSizes)

  /// Whether a missing object should be stored at all, asked before anything is evicted for it.
  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool

  /// Whether something must be evicted for a missing object although the capacity would hold it,
  /// as where memory is divided: asked after an `admit` that accepts, until it is false. True only
  /// while something is resident.
  func isFull(for request: Request) -> Bool

  /// Gives up one resident object and returns it. `request` is what room is being made for, or
  /// `Request.none`.
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID

  /// A missing object is stored; `sizes` already holds its size.
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes)

  /// The object is deleted or has expired. It may be resident, a ghost or unknown.
  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes)

  /// Whether `overflows` may be true after a hit, so that a hit may evict.
  static var evictsOnHit: Bool { get }

  /// Whether the policy holds more than it will: asked after `hit`, `replace` and an `admit` that
  /// refuses, and while it is true the driver calls `evict`.
  var overflows: Bool { get }

  /// A resident object was requested and another tier answered, so that its next use is now
  /// `request.nextUse`. Called only for policies that need the next use.
  mutating func foresee(_ request: Request)

  /// What `evict` would return now, for admission filters that compare; `.none` when nothing is
  /// resident. Asked only where `knowsVictim`.
  var victim: ObjectID { get }

  /// Whether the policy can say what it would evict without changing anything.
  static var knowsVictim: Bool { get }

  /// An object that `evict` may well return before long, or `.none`: a hint, for which nothing is
  /// searched. A real cache brings what it keeps of it near. O(1).
  var candidate: ObjectID { get }

  /// What a hit is where it changes nothing but one word of the object's, and never `overflows`:
  /// hits of a real cache then need no exclusive lock, and are made while another thread calls the
  /// policy. Two hits of one object at the same moment may count as one, and one at the moment in
  /// which the policy changes the word may not count. Nil where a hit is more. The same from the
  /// start until `reserve` is called, but for admission filters that must hear of hits.
  var hitWords: HitWords? { get }

  /// At most how many objects are remembered at once beside the resident ones, as far as the policy
  /// can say: a real cache makes room for these. Not a promise.
  var ghostsMax: Int { get }

  /// A ghost that was forgotten since this was last called, or `.none`: it need not tell of all. A
  /// real cache then looks for forgotten ones less often.
  mutating func takeForgotten() -> ObjectID

  /// Calls `body` with the queues if all that is remembered of objects that are not resident is in
  /// their ghost queue, so that a real cache can keep ghosts by their places; nil otherwise.
  mutating func withGhostQueues<Result>(_ body: (inout ThreeQueues) -> Result) -> Result?

  /// Whether the policy is told of all gets and of the time, where fetches take time.
  static var observesRequests: Bool { get }

  /// The object is requested at `now`, whatever comes of it: called before `contains`, only where
  /// fetches take time and `observesRequests`. `fetchLatency` is what a fetch of it takes, without
  /// waiting for the origin. Times are in microseconds and never decrease. In a hybrid's memory the
  /// latency is that of a read where disk holds the object; on disk, demotions are requests, too.
  mutating func observe(_ id: ObjectID, now: UInt64, fetchLatency: UInt64)

  /// A fetch or a read ended at `now`: `admit`, `evict` and `insert` for what it brought may
  /// follow. Called only where `observe` is.
  mutating func advance(to now: UInt64)

  /// Whether the policy is told the time of requests, where it is known.
  static var followsTime: Bool { get }

  /// It is `now`, in microseconds, or 0 where nobody knows: called before each get and set, only
  /// where `followsTime`. A real cache may say 0 until something expires.
  mutating func follow(_ now: UInt64)

  /// Whether `hasIdled` may be true.
  static var idles: Bool { get }

  /// Whether a resident object was not requested for so long that nothing answers with it: asked
  /// when it is requested. The driver then removes it as it does one that has expired.
  func hasIdled(_ id: ObjectID) -> Bool

  /// What an entry takes of the memory of the server whose rule this is, for a value and a key of
  /// so many bytes; see `EntryMemory`.
  static func entryBytes(value: UInt64, key: UInt64) -> UInt64

  /// Makes room for ids up to `objects`. O(`objects`); called outside the per-request path.
  mutating func reserve(objects: Int)

  /// Brings the state that a request for `id` will touch near the processor. A hint.
  func prefetch(_ id: ObjectID)

  /// Brings what the state of `id` points to near; called some requests after `prefetch(id)`. A
  /// hint.
  func prefetchNeighbours(_ id: ObjectID)

  /// Memory held by the policy, in bytes.
  var stateBytes: Int { get }
}

extension EvictionPolicy where Self: ~Copyable {
  /// No ghosts: what is not resident is forgotten.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool { contains(id) }

  /// Right for every policy that keeps neither sums of sizes nor anything else about the value.
  @inlinable @inline(__always) public mutating func replace(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    hit(request, sizes)
  }

  /// The future plays no part.
  @inlinable @inline(__always) public mutating func foresee(_ request: Request) {}

  /// The state of one object points to no other.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {}

  /// A hit evicts nothing.
  @inlinable public static var evictsOnHit: Bool { false }

  /// It cannot say.
  @inlinable public static var knowsVictim: Bool { false }

  /// It cannot say.
  @inlinable public var victim: ObjectID { .none }

  /// What it would evict, where it can say.
  @inlinable @inline(__always) public var candidate: ObjectID { Self.knowsVictim ? victim : .none }

  /// A hit changes something that only one thread at a time may change.
  @inlinable public var hitWords: HitWords? { nil }

  /// No ghosts.
  @inlinable public var ghostsMax: Int { 0 }

  /// Nothing is said of ghosts.
  @inlinable @inline(__always) public mutating func takeForgotten() -> ObjectID { .none }

  /// There are no such queues.
  @inlinable @inline(__always) public mutating func withGhostQueues<Result>(
    _ body: (inout ThreeQueues) -> Result
  ) -> Result? { nil }

  /// Neither time nor what a fetch takes plays a part.
  @inlinable public static var observesRequests: Bool { false }

  /// Nothing is noted.
  @inlinable @inline(__always) public mutating func observe(
    _ id: ObjectID, now: UInt64, fetchLatency: UInt64
  ) {}

  /// Nothing is noted.
  @inlinable @inline(__always) public mutating func advance(to now: UInt64) {}

  /// Time plays no part.
  @inlinable public static var followsTime: Bool { false }

  /// Nothing is noted.
  @inlinable @inline(__always) public mutating func follow(_ now: UInt64) {}

  /// Only what does not fit is evicted.
  @inlinable @inline(__always) public var overflows: Bool { false }

  /// What fits is stored.
  @inlinable @inline(__always) public func isFull(for request: Request) -> Bool { false }

  /// Time without requests plays no part.
  @inlinable public static var idles: Bool { false }

  /// Nothing is idle for too long.
  @inlinable @inline(__always) public func hasIdled(_ id: ObjectID) -> Bool { false }

  /// The value alone.
  @inlinable public static func entryBytes(value: UInt64, key: UInt64) -> UInt64 { value }

  /// Everything is admitted.
  @inlinable @inline(__always) public mutating func admit(
    _ request: Request, _ sizes: some ObjectSizes
  ) -> Bool { true }
}
