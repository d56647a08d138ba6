/// Belady's rule for objects of different sizes: a good offline policy, not a bound.
///
/// The rule is the one that libCacheSim calls BeladySize. There it is applied to a sample of the
/// objects; here the largest product among all of them is found exactly, at any time.
struct BeladySize: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "belady-size", family: .offline,
    summary: "Evicts the object with the largest product of size and time to its next request. For "
      + "equal sizes this is belady; otherwise it is close to the optimum, but not always "
      + "equal. O(log n), more for an eviction.",
    needs: [.size, .nextUse],
    paper: "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems "
      + "Journal 1966; with sizes as BeladySize in libCacheSim (Yang and others)")

  private var residents: KineticTournament
  private var now: UInt32 = 0

  init(_ setup: PolicySetup) {
    residents = KineticTournament(objects: setup.objects, capacity: setup.expectedResidents)
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    foresee(request)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    advance(to: request)
    residents.update(request.id, nextUse: request.nextUse, size: request.size, now: now)
  }

  @inline(__always)
  mutating func foresee(_ request: Request) {
    advance(to: request)
    residents.update(request.id, nextUse: request.nextUse, now: now)
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    advance(to: request)
    return residents.popLargest(now: now)
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    advance(to: request)
    residents.insert(request.id, nextUse: request.nextUse, size: request.size, now: now)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { residents.remove(id, now: now) }
  }

  mutating func reserve(objects: Int) { residents.reserve(objects: objects) }

  @inline(__always)
  func prefetch(_ id: ObjectID) { residents.prefetch(id) }

  @inline(__always)
  func prefetchNeighbours(_ id: ObjectID) { residents.prefetchPlayer(id) }

  var stateBytes: Int { residents.bytes }

  /// Time never goes back, not even for an eviction on the cache's own account.
  @inline(__always)
  private mutating func advance(to request: Request) {
    now = max(now, UInt32(truncatingIfNeeded: request.index))
  }
}
