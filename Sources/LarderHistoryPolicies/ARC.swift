import LarderEngine

extension RegisteredPolicy {
  package static let arc = RegisteredPolicy(ARC.self)
}

/// Two lists with ghosts; a missed ghost moves the border towards the list it came from.
struct ARC: EvictionPolicy, BalancedListsPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "arc", family: .adaptive,
    summary: "An LRU list of objects requested once and one of objects requested again, each with "
      + "ghosts of its evictions; a miss on a ghost enlarges the share of that list.",
    paper: "Megiddo and Modha, ARC: a self-tuning, low overhead replacement cache, FAST 2003")

  var lists: WeightedLists
  let capacity: UInt64
  let ghostsMax: Int
  private let weighs: Bool
  var target = 0.0
  private var missedPlace: UInt32 = 0

  init(_ setup: PolicySetup) {
    capacity = setup.capacity
    ghostsMax = setup.ghostsMax(share: 1)
    weighs = setup.unit == .bytes
    lists = WeightedLists(
      lists: 4, objects: setup.objects, weighs: weighs, ghosts: ARC.recentGhosts)
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    lists.moveToFront(request.id, of: ARC.frequent)
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    missedPlace = UInt32(lists.place(request.id))
    guard missedPlace != 0 else { return true }
    adapt(to: request.id)
    lists.remove(request.id)
    return true
  }

  /// The paper's REPLACE. Excess ghosts are removed when the object is stored.
  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let recent = Double(lists.weight(of: ARC.recent))
    let isFavoured = missedPlace == ARC.frequentGhosts + 1 && recent == target
    let oldest = lists.back(of: ARC.recent)
    if oldest != .none,
      recent > target || isFavoured || lists.back(of: ARC.frequent) == .none
        || leavesNoRoom(for: request)
    {
      lists.moveToFront(oldest, of: ARC.recentGhosts)
      return oldest
    }
    let victim = lists.back(of: ARC.frequent)
    lists.moveToFront(victim, of: ARC.frequentGhosts)
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let list = missedPlace == 0 ? ARC.recent : ARC.frequent
    lists.pushFront(request.id, to: list, weight: request.size)
    missedPlace = 0
    trimGhosts()
    lists.prefetchBack(of: ARC.recent)
    lists.prefetchBack(of: ARC.frequent)
    lists.prefetchBack(of: ARC.recentGhosts)
    lists.prefetchBack(of: ARC.frequentGhosts)
  }

  mutating func takeOver(_ object: KnownObject) -> Bool {
    let (resident, ghost) =
      object.requests > 0
      ? (ARC.frequent, ARC.frequentGhosts) : (ARC.recent, ARC.recentGhosts)
    lists.pushFront(object.id, to: object.isResident ? resident : ghost, weight: object.size)
    trimGhosts()
    return true
  }

  /// Case IV A with a full T1, which must evict whatever its target.
  @inline(__always) private func leavesNoRoom(for request: Request) -> Bool {
    guard weighs, missedPlace == 0, request.id != .none, lists.place(request.id) == 0 else {
      return false
    }
    return lists.weight(of: ARC.recent) + UInt64(request.size) > capacity
  }
}

/// ARC and CAR: two lists with ghosts, whose target weights adapt to misses on ghosts.
protocol BalancedListsPolicy: TwoListPolicy, ~Copyable {
  var capacity: UInt64 { get }
  /// The target weight of `recent`: the paper's p, which need not be a whole number.
  var target: Double { get set }
}

extension BalancedListsPolicy where Self: ~Copyable {
  // The paper's T1, T2, B1 and B2.
  static var recent: UInt32 { 0 }
  static var frequent: UInt32 { 1 }
  static var recentGhosts: UInt32 { 2 }
  static var frequentGhosts: UInt32 { 3 }

  @inline(__always) mutating func adapt(to ghost: ObjectID) {
    let recent = Double(lists.weight(of: Self.recentGhosts))
    let frequent = Double(lists.weight(of: Self.frequentGhosts))
    let step = Double(lists.weight(ghost))
    if lists.contains(ghost, in: Self.recentGhosts) {
      target = min(target + max(frequent / max(recent, 1), 1) * step, Double(capacity))
    } else {
      target = max(target - max(recent / max(frequent, 1), 1) * step, 0)
    }
  }

  @inline(__always) mutating func trimGhosts() {
    let recent = lists.weight(of: Self.recent)
    lists.trim(Self.recentGhosts, to: capacity - min(recent, capacity))
    let others = recent + lists.weight(of: Self.recentGhosts) + lists.weight(of: Self.frequent)
    lists.trim(Self.frequentGhosts, to: 2 * capacity - min(others, 2 * capacity))
  }
}
