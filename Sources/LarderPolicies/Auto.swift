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
  // Read for a request in the sample, and for a change of the leader.
  private var fingerprints: Column<UInt32>
  // Requests after which the count of an object halves: 2 to this power.
  private var period: UInt32 = 0
  private var costs: Column<Float>
  private var size: CacheSizeInObjects

  // Made for a change of a cache's limits, in small pages.
  private let takesSmallPages = LargeMemory.hasSmallPages
  // The tier that leads, and its policy.
  private var leader: CacheTier
  private var policy = 0
  private var handover: Handover?
  // The last evicted objects, as many as a full cache holds: a ring. Some have come back, and
  // some places are empty: see `Contest.keepsGhosts`.
  private var ghosts: [Ghost] = []
  private var nextGhost = 0
  private var keepsGhosts: Bool
  // Residents that the tier has evicted: the next victim, and the others, the next one last.
  private var nextVictim = ObjectID.none
  private var expelled: [ObjectID] = []
  // An object that the tier holds already, and the driver does not.
  private var entering = Request.none

  init(_ setup: PolicySetup) throws(PolicyError) {
    let portfolio = try Portfolio(setup)
    let contest = try Contest.make(setup)
    try portfolio.check(capacity: setup.capacity, objects: setup.objects)
    chosen = contest.leadingNow
    policy = chosen
    leader = portfolio.checkedTier(chosen, capacity: setup.capacity, objects: setup.objects)
    share = contest.share
    keepsGhosts = contest.keepsGhosts
    left = share
    self.portfolio = portfolio
    self.contest = contest
    self.setup = setup
    needsCosts = portfolio.needsCosts
    objects = setup.objects
    records = Column(objects: setup.objects)
    fingerprints = Column(objects: setup.objects)
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
    let isSampled = touch(request.id)
    if handover == nil {
      _ = leader.access(request.id, 0)
      takeVictims()
    } else {
      hitInHandover(request, sizes)
    }
    if isSampled { sample(request) }
    count()
  }

  @inline(never) private mutating func hitInHandover(
    _ request: Request, isSet: Bool = false, _ sizes: some ObjectSizes
  ) {
    advanceHandover(sizes)
    if isInHandover(request.id) {
      handover?.remove(request.id)
      enterLast(request.id)
    } else if isSet {
      replaceInLeader(request)
    } else {
      _ = leader.access(request.id, 0)
      takeVictims()
    }
  }

  private mutating func replaceInLeader(_ request: Request) {
    guard leader.contains(request.id) else { return }
    _ = leader.set(request, 0)
    takeVictims()
  }

  mutating func replace(_ given: Request, _ sizes: some ObjectSizes) {
    if given.expires != Request.noExpiry { hasExpiries = true }
    if needsCosts { costs[given.id] = given.cost }
    var request = given
    request.fingerprint = fingerprints[given.id]
    let isSampled = touch(request.id)
    if handover == nil {
      replaceInLeader(request)
    } else {
      hitInHandover(request, isSet: true, sizes)
    }
    if isSampled { sample(request, isSet: true) }
    count()
  }

  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    requests += 1
    let isSampled = contest.isSampled(request.fingerprint)
    var record = records[request.id]
    if record.isGhost {
      record.isGhost = false
      record.touch(at: requests, period: period)
    } else {
      record = ObjectRecord(at: requests, isSampled: isSampled)
      fingerprints[request.id] = request.fingerprint
    }
    records[request.id] = record
    if handover != nil { advanceHandover(sizes) }
    if isSampled { contest.observe(request, now, isSet: false) }
    count()
    if handover != nil { return true }
    guard leader.set(request, 0) == .stored else {
      takeVictims()
      return false
    }
    takeVictims()
    entering = request
    return true
  }

  func isFull(for request: Request) -> Bool { nextVictim != .none }

  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    size.enter()
    if request.expires != Request.noExpiry { hasExpiries = true }
    records[request.id].isResident = true
    if needsCosts { costs[request.id] = request.cost }
    entering = .none
    if handover != nil { enterLast(request.id) }
  }

  var overflows: Bool { nextVictim != .none }

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
    contest.remove(fingerprints[id])
    records[id].isResident = false
    records[id].isGhost = false
    leader.remove(id)
    if isInHandover(id) { handover?.remove(id) }
    handover?.tier.remove(id)
  }

  mutating func reserve(objects: Int) {
    self.objects = max(self.objects, objects)
    records.reserve(objects: objects)
    fingerprints.reserve(objects: objects)
    if needsCosts { costs.reserve(objects: objects) }
    leader.reserve(objects)
    handover?.reserve(objects)
  }

  func prefetch(_ id: ObjectID) {
    records.prefetch(id)
    leader.prefetch(id)
  }

  func prefetchNeighbours(_ id: ObjectID) { leader.prefetchNeighbours(id) }

  var candidate: ObjectID { handover == nil ? leader.victims.candidate : .none }

  var choice: PolicyChoice? { contest.choice }
  var leading: Int? { contest.leadingNow }

  mutating func resume(_ choice: PolicyChoice, isRestoring: Bool) {
    guard choice.isAmong(portfolio.specs) else { return }
    contest.resume(choice, isRestoring: isRestoring)
    chosen = choice.leading
    if isRestoring { (leader, policy) = (makeTier(), chosen) }
  }

  var stateBytes: Int {
    contest.stateBytes + records.bytes + fingerprints.bytes + costs.bytes + expelled.capacity * 4
      + ghosts.capacity * 8 + leader.stateBytes + (handover?.bytes ?? 0)
  }

  /// Notes a request for a resident; true if it is in the sample.
  @inline(__always) private mutating func touch(_ id: ObjectID) -> Bool {
    requests += 1
    var record = records[id]
    record.touch(at: requests, period: period)
    records[id] = record
    return record.isSampled
  }

  private mutating func setPeriod() {
    period = UInt32(max(0, 67 - UInt64(size.objects).leadingZeroBitCount))
  }

  @inline(never) private func sample(_ given: Request, isSet: Bool = false) {
    var request = given
    request.fingerprint = fingerprints[given.id]
    if needsCosts { request.cost = costs[given.id] }
    contest.observe(request, now, isSet: isSet)
  }

  @inline(__always) private mutating func count() {
    left -= 1
    if left == 0 { endShare() }
  }

  @inline(never) private mutating func endShare() {
    (chosen, share) = contest.report(requests: share, residents: size.objects)
    keepsGhosts = contest.keepsGhosts
    left = share
    if setup.unit == .bytes { setPeriod() }
    if handover == nil { beginHandover() }
  }
}

/// A cache that a tier leads.
extension Auto {
  @inline(__always) private mutating func takeVictims() {
    let victims = leader.victims
    if victims.count == 0 { return }
    if victims.count == 1, nextVictim == .none {
      nextVictim = victims[0]
    } else {
      expel((0..<victims.count).map { victims[$0] })
    }
  }

  @inline(never) private mutating func expel(_ victims: [ObjectID]) {
    var others = victims[...]
    if nextVictim == .none { nextVictim = others.popFirst() ?? .none }
    if others.isEmpty { return }
    expelled.reverse()
    expelled += others
    expelled.reverse()
  }

  private mutating func nextExpelled() -> ObjectID {
    let victim = nextVictim
    if victim != .none {
      nextVictim = expelled.popLast() ?? .none
      return victim
    }
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
    let isKept = keepsGhosts || (handover != nil && setup.unit == .objects)
    if !isKept, ghosts.isEmpty { return }
    let ghost = isKept ? Ghost(id: id, last: records[id].last) : Ghost(id: .none, last: 0)
    records[id].isGhost = isKept
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
    ghost.id != .none && records[ghost.id].isGhost && records[ghost.id].last == ghost.last
  }
}

/// A change of the tier that leads.
extension Auto {
  private mutating func beginHandover() {
    guard chosen != policy else { return }
    handover = Handover(
      to: chosen, makeTier(), at: requests, residents: leader.count, ghosts: ghosts.count,
      objects: objects)
  }

  private func makeTier() -> CacheTier {
    LargeMemory.withSmallPages(takesSmallPages || objects > setup.objects) {
      portfolio.checkedTier(chosen, capacity: setup.capacity, objects: objects)
    }
  }

  private func isInHandover(_ id: ObjectID) -> Bool { handover?.holds(id) ?? false }

  private mutating func enterLast(_ id: ObjectID) {
    handover?.tier.remove(id)
    handover?.add(id, age: records[id].age(at: requests), at: requests)
  }

  private func leaveHandover(_ handover: Handover) -> ObjectID {
    let victim = handover.victim()
    guard victim != .none else { return leader.giveUp() }
    handover.remove(victim)
    handover.tier.remove(victim)
    return victim
  }

  @inline(never) private mutating func advanceHandover(_ sizes: some ObjectSizes) {
    guard let handover else { return }
    var room = Handover.pace
    while handover.isLeaving, room > 0 {
      leaveOne(handover)
      room -= 1
    }
    let isEnd = handover.take(room)
    for entry in handover.batch {
      let id = entry.isGhost ? ghosts[entry.place].id : entry.id
      records.prefetch(id)
      fingerprints.prefetch(id)
      handover.tier.prefetch(id)
    }
    for entry in handover.batch { enter(entry, handover, sizes) }
    if isEnd { expelRefused(handover) }
  }

  private func leaveOne(_ handover: Handover) {
    let place = handover.ghostCount
    if leader.count > 0 {
      let id = leader.giveUp()
      handover.add(id, age: records[id].age(at: requests), at: requests)
    } else if place < ghosts.count {
      let last = ghosts[place].last
      handover.addGhost(last: last, age: ObjectRecord.age(of: last, at: requests), at: requests)
    } else {
      handover.isLeaving = false
    }
  }

  private func enter(
    _ entry: Handover.Entry, _ handover: Handover, _ sizes: some ObjectSizes
  ) {
    if entry.isGhost {
      let ghost = ghosts[entry.place]
      guard ghost.last == entry.last, isGhost(ghost) else { return }
      handover.tier.takeOver(known(ghost.id, size: 1, isResident: false))
    } else {
      handover.tier.takeOver(known(entry.id, size: sizes[entry.id], isResident: true))
    }
    let victims = handover.tier.victims
    for index in 0..<victims.count { handover.refuse(victims[index]) }
    victims.clear()
  }

  private func known(_ id: ObjectID, size: UInt32, isResident: Bool) -> KnownObject {
    KnownObject(
      id: id, fingerprint: fingerprints[id], size: size, cost: needsCosts ? costs[id] : 1,
      age: records[id].age(at: requests),
      requests: records[id].requests(at: requests, period: period), isResident: isResident)
  }

  private mutating func expelRefused(_ handover: Handover) {
    var victims: [ObjectID] = []
    for _ in 0..<Handover.pace {
      guard let id = handover.nextRefused() else { break }
      if !handover.holds(id) || handover.tier.contains(id) { continue }
      handover.remove(id)
      victims.append(id)
    }
    expel(victims)
    if handover.hasRefused { return }
    self.handover = nil
    leader = handover.tier
    policy = handover.policy
    beginHandover()
  }
}

/// Knowledge of an object, in as few bytes as possible: every request reads and changes them.
private struct ObjectRecord: BitwiseCopyable {
  // From the lowest bit: the number of its last request, modulo 2^26; its requests before that one
  // since it was stored, up to 7; whether it is resident, in the sample, and a ghost.
  private var word: UInt32

  private static let lastBits: UInt32 = 26
  private static let lastMask: UInt32 = 1 << lastBits - 1
  private static let countMax: UInt32 = 7
  private static let flags: UInt32 = 7 << 29

  init(at request: UInt64, isSampled: Bool) {
    word = UInt32(truncatingIfNeeded: request) & ObjectRecord.lastMask
    self[30] = isSampled
  }

  private subscript(bit: UInt32) -> Bool {
    get { word >> bit & 1 != 0 }
    set { word = newValue ? word | 1 << bit : word & ~(1 << bit) }
  }

  var isResident: Bool {
    get { self[29] }
    set { self[29] = newValue }
  }

  var isSampled: Bool { self[30] }

  var isGhost: Bool {
    get { self[31] }
    set { self[31] = newValue }
  }

  var last: UInt32 { word & ObjectRecord.lastMask }

  /// Requests of any object since the last one of this, modulo 2^26.
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
    let bits = word & ObjectRecord.flags
    let last = UInt32(truncatingIfNeeded: request) & ObjectRecord.lastMask
    word = bits | count << ObjectRecord.lastBits | last
  }
}

/// An evicted object, and its last request.
private struct Ghost: BitwiseCopyable {
  var id: ObjectID
  var last: UInt32
}
