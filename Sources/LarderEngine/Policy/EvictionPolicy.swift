/// A rule that chooses the object that a full cache evicts, of dense object ids. The same concrete
/// type works in simulations and in real caches: their *driver* stores values and tracks the fill
/// level, and calls the policy in a fixed order.
///
/// For each request it calls `contains`, and then:
///
/// 1. Resident: `hit`, once, and `evict` while the policy `overflows`; for a new value `replace`
///   instead.
/// 2. Not resident, and larger than the capacity: nothing. It is never stored.
/// 3. Not resident: `admit`. If that is false, `evict` while the policy `overflows`; otherwise
///   `evict` until the object fits and the policy no longer `isFull`, and then `insert`, once.
///
/// An entry that expires, is deleted or `isIdle` leaves through `remove`. The policy promises:
///
/// - `evict`, called only while something is resident, returns an object that is not resident
///   afterwards.
/// - `contains` is true exactly from an `insert` until the `evict` or `remove` of that object.
/// - `remove` leaves no trace of the object that could affect a later decision, ghosts included;
///   what was learned without its identity may remain if the description declares that the policy
///   learns.
/// - Decisions depend only on the calls and the setup, random numbers only on the seed.
/// - A call is amortised O(1), or O(log n) if the description says so; memory grows in large
///   steps.
///
/// The driver promises that ids are from 1 to the number last passed to `reserve`, that `sizes`
/// holds the size of every resident object, and that it calls from one thread at a time. These ten
/// requirements suffice; other abilities are in `Capabilities.swift`, with defaults.
public protocol EvictionPolicy:
  RemembersGhosts, ControlsAdmission, PredictsVictim, ReceivesNotices, AllowsConcurrentHits,
  TakesOver, ChoosesPolicy,
  ~Copyable, SendableMetatype
{
  /// Name, parameters, needs, traits and paper.
  static var description: PolicyDescription { get }

  /// Creates a policy for an empty cache.
  init(_ setup: PolicySetup) throws(PolicyError)

  /// Returns true if the object is resident.
  func contains(_ id: ObjectID) -> Bool

  /// Called when a resident object is requested, with the properties of the stored copy.
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes)

  /// Called when a missing object is stored; `sizes` already holds its size.
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes)

  /// Evicts a resident object. `request` is that for which room is made, or `Request.none`.
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
