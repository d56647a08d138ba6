@testable import LarderEngine

/// The policy that chooses its policy, rule by rule: simulations of a portfolio on a sample of the
/// objects, epochs, decisions and handing over.
struct NaiveAuto: NaivePolicy {
  /// Knowledge of an object.
  struct Record {
    var last = 0
    var requests = 0
    var size: UInt32 = 1
    var cost: Float = 1
  }

  let setup: PolicySetup
  let specs: [PolicySpec]
  let shadowMin: Double
  let epochShare: Double
  let halfLife: Double
  let margin: Double

  var now: UInt64 = 0
  var hasExpiries = false
  var clock = 0
  var records: [ObjectID: Record] = [:]
  /// The last evicted objects, with their last request; they have come back if
  /// it is another by now. The next one goes to place `nextGhost`.
  var ghosts: [(id: ObjectID, last: Int)] = []
  var nextGhost = 0
  var expelled: [ObjectID] = []
  var entering = Request.none
  var leader: NaiveMember
  var policy: Int
  var handover: NaiveHandover?
  var period = 16
  var count = 0
  var most = 1

  // The contest.
  var shift = 0
  var shadows: [NaiveMember] = []
  var hits: [Double]
  var sampled = 0.0
  var held: Int
  var leading: Int
  var inEpoch = 0
  var sinceSwitch = 0
  var recentSwitches = 0.0
  var switches = 0
  var isRestoring = false

  init(_ setup: PolicySetup) throws {
    let spec = setup.spec
    self.setup = setup
    shadowMin = try spec.number("shadow", default: 1000, in: 0...1e9)
    epochShare = try spec.number("epoch", default: 0.25, in: 0...1e9)
    halfLife = try spec.number("half-life", default: 64, in: 0...1e9)
    margin = try spec.number("margin", default: 0.005, in: 0...1)
    specs = try NaiveAuto.specs(setup)
    let isLarge = setup.unit == .objects && setup.capacity >= 32_768
    leading = isLarge && spec.values["policies"] == nil ? specs.count - 1 : 0
    policy = leading
    leader = try NaiveMember(specs[leading], setup.capacity, setup)
    hits = specs.map { _ in 0 }
    held = setup.unit == .bytes ? 1 : Int(setup.capacity)
    shift = shift(held)
    shadows = try specs.map { try NaiveMember($0, shadowCapacity, setup) }
    setPeriod()
  }

  private static func specs(_ setup: PolicySetup) throws -> [PolicySpec] {
    let usual =
      setup.unit == .bytes
      ? "gdsf/s4-fifo(refuse-large=true)/w-tinylfu" : "lirs/arc/mq/mq(life=8)/w-tinylfu"
    return try (setup.spec.values["policies"] ?? usual).split(separator: "/").map { part in
      var text = String(part).replacing(")", with: "")
      text = text.replacing("(", with: ":").replacing(";", with: ":")
      if text.hasPrefix("lirs"), !text.contains("stack=") {
        // 3 C, and at least 3000.
        let share = setup.unit == .bytes ? 3 : max(3, (2999 + setup.capacity) / setup.capacity)
        text += ":stack=\(min(1000, share))"
      }
      if part.hasPrefix("s4-fifo"), !text.contains("refuse-large=") {
        text += ":refuse-large=false"
      }
      return try PolicySpec(parsing: text)
    }
  }

  // MARK: Rule 1 and 3

  private func shift(_ residents: Int) -> Int {
    var shift = 0
    while Double(residents) / Double(1 << (shift + 1)) >= shadowMin { shift += 1 }
    return shift
  }

  private var shadowCapacity: UInt64 {
    max(1, UInt64((Double(setup.capacity) / Double(1 << shift)).rounded()))
  }

  private var epoch: Int { max(Int(epochShare * Double(held)), 50 << shift) }

  private func isSampled(_ id: ObjectID) -> Bool {
    var hash = (UInt64(Request.fingerprint(of: id)) + 1) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 33
    return shift == 0 || hash >> UInt64(64 - shift) == 0
  }

  private mutating func observe(_ request: Request, isSet: Bool) -> Bool {
    for place in shadows.indices { shadows[place].victims = [] }
    if isSampled(request.id) {
      sampled += 1
      for place in shadows.indices {
        let size = shadows[place].copies[request.id]?.size ?? request.size
        if isSet || (setup.unit == .bytes && size != request.size) {
          if shadows[place].set(request, now) == .replaced { hits[place] += 1 }
        } else if shadows[place].access(request.id, now) {
          hits[place] += 1
        } else {
          _ = shadows[place].set(request, now)
        }
      }
    }
    inEpoch += 1
    return inEpoch == epoch
  }

  // MARK: Rule 4

  private mutating func endEpoch() {
    setPeriod()
    let length = Double(epoch)
    sinceSwitch += inEpoch
    inEpoch = 0
    let best = hits.indices.first { hits[$0] == hits.max() } ?? 0
    let limit = recentSwitches * Double(max(held, 50))
    let ahead = hits[best] - hits[leading]
    // Requests in the sample of which a share is the least lead.
    let basis =
      setup.unit == .bytes
      ? max(sampled, halfLife * Double(max(held, most)) / Double(1 << shift)) : sampled
    if !isRestoring, ahead > 0, ahead > margin * basis, Double(sinceSwitch) >= limit {
      leading = best
      switches += 1
      recentSwitches += 1
      sinceSwitch = 0
    }
    let scale = Double(1 << shift)
    let decay = DeterministicMath.pow(
      0.5, length / max(halfLife * Double(held), 20_000 * scale))
    let switchDecay = DeterministicMath.pow(
      0.5, length / max(64 * Double(held), 400_000 * scale))
    hits = hits.map { $0 * decay }
    sampled *= decay
    recentSwitches *= switchDecay
    if setup.unit == .bytes, most > held {
      held = most
      if shift(held) > shift { thin() }
    }
    if setup.unit == .bytes {
      for place in shadows.indices {
        while shadows[place].copies.count > 4 * max(64, most >> shift) {
          _ = shadows[place].giveUp()
        }
      }
    }
    if handover == nil { beginHandover() }
  }

  private mutating func thin() {
    shift = shift(held)
    for place in shadows.indices {
      var (old, fresh) = (shadows[place], shadows[place])
      guard let empty = try? NaiveMember(specs[place], shadowCapacity, setup) else { return }
      fresh = empty
      let copies = old.copies
      while let id = old.giveUp() {
        if isSampled(id), let copy = copies[id] { _ = fresh.set(copy.request(id), 0) }
      }
      fresh.victims = []
      shadows[place] = fresh
    }
  }

  // MARK: Changes of the capacity

  mutating func resume(_ old: NaiveAuto, isRestoring: Bool) {
    self.isRestoring = isRestoring
    leading = old.leading
    switches = old.switches
    recentSwitches = old.recentSwitches
    sinceSwitch = 0
    sampled = old.sampled * Double(1 << old.shift) / Double(1 << shift)
    hits = old.hits.map { old.sampled == 0 ? 0 : $0 / old.sampled * sampled }
    if isRestoring, let fresh = try? NaiveMember(specs[leading], setup.capacity, setup) {
      (leader, policy) = (fresh, leading)
    }
  }

  // MARK: Rules 5 and 6

  private func heir(_ id: ObjectID, isResident: Bool) -> NaiveHeir {
    let record = records[id] ?? Record()
    return NaiveHeir(
      id: id, size: isResident && setup.unit == .bytes ? record.size : 1, cost: record.cost,
      age: clock - record.last, requests: recent(record), isResident: isResident)
  }

  private mutating func beginHandover() {
    if leading != policy { handover = makeHandover() }
  }

  private func makeHandover() -> NaiveHandover? {
    let fresh = try? NaiveMember(specs[leading], setup.capacity, setup)
    return fresh.map { NaiveHandover(policy: leading, tier: $0, start: clock) }
  }

  private mutating func advance() {
    for _ in 0..<64 {
      guard let current = handover else { return }
      if current.isLeaving {
        let ghost = current.ghostsAdded
        if let id = leader.giveUp() {
          handover?.add(id, last: records[id]?.last ?? 0)
        } else if ghost < ghosts.count {
          handover?.addGhost(last: ghosts[ghost].last)
        } else {
          handover?.isLeaving = false
        }
        continue
      }
      guard let next = handover?.next() else { return expelRefused() }
      if next.isGhost {
        let id = ghosts[Int(next.id)].id
        guard isKept(id), records[id]?.last == next.last else { continue }
        let ghost = heir(id, isResident: false)
        handover?.tier.takeOver(ghost)
      } else {
        let resident = heir(next.id, isResident: true)
        handover?.tier.takeOver(resident)
      }
      let refused = handover?.tier.victims ?? []
      handover?.refused += refused
      handover?.tier.victims = []
    }
  }

  private mutating func expelRefused() {
    guard var ended = handover else { return }
    for id in ended.refused.prefix(64)
    where ended.residents.contains(id) && !ended.tier.contains(id) {
      ended.residents.removeAll { $0 == id }
      ended.waiting.removeAll { $0.id == id && !$0.isGhost }
      expelled.append(id)
    }
    ended.refused.removeFirst(min(64, ended.refused.count))
    handover = ended
    if !ended.refused.isEmpty { return }
    handover = nil
    leader = ended.tier
    policy = ended.policy
    beginHandover()
  }

  private mutating func reenter(_ id: ObjectID) {
    handover?.remove(id)
    handover?.add(id, last: records[id]?.last ?? 0)
  }

  private mutating func takeVictims() {
    expelled += leader.victims
    leader.victims = []
  }

  // MARK: Requests

  func contains(_ id: ObjectID) -> Bool {
    handover?.residents.contains(id) ?? false || leader.contains(id) && id != entering.id
  }

  func isGhost(_ id: ObjectID) -> Bool {
    if contains(id) { return false }
    return isKept(id) || leader.remembers(id) || handover?.tier.remembers(id) ?? false
  }

  var overflows: Bool { !expelled.isEmpty }
  func isFull(for request: Request) -> Bool { !expelled.isEmpty }

  mutating func follow(_ time: UInt64) { now = hasExpiries ? time : 0 }

  mutating func hit(_ given: Request) {
    let request = note(given)
    advance()
    if handover?.residents.contains(request.id) ?? false {
      reenter(request.id)
    } else {
      _ = leader.access(request.id, 0)
      takeVictims()
    }
    if observe(request, isSet: false) { endEpoch() }
  }

  mutating func replace(_ given: Request) {
    records[given.id]?.cost = given.cost
    hasExpiries = hasExpiries || given.expires != Request.noExpiry
    let request = note(given)
    advance()
    records[given.id]?.size = given.size
    if handover?.residents.contains(request.id) ?? false {
      reenter(request.id)
    } else if leader.contains(request.id) {
      leader.set(request, 0)
      takeVictims()
    }
    if observe(request, isSet: true) { endEpoch() }
  }

  mutating func admit(_ request: Request) -> Bool {
    clock += 1
    var record = Record(last: clock, requests: 0, size: request.size, cost: 1)
    if isKept(request.id) { record.requests = min(7, recent(records[request.id] ?? Record()) + 1) }
    records[request.id] = record
    advance()
    if observe(request, isSet: false) { endEpoch() }
    if handover != nil { return true }
    let outcome = leader.set(request, 0)
    takeVictims()
    guard outcome == .stored else { return false }
    entering = request
    return true
  }

  mutating func insert(_ request: Request) {
    hasExpiries = hasExpiries || request.expires != Request.noExpiry
    count += 1
    most = max(most, count)
    records[request.id]?.cost = request.cost
    records[request.id]?.size = request.size
    entering = .none
    handover?.tier.remove(request.id)
    handover?.add(request.id, last: clock)
  }

  mutating func evict() -> ObjectID {
    count -= 1
    let victim = expelled.isEmpty ? giveUp() : expelled.removeFirst()
    if setup.unit == .objects {
      let ghost = (id: victim, last: records[victim]?.last ?? 0)
      if nextGhost == ghosts.count { ghosts.append(ghost) } else { ghosts[nextGhost] = ghost }
      nextGhost = (nextGhost + 1) % Int(setup.capacity)
    }
    return victim
  }

  private mutating func giveUp() -> ObjectID {
    if let victim = handover?.residents.first {
      handover?.remove(victim)
      return victim
    }
    let victim = leader.giveUp() ?? .none
    guard victim == entering.id else { return victim }
    let other = leader.giveUp() ?? .none
    leader.set(entering, 0)
    takeVictims()
    return other
  }

  mutating func remove(_ id: ObjectID) {
    guard contains(id) || isGhost(id) else { return }
    if contains(id) { count -= 1 }
    for place in shadows.indices { shadows[place].remove(id) }
    leader.remove(id)
    handover?.remove(id)
    forgetGhost(id)
  }

  private mutating func forgetGhost(_ id: ObjectID) {
    ghosts = ghosts.map { $0.id == id ? (.none, $0.last) : $0 }
  }

  private func isKept(_ id: ObjectID) -> Bool {
    !contains(id) && ghosts.contains { $0 == (id, records[id]?.last ?? 0) }
  }

  private mutating func setPeriod() {
    let objects = setup.unit == .bytes ? most : Int(min(setup.capacity, 1 << 40))
    while period * 2 <= 16 * objects { period *= 2 }
  }

  private func recent(_ record: Record) -> Int {
    var recent = record.requests
    for _ in 0..<min(8, (clock - record.last) / period) { recent /= 2 }
    return recent
  }

  private mutating func note(_ given: Request) -> Request {
    var request = given
    clock += 1
    let count = recent(records[given.id] ?? Record()) + 1
    records[given.id]?.requests = min(7, count)
    records[given.id]?.last = clock
    request.cost = records[given.id]?.cost ?? 1
    return request
  }
}

/// An object of a cache that another policy takes over.
struct NaiveHeir {
  var id: ObjectID
  var size: UInt32
  var cost: Float
  var age: Int
  var requests: Int
  var isResident: Bool

  var weighted: NaiveWeighted { NaiveWeighted(Request(id: id, size: size)) }
}

/// A change of the tier that leads: residents leave the old one, and enter the new one by the age
/// of their last request.
struct NaiveHandover {
  struct Entry {
    var id: ObjectID
    var last: Int
    var bucket: Int
    var isGhost: Bool
  }

  let policy: Int
  var tier: NaiveMember
  let start: Int
  var isLeaving = true
  var residents: [ObjectID] = []
  var waiting: [Entry] = []
  var ghostsAdded = 0
  var refused: [ObjectID] = []

  init(policy: Int, tier: NaiveMember, start: Int) {
    self.policy = policy
    self.tier = tier
    self.start = start
  }

  mutating func add(_ id: ObjectID, last: Int) {
    residents.append(id)
    waiting.append(Entry(id: id, last: last, bucket: bucket(last), isGhost: false))
  }

  mutating func addGhost(last: Int) {
    let place = ObjectID(ghostsAdded)
    waiting.append(Entry(id: place, last: last, bucket: bucket(last), isGhost: true))
    ghostsAdded += 1
  }

  private func bucket(_ last: Int) -> Int {
    var (age, octave) = (max(0, start - last), 0)
    while age >= 128 {
      age /= 2
      octave += 1
    }
    return octave * 64 + age
  }

  mutating func next() -> Entry? {
    guard let oldest = waiting.map(\.bucket).max() else { return nil }
    let place =
      waiting.firstIndex { $0.bucket == oldest && $0.isGhost }
      ?? waiting.firstIndex { $0.bucket == oldest }
    return place.map { waiting.remove(at: $0) }
  }

  mutating func remove(_ id: ObjectID) {
    residents.removeAll { $0 == id }
    waiting.removeAll { $0.id == id && !$0.isGhost }
    tier.remove(id)
  }
}

/// A tier that `NaiveAuto` drives, which keeps its victims.
struct NaiveMember {
  enum Outcome { case stored, replaced, rejected }

  private(set) var tier: NaiveTier
  var victims: [ObjectID] = []

  init(_ spec: PolicySpec, _ capacity: UInt64, _ setup: PolicySetup) throws {
    let made = try NaiveTier(
      TierSetup(policy: spec, capacity: capacity), unit: setup.unit, seed: setup.seed)
    guard let made else { throw PolicyError.unknownPolicy(spec.name, nearest: nil) }
    tier = made
  }

  var policy: any NaivePolicy { tier.policy }
  var copies: [ObjectID: NaiveCopy] { tier.copies }

  func contains(_ id: ObjectID) -> Bool { policy.contains(id) }
  func remembers(_ id: ObjectID) -> Bool { policy.contains(id) || policy.isGhost(id) }

  mutating func access(_ id: ObjectID, _ now: UInt64) -> Bool {
    let context = NaiveContext(now: now, ttlSeconds: 0, version: 0, latest: [:])
    let found = tier.lookUp(Request(id: id), context)
    victims = found?.evicted.map(\.id) ?? []
    return found != nil
  }

  @discardableResult mutating func set(_ request: Request, _ now: UInt64) -> Outcome {
    let isReplaced = tier.copies[request.id].map { $0.expires > now } ?? false
    let isStored = note(tier.set(request, version: 0, now: now))
    return isStored ? (isReplaced ? .replaced : .stored) : .rejected
  }

  private mutating func note(_ outcome: NaiveTier.Outcome) -> Bool {
    switch outcome {
    case .rejected(let evicted):
      victims = evicted.map(\.id)
      return false
    case .stored(let evicted):
      victims = evicted.map(\.id)
      return true
    }
  }

  mutating func giveUp() -> ObjectID? {
    if tier.copies.isEmpty { return nil }
    let victim = tier.policy.evict(for: .none)
    tier.copies[victim] = nil
    return victim
  }

  mutating func remove(_ id: ObjectID) { tier.drop(id) }

  mutating func change(to fresh: NaiveMember) {
    if fresh.tier.capacity == tier.capacity { return }
    while tier.used > fresh.tier.capacity { _ = giveUp() }
    let (old, choice) = (tier.copies, policy as? NaiveAuto)
    var order: [ObjectID] = []
    while let id = giveUp() { order.append(id) }
    self = fresh
    resume(choice, isRestoring: true)
    for id in order { _ = old[id].map { storeTwice($0.request(id)) } }
    resume(choice, isRestoring: false)
  }

  private mutating func storeTwice(_ request: Request) -> Bool {
    let evicted = victims
    let isFirst = note(tier.store(request, version: 0))
    if isFirst || note(tier.store(request, version: 0)) { return true }
    victims = evicted + victims + [request.id]
    return false
  }

  private mutating func resume(_ choice: NaiveAuto?, isRestoring: Bool) {
    guard let choice, var auto = policy as? NaiveAuto else { return }
    auto.resume(choice, isRestoring: isRestoring)
    tier.policy = auto
  }

  mutating func takeOver(_ heir: NaiveHeir) {
    victims = []
    let request = Request(id: heir.id, size: heir.size, cost: heir.cost)
    if tier.policy.takeOver(heir) {
      if heir.isResident { tier.copies[heir.id] = NaiveCopy(request, version: 0) }
    } else if heir.isResident, storeTwice(request), heir.requests > 0 {
      let evicted = victims
      _ = access(heir.id, 0)
      victims = evicted + victims
    }
  }
}

extension NaiveCopy {
  func request(_ id: ObjectID) -> Request {
    Request(id: id, size: size, expires: expires, cost: cost)
  }
}

extension NaiveARC {
  mutating func takeOver(_ heir: NaiveHeir) -> Bool {
    switch (heir.requests > 0, heir.isResident) {
    case (false, true): t1.append(heir.weighted)
    case (true, true): t2.append(heir.weighted)
    case (false, false): b1.append(heir.weighted)
    case (true, false): b2.append(heir.weighted)
    }
    trim()
    return true
  }
}

extension NaiveLIRS {
  mutating func takeOver(_ heir: NaiveHeir) -> Bool {
    let isLow = heir.isResident && heir.requests > 0 && UInt64(heir.size) <= lirLimit
    let status: Status = heir.isResident ? (isLow ? .lir : .residentHIR) : .ghost
    stack.append(Block(id: heir.id, size: UInt64(heir.size), status: status))
    if status == .residentHIR { queue.append(heir.weighted) }
    if status == .ghost { ghosts.append(heir.id) }
    trimGhosts()
    settle()
    return true
  }
}

extension NaiveMQ {
  mutating func takeOver(_ heir: NaiveHeir) -> Bool {
    let count = min(heir.requests + 1, 1 << (queues.count - 1))
    let place = queues.indices.last { 1 << $0 <= count } ?? 0
    let entry = Entry(object: heir.weighted, count: count, entered: -heir.age)
    if heir.isResident { queues[place].append(entry) } else { ghosts.append(entry) }
    while ghosts.map(\.object).weight > ghostLimit { ghosts.removeFirst() }
    return true
  }
}

extension NaiveWTinyLFU {
  mutating func takeOver(_ heir: NaiveHeir) -> Bool {
    sketch.raise(heir)
    guard heir.isResident else { return true }
    sketch.enter()
    probation.append(heir.weighted)
    return true
  }
}
