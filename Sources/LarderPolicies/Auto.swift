import LarderEngine

extension RegisteredPolicy {
  package static let auto = RegisteredPolicy(Auto.self)
}

/// Runs one policy of a portfolio: the one that had the most hits of late in miniature simulations
/// beside the cache. `Contest` decides, the leader is a tier of its own, and a change hands its
/// objects over: see `Handover`.
struct Auto: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "auto", family: .adaptive, traits: .evictsOnHit,
    summary: "Simulates several policies on a sample of the objects, with capacities scaled down "
      + "likewise, and runs the one that had the most hits of late.",
    parameters: Portfolio.parameters + Contest.parameters,
    needs: [.size, .cost], learns: true,
    paper: "after Waldspurger, Saemundsson, Ahmad and Park, Cache modeling and optimization using "
      + "miniature simulations, USENIX ATC 2017")

  static var notices: PolicyNotices { .time }

  private let setup: PolicySetup
  private let needsCosts: Bool
  private var objects: Int
  // The time, 0 before the first entry with an expiry: until then a real cache may not know it.
  private var now: UInt64 = 0
  private var hasExpiries = false
  private var requests: UInt64 = 0
  private let portfolio: Portfolio
  private let contest: Contest
  // Requests between two reports to the contest, and until the next; and the policy that led then.
  private var share: UInt64
  private var left: UInt64
  private var chosen = 0
  private var records: Column<ObjectRecord>
  // Requests after which the count of an object halves: 2 to this power.
  private var period: UInt32 = 0
  private var costs: Column<Float>
  private var size: CacheSizeInObjects

  // The tier that leads, and its policy.
  private var leader: CacheTier
  private var policy = 0
  private var handover: Handover?
  // The last evicted objects, as many as a full cache holds: a ring. Some have come back.
  private var ghosts: [Ghost] = []
  private var nextGhost = 0
  // Residents that the tier has evicted, the next victim last.
  private var expelled: [ObjectID] = []
  // An object that the tier holds already, and the driver does not.
  private var entering = Request.none

  init(_ setup: PolicySetup) throws(PolicyError) {
    let portfolio = try Portfolio(setup)
    let contest = try Contest.make(setup)
    try portfolio.check(capacity: setup.capacity, objects: setup.objects)
    leader = portfolio.checkedTier(0, capacity: setup.capacity, objects: setup.objects)
    share = contest.share
    left = share
    self.portfolio = portfolio
    self.contest = contest
    self.setup = setup
    needsCosts = portfolio.needsCosts
    objects = setup.objects
    records = Column(objects: setup.objects)
    costs = Column(objects: portfolio.needsCosts ? setup.objects : 0)
    size = CacheSizeInObjects(setup)
    setPeriod()
  }

  func contains(_ id: ObjectID) -> Bool {
    records[id].isResident
  }

  func remembers(_ id: ObjectID) -> Bool {
    if records[id].isResident || records[id].isGhost { return true }
    return leader.remembers(id) || handover?.tier.remembers(id) ?? false
  }

  var ghostsMax: Int {
    let others = contest.ghostsMax
    return others > Int.max - size.objects ? others : others + size.objects
  }

  mutating func notice(_ notice: PolicyNotice) {
    if hasExpiries, case .time(let time) = notice { now = time }
  }

  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let request = note(request)
    advanceHandover(sizes)
    if isInHandover(request.id) {
      handover?.remove(request.id)
      enterLast(request.id)
    } else {
      _ = leader.access(request.id, 0)
      takeVictims()
    }
    if observe(request) { endShare() }
  }

  mutating func replace(_ given: Request, _ sizes: some ObjectSizes) {
    if given.expires != Request.noExpiry { hasExpiries = true }
    if needsCosts { costs[given.id] = given.cost }
    let request = note(given)
    advanceHandover(sizes)
    if isInHandover(request.id) {
      handover?.remove(request.id)
      enterLast(request.id)
    } else if leader.contains(request.id) {
      _ = leader.set(request, 0)
      takeVictims()
    }
    if observe(request, isSet: true) { endShare() }
  }

  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    meet(request)
    advanceHandover(sizes)
    if observe(request) { endShare() }
    if handover != nil { return true }
    guard leader.set(request, 0) == .stored else {
      takeVictims()
      return false
    }
    takeVictims()
    entering = request
    return true
  }

  func isFull(for request: Request) -> Bool { !expelled.isEmpty }

  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    size.enter()
    if request.expires != Request.noExpiry { hasExpiries = true }
    records[request.id].isResident = true
    if needsCosts { costs[request.id] = request.cost }
    entering = .none
    if handover != nil { enterLast(request.id) }
  }

  var overflows: Bool { !expelled.isEmpty }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    size.leave()
    let victim = nextExpelled()
    records[victim].isResident = false
    becomeGhost(victim)
    return victim
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard remembers(id) else { return }
    if contains(id) { size.leave() }
    contest.remove(records[id].fingerprint)
    records[id].isResident = false
    records[id].isGhost = false
    leader.remove(id)
    if isInHandover(id) { handover?.remove(id) }
    handover?.tier.remove(id)
  }

  mutating func reserve(objects: Int) {
    self.objects = max(self.objects, objects)
    records.reserve(objects: objects)
    if needsCosts { costs.reserve(objects: objects) }
    leader.reserve(objects)
    handover?.reserve(objects)
  }

  func prefetch(_ id: ObjectID) {
    records.prefetch(id)
    leader.prefetch(id)
  }

  var choice: PolicyChoice? { contest.choice }
  var leading: Int? { contest.leadingNow }

  mutating func resume(_ choice: PolicyChoice, isRestoring: Bool) {
    guard choice.isAmong(portfolio.specs) else { return }
    contest.resume(choice, isRestoring: isRestoring)
    chosen = choice.leading
    if isRestoring { (leader, policy) = (makeTier(), chosen) }
  }

  var stateBytes: Int {
    contest.stateBytes + records.bytes + costs.bytes + expelled.capacity * 4
      + ghosts.capacity * 8 + leader.stateBytes + (handover?.bytes ?? 0)
  }

  @inline(__always) private mutating func note(_ given: Request) -> Request {
    var request = given
    requests += 1
    var record = records[request.id]
    record.touch(at: requests, period: period)
    records[request.id] = record
    request.fingerprint = record.fingerprint
    if needsCosts { request.cost = costs[request.id] }
    return request
  }

  private mutating func meet(_ request: Request) {
    requests += 1
    let old = records[request.id]
    var record = ObjectRecord(request.fingerprint, at: requests)
    if old.isGhost {
      record = old
      record.isGhost = false
      record.touch(at: requests, period: period)
    }
    records[request.id] = record
  }

  private func age(_ id: ObjectID) -> UInt32 { records[id].age(at: requests) }

  private mutating func setPeriod() {
    period = UInt32(max(0, 67 - UInt64(size.objects).leadingZeroBitCount))
  }

  @inline(__always) private mutating func observe(
    _ request: Request, isSet: Bool = false
  ) -> Bool {
    contest.observe(request, now, isSet: isSet)
    left -= 1
    return left == 0
  }

  @inline(never) private mutating func endShare() {
    (chosen, share) = contest.report(requests: share, residents: size.objects)
    left = share
    if setup.unit == .bytes { setPeriod() }
    if handover == nil { beginHandover() }
  }
}

/// A cache that a tier leads.
extension Auto {
  private mutating func takeVictims() {
    let victims = leader.victims
    if victims.count == 0 { return }
    if victims.count == 1, expelled.isEmpty {
      expelled.append(victims[0])
      return
    }
    expelled.reverse()
    for index in 0..<victims.count { expelled.append(victims[index]) }
    expelled.reverse()
  }

  private mutating func nextExpelled() -> ObjectID {
    if let victim = expelled.popLast() { return victim }
    guard let handover else { return giveUp() }
    return leaveHandover(handover)
  }

  private mutating func giveUp() -> ObjectID {
    let victim = leader.giveUp()
    guard victim == entering.id else { return victim }
    let other = leader.giveUp()
    let outcome = leader.set(entering, 0)
    assert(outcome == .stored, "the leader does not hold an object that the cache stores")
    takeVictims()
    return other
  }

  private mutating func becomeGhost(_ id: ObjectID) {
    // The sizes of ghosts are unknown.
    guard setup.unit == .objects else { return }
    let ghost = Ghost(id: id, last: records[id].last)
    records[id].isGhost = true
    if nextGhost < ghosts.count {
      let old = ghosts[nextGhost]
      if isGhost(old) { records[old.id].isGhost = false }
      ghosts[nextGhost] = ghost
    } else {
      // A full cache will have as many; growing would copy them within one request.
      if ghosts.isEmpty { ghosts.reserveCapacity(min(size.objects, leader.count + 1)) }
      ghosts.append(ghost)
    }
    nextGhost = nextGhost + 1 < size.objects ? nextGhost + 1 : 0
    if nextGhost < ghosts.count { records.prefetch(ghosts[nextGhost].id) }
  }

  private func isGhost(_ ghost: Ghost) -> Bool {
    records[ghost.id].isGhost && records[ghost.id].last == ghost.last
  }
}

/// A change of the tier that leads.
extension Auto {
  private mutating func beginHandover() {
    if chosen != policy { handover = makeHandover(residents: leader.count) }
  }

  private func makeTier() -> CacheTier {
    portfolio.checkedTier(chosen, capacity: setup.capacity, objects: objects)
  }

  private func makeHandover(residents: Int) -> Handover {
    Handover(
      to: chosen, makeTier(), at: requests, residents: residents, ghosts: ghosts.count,
      objects: objects)
  }

  private func isInHandover(_ id: ObjectID) -> Bool { handover?.holds(id) ?? false }

  private func enterHandover(_ id: ObjectID) {
    handover?.add(id, age: age(id), at: requests)
  }

  private mutating func enterLast(_ id: ObjectID) {
    handover?.tier.remove(id)
    enterHandover(id)
  }

  private func leaveHandover(_ handover: Handover) -> ObjectID {
    let victim = handover.victim()
    guard victim != .none else { return leader.giveUp() }
    handover.remove(victim)
    handover.tier.remove(victim)
    return victim
  }

  @inline(__always) private mutating func advanceHandover(_ sizes: some ObjectSizes) {
    if handover != nil { moveObjects(sizes) }
  }

  @inline(never) private mutating func moveObjects(_ sizes: some ObjectSizes) {
    guard let handover else { return }
    var moved = 0
    for _ in 0..<Handover.looksMax where moved < Handover.pace {
      if handover.isLeaving {
        leaveOne(handover)
        moved += 1
      } else if let isMove = enterOne(handover, sizes) {
        moved += isMove ? 1 : 0
      } else {
        return expelRefused(handover)
      }
    }
  }

  private func leaveOne(_ handover: Handover) {
    let place = handover.ghostCount
    if leader.count > 0 {
      let id = leader.giveUp()
      handover.add(id, age: age(id), at: requests)
    } else if place < ghosts.count {
      let ghost = ghosts[place]
      handover.addGhost(
        last: ghost.last, age: ObjectRecord.age(of: ghost.last, at: requests), at: requests)
    } else {
      handover.isLeaving = false
    }
  }

  /// Nil if none waits; false for one that has left, or waits again.
  private func enterOne(_ handover: Handover, _ sizes: some ObjectSizes) -> Bool? {
    switch handover.next() {
    case .end: return nil
    case .resident(.none): return false
    case .resident(let id): handover.tier.takeOver(known(id, size: sizes[id], isResident: true))
    case .ghost(let place, let last):
      let ghost = ghosts[place]
      guard ghost.last == last, isGhost(ghost) else { return true }
      handover.tier.takeOver(known(ghost.id, size: 1, isResident: false))
    }
    let victims = handover.tier.victims
    for index in 0..<victims.count { handover.refuse(victims[index]) }
    victims.clear()
    return true
  }

  private func known(_ id: ObjectID, size: UInt32, isResident: Bool) -> KnownObject {
    KnownObject(
      id: id, fingerprint: records[id].fingerprint, size: size, cost: needsCosts ? costs[id] : 1,
      age: age(id), requests: records[id].requests(at: requests, period: period),
      isResident: isResident)
  }

  private mutating func expelRefused(_ handover: Handover) {
    expelled.reverse()
    for _ in 0..<Handover.pace {
      guard let id = handover.nextRefused() else { break }
      if !handover.holds(id) || handover.tier.contains(id) { continue }
      handover.remove(id)
      expelled.append(id)
    }
    expelled.reverse()
    if handover.hasRefused { return }
    self.handover = nil
    leader = handover.tier
    policy = handover.policy
    beginHandover()
  }
}

/// Knowledge of an object for the simulations and for a change of the leader.
private struct ObjectRecord: BitwiseCopyable {
  var fingerprint: UInt32
  // From the lowest bit: the number of its last request, modulo 2^27; its requests before that one
  // since it was stored, up to 7; whether it is resident, and whether a ghost.
  private var word: UInt32

  private static let lastBits: UInt32 = 27
  private static let lastMask: UInt32 = 1 << lastBits - 1
  private static let countMax: UInt32 = 7
  private static let residentBit: UInt32 = 1 << 30
  private static let ghostBit: UInt32 = 1 << 31

  init(_ fingerprint: UInt32, at request: UInt64) {
    self.fingerprint = fingerprint
    word = UInt32(truncatingIfNeeded: request) & ObjectRecord.lastMask
  }

  var isResident: Bool {
    get { word & ObjectRecord.residentBit != 0 }
    set { set(ObjectRecord.residentBit, to: newValue) }
  }

  var isGhost: Bool {
    get { word & ObjectRecord.ghostBit != 0 }
    set { set(ObjectRecord.ghostBit, to: newValue) }
  }

  private mutating func set(_ bit: UInt32, to isSet: Bool) {
    if isSet { word |= bit } else { word &= ~bit }
  }

  var last: UInt32 { word & ObjectRecord.lastMask }

  /// Requests of any object since the last one of this, modulo 2^27.
  @inline(__always) func age(at request: UInt64) -> UInt32 {
    ObjectRecord.age(of: word, at: request)
  }

  @inline(__always) static func age(of last: UInt32, at request: UInt64) -> UInt32 {
    (UInt32(truncatingIfNeeded: request) &- last) & lastMask
  }

  @inline(__always) func requests(at request: UInt64, period: UInt32) -> UInt32 {
    (word >> ObjectRecord.lastBits & ObjectRecord.countMax) >> (age(at: request) >> period)
  }

  @inline(__always) mutating func touch(at request: UInt64, period: UInt32) {
    let count = min(requests(at: request, period: period) + 1, ObjectRecord.countMax)
    let bits = word & (ObjectRecord.residentBit | ObjectRecord.ghostBit)
    let last = UInt32(truncatingIfNeeded: request) & ObjectRecord.lastMask
    word = bits | count << ObjectRecord.lastBits | last
  }
}

/// An evicted object, and its last request.
private struct Ghost: BitwiseCopyable {
  var id: ObjectID
  var last: UInt32
}
