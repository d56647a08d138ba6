@testable import LarderEngine

/// The policy that chooses its policy, rule by rule: simulations of a portfolio on a sample of the
/// objects, epochs, decisions, following and handing over.
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
  /// Residents while following, least recently requested first.
  var residents: [ObjectID] = []
  /// The last evicted objects while a tier leads, the oldest first; `.none` for those that came
  /// back.
  var ghosts: [ObjectID] = []
  /// Residents that the tier has evicted, in order.
  var expelled: [ObjectID] = []
  var entering = Request.none
  /// The tier that leads; nil while following.
  var leader: NaiveMember?
  var sketch: NaiveSketch?
  var count = 0
  var most = 1

  // The contest.
  var shift = 0
  var shadows: [NaiveMember] = []
  var hits: [Double]
  var sampled = 0.0
  var held: Int
  var leading = 0
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
    hits = specs.map { _ in 0 }
    held = setup.unit == .bytes ? 1 : Int(setup.capacity)
    shift = shift(held)
    shadows = try specs.map { try NaiveMember($0, shadowCapacity, setup) }
    if shift > 0 { leader = try NaiveMember(specs[0], setup.capacity, setup) }
    let usesSketch = specs.contains { $0.name == "w-tinylfu" }
    if usesSketch, shift > 0 || setup.unit == .bytes {
      sketch = try NaiveSketch(
        PolicySpec(parsing: "w-tinylfu"), capacity: setup.capacity, unit: setup.unit)
    }
  }

  private static func specs(_ setup: PolicySetup) throws -> [PolicySpec] {
    let usual =
      setup.unit == .bytes ? "gdsf/s4-fifo/w-tinylfu" : "lirs/arc/mq/mq(life=8)/w-tinylfu"
    return try (setup.spec.values["policies"] ?? usual).split(separator: "/").map { part in
      var text = String(part).replacing(")", with: "")
      text = text.replacing("(", with: ":").replacing(";", with: ":")
      if text.hasPrefix("lirs"), !text.contains("stack=") {
        // 3 C, and at least 3000.
        let share = setup.unit == .bytes ? 3 : max(3, (2999 + setup.capacity) / setup.capacity)
        text += ":stack=\(min(1000, share))"
      }
      if part.hasPrefix("s4-fifo") { text += ":refuse-large=false" }
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

  /// Returns true at the end of an epoch.
  private mutating func observe(_ request: Request, isSet: Bool) -> Bool {
    for place in shadows.indices { shadows[place].victims = [] }
    if isSampled(request.id) {
      sampled += 1
      for place in shadows.indices {
        let size = shadows[place].sizes[request.id] ?? request.size
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
    let (previous, wasFollowing) = (leading, shift == 0)
    let length = Double(epoch)
    sinceSwitch += inEpoch
    inEpoch = 0
    let best = hits.indices.first { hits[$0] == hits.max() } ?? 0
    let limit = recentSwitches * Double(max(held, 50))
    if !isRestoring, hits[best] > hits[leading], hits[best] - hits[leading] > margin * sampled,
      Double(sinceSwitch) >= limit
    {
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
        while shadows[place].sizes.count > 4 * max(64, most >> shift) {
          _ = shadows[place].giveUp()
        }
      }
    }
    if wasFollowing, shift > 0 {
      lead()
    } else if leading != previous, !wasFollowing {
      handOver()
    }
  }

  private mutating func thin() {
    shift = shift(held)
    for place in shadows.indices {
      var (old, fresh) = (shadows[place], shadows[place])
      guard let empty = try? NaiveMember(specs[place], shadowCapacity, setup) else { return }
      fresh = empty
      let sizes = old.sizes
      while let id = old.giveUp() {
        guard isSampled(id) else { continue }
        var request = Request(
          id: id, size: sizes[id] ?? 1, expires: old.expires[id] ?? Request.noExpiry)
        request.cost = old.keepsCosts ? old.costs[id] ?? 1 : 1
        _ = fresh.set(request, 0)
      }
      fresh.victims = []
      shadows[place] = fresh
    }
  }

  // MARK: Changes of the capacity

  /// Continues from the choice of the cache whose objects are being stored again.
  mutating func resume(_ old: NaiveAuto, isRestoring: Bool) {
    self.isRestoring = isRestoring
    leading = old.leading
    switches = old.switches
    recentSwitches = old.recentSwitches
    sinceSwitch = 0
    sampled = old.sampled * Double(1 << old.shift) / Double(1 << shift)
    hits = old.hits.map { old.sampled == 0 ? 0 : $0 / old.sampled * sampled }
    if leader != nil, isRestoring {
      leader = try? NaiveMember(specs[leading], setup.capacity, setup)
    }
  }

  // MARK: Rules 5 and 6

  private func heir(_ id: ObjectID, isResident: Bool) -> NaiveHeir {
    let record = records[id] ?? Record()
    return NaiveHeir(
      id: id, size: isResident && setup.unit == .bytes ? record.size : 1, cost: record.cost,
      age: clock - record.last, requests: record.requests, isResident: isResident)
  }

  private mutating func handOver() {
    var heirs: [NaiveHeir] = []
    while let id = leader?.giveUp() { heirs.append(heir(id, isResident: true)) }
    heirs += ghosts.filter { $0 != .none }.map { heir($0, isResident: false) }
    passOn(heirs)
  }

  private mutating func lead() {
    passOn(residents.map { heir($0, isResident: true) })
    residents = []
  }

  private mutating func passOn(_ heirs: [NaiveHeir]) {
    var fresh = try? NaiveMember(specs[leading], setup.capacity, setup)
    fresh?.takeOver(heirs.sorted { $0.age > $1.age }, sketch)
    leader = fresh
    takeVictims()
  }

  private mutating func takeVictims() {
    expelled += leader?.victims ?? []
    leader?.victims = []
  }

  // MARK: Requests

  func contains(_ id: ObjectID) -> Bool {
    guard let leader else { return residents.contains(id) }
    return leader.contains(id) && id != entering.id
  }

  func isGhost(_ id: ObjectID) -> Bool {
    if contains(id) { return false }
    guard let leader else { return shadows.contains { $0.remembers(id) } }
    return ghosts.contains(id) || leader.remembers(id)
  }

  var overflows: Bool { !expelled.isEmpty }
  func isFull(for request: Request) -> Bool { !expelled.isEmpty }

  /// Unknown before the first entry with an expiry.
  mutating func follow(_ time: UInt64) { now = hasExpiries ? time : 0 }

  mutating func hit(_ given: Request) {
    let request = note(given)
    if leader == nil {
      observeAndFollow(request, isSet: false)
    } else {
      _ = leader?.access(request.id, 0)
      takeVictims()
      if observe(request, isSet: false) { endEpoch() }
    }
  }

  mutating func replace(_ given: Request) {
    records[given.id]?.cost = given.cost
    hasExpiries = hasExpiries || given.expires != Request.noExpiry
    let request = note(given)
    let wasFollowing = leader == nil
    if wasFollowing {
      observeAndFollow(request, isSet: true)
    }
    records[given.id]?.size = given.size
    if let leader, leader.contains(request.id) {
      self.leader?.set(request, 0)
      takeVictims()
    }
    if !wasFollowing, observe(request, isSet: true) { endEpoch() }
  }

  mutating func admit(_ request: Request) -> Bool {
    clock += 1
    var record = Record(last: clock, requests: 0, size: request.size, cost: 1)
    if leader != nil, ghosts.contains(request.id) {
      record.requests = min(255, (records[request.id]?.requests ?? 0) + 1)
      forgetGhost(request.id)
    }
    records[request.id] = record
    sketch?.count(request.id)
    if leader == nil {
      observeAndFollow(request, isSet: false)
      if leader == nil { return shadows[leading].contains(request.id) }
    } else if observe(request, isSet: false) {
      endEpoch()
    }
    let outcome = leader?.set(request, 0)
    takeVictims()
    guard outcome == .stored else { return false }
    entering = request
    return true
  }

  mutating func insert(_ request: Request) {
    hasExpiries = hasExpiries || request.expires != Request.noExpiry
    count += 1
    most = max(most, count)
    sketch?.enter()
    records[request.id]?.cost = request.cost
    records[request.id]?.size = request.size
    entering = .none
    if leader == nil { residents.append(request.id) }
  }

  // Rule 7.
  private mutating func observeAndFollow(_ request: Request, isSet: Bool) {
    if let place = residents.firstIndex(of: request.id) {
      residents.append(residents.remove(at: place))
    }
    if observe(request, isSet: isSet) { endEpoch() }
  }

  mutating func evict() -> ObjectID {
    count -= 1
    sketch?.leave()
    if leader == nil {
      let victim = residents.first { !shadows[leading].contains($0) } ?? residents[0]
      residents.removeAll { $0 == victim }
      return victim
    }
    let victim = expelled.isEmpty ? giveUp() : expelled.removeFirst()
    if setup.unit == .objects {
      ghosts.append(victim)
      if ghosts.count > Int(setup.capacity) { ghosts.removeFirst() }
    }
    return victim
  }

  /// The object that is being stored stays.
  private mutating func giveUp() -> ObjectID {
    let victim = leader?.giveUp() ?? .none
    guard victim == entering.id else { return victim }
    let other = leader?.giveUp() ?? .none
    leader?.set(entering, 0)
    takeVictims()
    return other
  }

  mutating func remove(_ id: ObjectID) {
    guard contains(id) || isGhost(id) else { return }
    if contains(id) {
      count -= 1
      sketch?.leave()
    }
    for place in shadows.indices { shadows[place].remove(id) }
    leader?.remove(id)
    residents.removeAll { $0 == id }
    forgetGhost(id)
  }

  private mutating func forgetGhost(_ id: ObjectID) {
    ghosts = ghosts.map { $0 == id ? .none : $0 }
  }

  private mutating func note(_ given: Request) -> Request {
    var request = given
    clock += 1
    records[given.id]?.last = clock
    let requests = records[given.id]?.requests ?? 0
    records[given.id]?.requests = min(255, requests + 1)
    request.cost = records[given.id]?.cost ?? 1
    sketch?.count(given.id)
    return request
  }
}

/// An object of a cache that another policy takes over.
struct NaiveHeir {
  var id: ObjectID
  var size: UInt32
  var cost: Float
  /// Requests of any object since its last one.
  var age: Int
  var requests: Int
  var isResident: Bool

  var weighted: NaiveWeighted { NaiveWeighted(Request(id: id, size: size)) }
}

/// A policy with the objects that it holds, driven without a cache.
struct NaiveMember {
  enum Outcome { case stored, replaced, rejected }

  var policy: any NaivePolicy
  let capacity: UInt64
  let weighs: Bool
  /// True if the policy sees costs.
  let keepsCosts: Bool
  var sizes: [ObjectID: UInt32] = [:]
  var expires: [ObjectID: UInt64] = [:]
  var costs: [ObjectID: Float] = [:]
  var victims: [ObjectID] = []

  init(_ spec: PolicySpec, _ capacity: UInt64, _ setup: PolicySetup) throws {
    let made = try NaivePolicies.make(
      spec, capacity: capacity, unit: setup.unit, seed: setup.seed)
    policy = made ?? NaiveLRU()
    self.capacity = capacity
    weighs = setup.unit == .bytes
    keepsCosts = ["gdsf", "cost"].contains(spec.name)
  }

  func contains(_ id: ObjectID) -> Bool { policy.contains(id) }
  func remembers(_ id: ObjectID) -> Bool { policy.contains(id) || policy.isGhost(id) }

  mutating func access(_ id: ObjectID, _ now: UInt64) -> Bool {
    victims = []
    guard contains(id) else { return false }
    if isOver(id, now) {
      remove(id)
      return false
    }
    hit(id)
    return true
  }

  private mutating func hit(_ id: ObjectID) {
    var request = Request(id: id, size: sizes[id] ?? 1, expires: expires[id] ?? .max)
    if keepsCosts { request.cost = costs[id] ?? 1 }
    policy.hit(request)
    while policy.overflows { evict(for: .none) }
  }

  private func isOver(_ id: ObjectID, _ now: UInt64) -> Bool { (expires[id] ?? .max) <= now }

  @discardableResult mutating func set(_ request: Request, _ now: UInt64) -> Outcome {
    victims = []
    if contains(request.id), isOver(request.id, now) { remove(request.id) }
    guard contains(request.id) else { return store(request) ? .stored : .rejected }
    guard size(request) <= capacity else {
      remove(request.id)
      return .rejected
    }
    policy.replace(request)
    record(request)
    while policy.overflows || used > capacity { evict(for: request) }
    return .replaced
  }

  private mutating func store(_ request: Request) -> Bool {
    guard size(request) <= capacity else { return false }
    guard policy.admit(request) else {
      while policy.overflows { evict(for: request) }
      return false
    }
    while used + size(request) > capacity || policy.isFull(for: request) { evict(for: request) }
    policy.insert(request)
    record(request)
    return true
  }

  private func size(_ request: Request) -> UInt64 { weighs ? UInt64(request.size) : 1 }
  private var used: UInt64 { sizes.values.reduce(0) { $0 + UInt64($1) } }

  private mutating func record(_ request: Request) {
    sizes[request.id] = weighs ? request.size : 1
    expires[request.id] = request.expires
    costs[request.id] = request.cost
  }

  private mutating func evict(for request: Request) {
    let victim = policy.evict(for: request)
    sizes[victim] = nil
    victims.append(victim)
  }

  /// Evicts an object; nil if there is none.
  mutating func giveUp() -> ObjectID? {
    if sizes.isEmpty { return nil }
    let victim = policy.evict(for: .none)
    sizes[victim] = nil
    return victim
  }

  mutating func remove(_ id: ObjectID) {
    sizes[id] = nil
    policy.remove(id)
  }

  /// Changes to an empty member of another capacity: evicts what does not fit, and stores the rest
  /// again in the order of eviction.
  mutating func change(to fresh: NaiveMember) {
    if fresh.capacity == capacity { return }
    while used > fresh.capacity { _ = giveUp() }
    let (old, choice) = (self, policy as? NaiveAuto)
    var order: [ObjectID] = []
    while let id = giveUp() { order.append(id) }
    self = fresh
    resume(choice, isRestoring: true)
    for id in order {
      let request = Request(
        id: id, size: old.sizes[id] ?? 1, expires: old.expires[id] ?? .max,
        cost: old.costs[id] ?? 1)
      if !store(request) { _ = store(request) }
    }
    resume(choice, isRestoring: false)
  }

  private mutating func resume(_ choice: NaiveAuto?, isRestoring: Bool) {
    guard let choice, var auto = policy as? NaiveAuto else { return }
    auto.resume(choice, isRestoring: isRestoring)
    policy = auto
  }

  /// Takes over the objects of another tier, oldest request first.
  mutating func takeOver(_ heirs: [NaiveHeir], _ sketch: NaiveSketch?) {
    if policy.takeOver(heirs, sketch) {
      for heir in heirs where heir.isResident {
        record(Request(id: heir.id, size: heir.size, cost: heir.cost))
      }
      return
    }
    for heir in heirs where heir.isResident {
      let request = Request(id: heir.id, size: heir.size, cost: heir.cost)
      if !store(request), !store(request) {
        victims.append(heir.id)
      } else if heir.requests > 0 {
        hit(heir.id)
      }
    }
  }
}

extension NaiveARC {
  mutating func takeOver(_ heirs: [NaiveHeir], _ sketch: NaiveSketch?) -> Bool {
    let (once, again) = (heirs.filter { $0.requests == 0 }, heirs.filter { $0.requests > 0 })
    t1 = once.filter(\.isResident).map(\.weighted)
    t2 = again.filter(\.isResident).map(\.weighted)
    b1 = once.filter { !$0.isResident }.map(\.weighted)
    b2 = again.filter { !$0.isResident }.map(\.weighted)
    trim()
    return true
  }
}

extension NaiveLIRS {
  mutating func takeOver(_ heirs: [NaiveHeir], _ sketch: NaiveSketch?) -> Bool {
    var low: Set<ObjectID> = []
    var weight: UInt64 = 0
    for heir in heirs.reversed() where heir.isResident && heir.requests > 0 {
      weight += UInt64(heir.size)
      if weight > lirLimit { break }
      low.insert(heir.id)
    }
    for heir in heirs {
      let status: Status =
        heir.isResident ? (low.contains(heir.id) ? .lir : .residentHIR) : .ghost
      stack.append(Block(id: heir.id, size: UInt64(heir.size), status: status))
      if status == .residentHIR { queue.append(heir.weighted) }
      if status == .ghost { ghosts.append(heir.id) }
    }
    trimGhosts()
    prune()
    return true
  }
}

extension NaiveMQ {
  mutating func takeOver(_ heirs: [NaiveHeir], _ sketch: NaiveSketch?) -> Bool {
    for heir in heirs {
      let count = min(heir.requests + 1, 1 << (queues.count - 1))
      let place = queues.indices.last { 1 << $0 <= count } ?? 0
      let entry = Entry(object: heir.weighted, count: count, entered: -heir.age)
      if heir.isResident { queues[place].append(entry) } else { ghosts.append(entry) }
    }
    while ghosts.map(\.object).weight > ghostLimit { ghosts.removeFirst() }
    return true
  }
}

extension NaiveWTinyLFU {
  mutating func takeOver(_ heirs: [NaiveHeir], _ sketch: NaiveSketch?) -> Bool {
    if let sketch { self.sketch.copyCounts(of: sketch) }
    for heir in heirs where heir.isResident {
      self.sketch.enter()
      probation.append(heir.weighted)
    }
    return true
  }
}
