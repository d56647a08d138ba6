/// A cache under simulation, stepped through the requests of a trace.
///
/// # What one request does
///
/// **Single tier, get.** An entry that is resident and whose expiry is at or before the request's
/// time is removed and counts in `expirations`; the request goes on as a miss. A resident entry is
/// a hit. A miss is fetched and stored: see *storing*.
///
/// **Set.** Resident (and not expired: an expired entry is first removed, without being counted):
/// the value is replaced, the expiry renewed, and when the new size does not fit the policy evicts
/// until it does, which may hit the object itself. Replaced by something larger than the capacity:
/// removed, and a rejection. Not resident: *storing*. **Delete.** Removed where it is resident.
/// **Modify.** The origin has a new version; caches are not told, so hits on copies stored before
/// count as hits and also as `staleHits`, until the copy is replaced or stored again.
///
/// **Costs.** What fetching an object costs is said when it is stored, and kept with the copy: a
/// hit, a promotion and a demotion have the cost of the copy, since nobody fetches then.
///
/// **Storing** an object in a tier: larger than the capacity, or not admitted by the policy: a
/// rejection. Otherwise evict until there are fewer objects than the tier's limit on them, where it
/// has one, and until the object fits; then insert: an admission. Its expiry is the request's
/// time plus the smaller of the request's and the tier's time to live.
///
/// **Hybrid, get.** Memory is asked first, then disk, each with expiry as above. Memory's policy
/// sees only what memory is asked, disk's only what memory could not answer (one that knows the
/// future is told of it all the same). A miss is stored, when inclusive, on disk and then in
/// memory; when exclusive, in memory, or on disk if memory rejects it. A disk hit that the
/// promotion rule lets pass is stored in memory with the copy's size, version and expiry (memory's
/// own time to live, when shorter, counts from now); when exclusive and not rejected there, it
/// first leaves disk. What memory evicts is stored on disk when exclusive (a demotion, keeping
/// size, version and expiry; what has already expired is dropped). A demotion and a promotion are
/// also admissions of the tier they enter.
///
/// **Hybrid, set.** Inclusive: like a single tier's set on disk, then on memory. Exclusive: removed
/// from disk, then a set in memory, or on disk if memory rejects it. **Delete**: from both.
public protocol Simulation: AnyObject {
  /// What has happened since the start or the last `resetCounts`.
  var counts: Counts { get }

  /// Position of the next request.
  var position: Int { get }

  /// Sizes in bytes of what each tier served, when the setup asks for them.
  var outcomes: OutcomeSizes? { get }

  /// Memory held for the simulation beside the trace's columns, in bytes.
  var stateBytes: Int { get }

  /// Replays requests up to but not including `end`, which is at most the number of requests. With
  /// `untilFirstEviction` it stops after the first request in which a tier (for a hybrid: disk)
  /// evicted, and returns true.
  @discardableResult
  func run(upTo end: Int, untilFirstEviction: Bool) -> Bool

  /// Sets all counts to zero and keeps the cache's content: the end of a warm-up.
  func resetCounts()
}
