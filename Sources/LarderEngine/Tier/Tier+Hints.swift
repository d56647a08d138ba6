public import Synchronization

/// What a tier tells its cache or a loop, and what changes nothing.
extension Tier where Policy: ~Copyable {
  /// Brings what a simulated request for `id` will touch near. Each column is memory of its own:
  /// what is left out here costs a request one wait for memory.
  @inlinable
  @inline(__always)
  func prefetch(_ id: ObjectID) {
    policy.prefetch(id)
    if Shape.weighs { sizes.prefetch(id) }
    if Shape.expiry == .column { expiries.prefetch(id) }
    if Shape.marksStale { stale.prefetch(id) }
    if Shape.limits, keepsCosts { costs.prefetch(id) }
    if Shape.limits, let filter {
      fingerprints.prefetch(id)
      if filter.watchesHits { filter.rule.prefetch(Request.fingerprint(of: id)) }
    }
  }

  /// Brings what the state of `id` points to near.
  @inlinable
  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { policy.prefetchNeighbours(id) }

  /// A resident object was answered for by another tier.
  @inlinable
  mutating func foresee(_ request: Request) { policy.foresee(request) }

  /// An object that may well be evicted before long, or `.none`.
  @inlinable
  @inline(__always)
  var candidate: ObjectID { policy.candidate }

  /// How hits of what has not expired are made by many threads at once, where the policy allows it
  /// and no filter must hear of them.
  @inlinable
  var hitWords: HitWords? { filter?.watchesHits ?? false ? nil : policy.hitWords }

  /// Where the expiries are, once there are some; valid until `reserve`.
  @inlinable
  var sharedExpiries: UnsafeMutablePointer<Atomic<UInt64>>? {
    mayExpire ? expiries.sharedBase : nil
  }

  /// At most how many objects that are not resident the policy remembers, as far as it can say.
  @inlinable
  var ghostsMax: Int { policy.ghostsMax }

  /// The first id from `first` to `last` of which the policy knows nothing, or `.none`.
  @inlinable
  func forgotten(from first: ObjectID, through last: ObjectID) -> ObjectID {
    precondition(Int(last) <= objects, "id \(last) of a tier with room for \(objects)")
    var id = first
    while id <= last {
      if !policy.remembers(id) { return id }
      id += 1
    }
    return .none
  }

  /// An object of which the policy has come to know nothing, or `.none`.
  @inlinable
  @inline(__always)
  mutating func takeForgotten() -> ObjectID {
    let id = policy.takeForgotten()
    return id != .none && policy.remembers(id) ? .none : id
  }
}
