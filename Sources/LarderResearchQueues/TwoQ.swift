import LarderEngine

extension RegisteredPolicy {
  package static let twoQ = RegisteredPolicy(TwoQ.self)
}

/// A queue for objects requested once, an LRU list for objects requested again, and a ghost queue.
struct TwoQ: EvictionPolicy, TwoListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "2q", family: .recency, traits: .namesVictim,
    summary: "New objects enter a FIFO whose victims leave ghosts; a miss on a ghost enters an "
      + "LRU list. Hits in the FIFO change nothing.",
    parameters: [
      PolicyParameter(
        "in", default: "0.25", searched: ["0.05", "0.25", "0.5"],
        "share of the FIFO, above 0 and below 1"),
      PolicyParameter(
        "ghost", default: "0.5", searched: ["0.5", "1.5"],
        "size of the ghost queue, share of the capacity"),
    ],
    paper: "Johnson and Shasha, 2Q: a low overhead high performance buffer management replacement "
      + "algorithm, VLDB 1994 (the full version)")

  // The paper's A1in, Am and A1out.
  private static var recent: UInt32 { 0 }
  private static var frequent: UInt32 { 1 }
  private static var ghosts: UInt32 { 2 }

  var lists: WeightedLists
  private let recentCapacity: UInt64
  private let ghostCapacity: UInt64
  let ghostsMax: Int
  private var missedGhost = false

  init(_ setup: PolicySetup) throws(PolicyError) {
    let share = try setup.spec.number("in", default: 0.25, in: 0.0001...0.9999)
    let ghostShare = try setup.spec.number("ghost", default: 0.5, in: 0...100)
    recentCapacity = UInt64(Double(setup.capacity) * share)
    ghostCapacity = UInt64(Double(setup.capacity) * ghostShare)
    ghostsMax = setup.ghostsMax(share: ghostShare)
    lists = WeightedLists(
      lists: 3, objects: setup.objects, weighs: setup.unit == .bytes, ghosts: TwoQ.ghosts)
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    if lists.contains(request.id, in: TwoQ.frequent) {
      lists.moveToFront(request.id, of: TwoQ.frequent)
    }
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    missedGhost = lists.place(request.id) != 0
    if missedGhost { lists.remove(request.id) }
    return true
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    if lists.weight(of: TwoQ.recent) > recentCapacity || lists.back(of: TwoQ.frequent) == .none {
      let victim = lists.back(of: TwoQ.recent)
      if UInt64(lists.weight(victim)) <= ghostCapacity {
        lists.moveToFront(victim, of: TwoQ.ghosts)
        lists.trim(TwoQ.ghosts, to: ghostCapacity)
      } else {
        // Too large for a ghost: it must not displace all others.
        lists.remove(victim)
      }
      return victim
    }
    let victim = lists.back(of: TwoQ.frequent)
    lists.remove(victim)
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    lists.pushFront(
      request.id, to: missedGhost ? TwoQ.frequent : TwoQ.recent, weight: request.size)
    missedGhost = false
  }

  var victim: ObjectID {
    let isRecent =
      lists.weight(of: TwoQ.recent) > recentCapacity || lists.back(of: TwoQ.frequent) == .none
    return lists.back(of: isRecent ? TwoQ.recent : TwoQ.frequent)
  }
}
