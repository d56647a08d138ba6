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
/// An entry that expires or is deleted leaves through `remove`, and so does one that `isIdle`.
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
///
/// These ten requirements suffice. Other abilities, from ghosts to the time of requests, are in
/// `Capabilities.swift`, with defaults.
public protocol EvictionPolicy:
  RemembersGhosts, ControlsAdmission, PredictsVictim, ReceivesNotices, AllowsConcurrentHits,
  TakesOver,
  ~Copyable, SendableMetatype
{
  /// Name, parameters, needs, traits and paper.
  static var description: PolicyDescription { get }

  /// Creates a policy for an empty cache.
  init(_ setup: PolicySetup) throws(PolicyError)

  /// Returns true if the object is resident.
  func contains(_ id: ObjectID) -> Bool

  /// Called when a resident object is requested. `request.size`, `cost` and `expires` are those of
  /// the stored copy.
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes)

  /// Called when a missing object is stored; `sizes` already holds its size.
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes)

  /// Evicts one resident object and returns it. `request` is the object for which room is made, or
  /// `Request.none`.
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID

  /// Called when the object is deleted or has expired. It may be resident, a ghost or unknown.
  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes)

  /// Makes ids up to `objects` valid. O(`objects`); called outside the per-request path.
  mutating func reserve(objects: Int)

  /// Prefetches the state that a request for `id` reads. A hint.
  func prefetch(_ id: ObjectID)

  /// Memory held by the policy, in bytes.
  var stateBytes: Int { get }
}
