import LarderEngine

extension RegisteredPolicy {
  package static let beladySize = RegisteredPolicy(BeladySize.self)
}

/// Belady's rule for objects of different sizes: a good offline policy, not a bound. The rule is
/// libCacheSim's BeladySize. libCacheSim applies it to a sample of the objects; here the largest
/// product of all objects is found exactly.
struct BeladySize: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "belady-size", family: .offline,
    summary: "Evicts the object with the largest product of size and time to its next request. For "
      + "equal sizes this is belady; otherwise it is close to the optimum, but not always "
      + "equal. O(log n), more for an eviction.",
    needs: [.size, .nextUse],
    paper: "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems "
      + "Journal 1966; with sizes as BeladySize in libCacheSim (Yang and others)")

  private var residents: Tournament<DistantPlayer>
  private var now: UInt32 = 0

  init(_ setup: PolicySetup) {
    residents = Tournament(objects: setup.objects, capacity: setup.expectedResidents)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    advance(to: request)
    residents.update(player(request, size: residents[request.id].size), now: now)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    advance(to: request)
    residents.update(player(request, size: request.size), now: now)
  }

  mutating func notice(_ notice: PolicyNotice) {
    if case .nextUse(let request) = notice { hit(request, UnitSizes()) }
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    advance(to: request)
    let victim = residents.winner(now: now)
    residents.remove(victim, now: now)
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    advance(to: request)
    residents.insert(player(request, size: request.size), now: now)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { residents.remove(id, now: now) }
  }

  mutating func reserve(objects: Int) { residents.reserve(objects: objects) }

  @inline(__always) func prefetch(_ id: ObjectID) { residents.prefetch(id) }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { residents.prefetchPlayer(id) }

  var stateBytes: Int { residents.bytes }

  @inline(__always) private func player(_ request: Request, size: UInt32) -> DistantPlayer {
    DistantPlayer(id: request.id, nextUse: request.nextUse, size: size)
  }

  @inline(__always) private mutating func advance(to request: Request) {
    now = max(now, UInt32(truncatingIfNeeded: request.index))
  }
}

/// An object whose strength is the product of its size and the time to its next use. Ties go to the
/// later next use, then to the larger object, then to the lower id; objects that are never used
/// again win, the larger first.
struct DistantPlayer: TournamentPlayer {
  var id: ObjectID
  var nextUse: UInt32
  var size: UInt32

  func beats(_ other: DistantPlayer, at now: UInt32) -> Bool {
    let (value, otherValue) = (value(at: now), other.value(at: now))
    if value != otherValue { return value > otherValue }
    if nextUse != other.nextUse { return nextUse > other.nextUse }
    return size != other.size ? size > other.size : id < other.id
  }

  func overtaking(_ winner: DistantPlayer, at now: UInt32) -> UInt32 {
    let (value, winnerValue) = (value(at: now), winner.value(at: now))
    guard winner.size > size, winner.nextUse != Request.never, winnerValue > value
    else { return .max }
    let rate = UInt64(winner.size - size)
    return UInt32(clamping: UInt64(now) + (winnerValue - value - 1) / rate + 1)
  }

  private func value(at now: UInt32) -> UInt64 {
    if nextUse == Request.never { return .max }
    return UInt64(size) &* UInt64(max(nextUse, now) - now)
  }
}
