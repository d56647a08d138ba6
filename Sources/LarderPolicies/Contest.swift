import LarderEngine
import Synchronization

/// The policies that `auto` chooses from.
struct Portfolio {
  static let objects = "lirs/arc/mq/mq(life=8)/w-tinylfu"
  static let bytes = "gdsf/s4-fifo(refuse-large=true)/w-tinylfu"

  static let parameters = [
    PolicyParameter(
      "policies", default: "\(objects), in bytes \(bytes)",
      "policies to choose from, the first one to start with (default: the last from 32768 objects "
        + "on), separated by slashes; parameters in brackets, such as lirs/mq(life=8;queues=4)")
  ]

  private static var policiesMax: Int { 16 }

  private let setup: PolicySetup
  let specs: [PolicySpec]
  private let policies: [RegisteredPolicy]
  let needsCosts: Bool

  init(_ setup: PolicySetup) throws(PolicyError) {
    let usual = setup.unit == .bytes ? Portfolio.bytes : Portfolio.objects
    let given = setup.spec.values["policies"]
    var specs: [PolicySpec] = []
    var policies: [RegisteredPolicy] = []
    for part in (given ?? usual).split(separator: "/", omittingEmptySubsequences: false) {
      let spec = try Portfolio.bounded(PolicySpec(parsing: Portfolio.plain(part)), setup)
      let policy = try PolicyRegistry.policy(named: spec)
      guard Portfolio.isPossible(policy), policies.count < Portfolio.policiesMax else {
        throw .badValue(
          policy: setup.spec.name, parameter: "policies", value: given ?? usual,
          expected:
            "up to \(Portfolio.policiesMax) policies that neither depend on time, expiry or "
            + "the future nor train models, and \(spec.name) is none or one too many")
      }
      specs.append(spec)
      policies.append(policy)
    }
    self.setup = setup
    self.specs = specs
    self.policies = policies
    needsCosts = policies.contains { $0.description.needs.contains(.cost) }
  }

  func checkedTier(_ index: Int, capacity: UInt64, objects: Int) -> CacheTier {
    do throws(PolicyError) {
      return try tier(index, capacity: capacity, objects: objects)
    } catch {
      preconditionFailure("auto cannot run \(specs[index]): \(error)")
    }
  }

  func check(capacity: UInt64, objects: Int) throws(PolicyError) {
    for index in specs.indices {
      _ = try tier(index, capacity: capacity, objects: objects)
    }
  }

  func tier(_ index: Int, capacity: UInt64, objects: Int) throws(PolicyError) -> CacheTier {
    try policies[index].makeCacheTier(
      CacheTierSetup(
        policy: specs[index], entriesMax: setup.unit == .objects ? Int(clamping: capacity) : nil,
        bytesMax: setup.unit == .bytes ? capacity : nil, objects: objects, seed: setup.seed))
  }

  private static func plain(_ part: Substring) -> String {
    guard part.hasSuffix(")"), let bracket = part.firstIndex(of: "(") else { return String(part) }
    let values = part[part.index(after: bracket)...].dropLast()
    return part[..<bracket] + ":" + values.map { $0 == ";" ? ":" : String($0) }.joined()
  }

  private static func bounded(
    _ spec: PolicySpec, _ setup: PolicySetup
  ) throws(PolicyError) -> PolicySpec {
    if spec.name == RegisteredPolicy.lirs.description.name, spec.values["stack"] == nil,
      setup.unit == .objects,
      setup.capacity < 1000
    {
      let share = (3000 + setup.capacity - 1) / setup.capacity
      return try PolicySpec(parsing: "\(spec.description):stack=\(min(share, 1000))")
    }
    return try PolicyRegistry.inRealCache(spec)
  }

  private static func isPossible(_ policy: RegisteredPolicy) -> Bool {
    guard let type = policy.type else { return false }
    return type.notices.isEmpty && policy.description.needs.isSubset(of: [.size, .cost])
  }
}

/// Miniature simulations of the policies of a portfolio, and the decision which one leads. All have
/// the same sample of objects, by fingerprint, as small as capacities of at least `shadow` objects
/// allow. The parts of a cache share one contest, under a lock that requests in the sample and
/// reports take.
final class Contest: @unchecked Sendable {
  static let parameters = [
    PolicyParameter(
      "shadow", default: "1000", "objects that a simulation holds at least, 1 to 1000000"),
    PolicyParameter("epoch", default: "0.25", "requests between decisions, per object held"),
    PolicyParameter(
      "half-life", default: "64", "half-life of the hits compared, in requests per object held"),
    PolicyParameter(
      "margin", default: "0.005", "lead in hits at which the policy changes, share of requests"),
  ]

  // Least values for small caches, in sampled requests.
  private static var epochMin: UInt64 { 50 }
  private static var halfLifeMin: Double { 20_000 }
  // The half-life of switches, in requests per object held; at least 20 times the hits' least.
  private static var switchLife: Double { 64 }
  // The objects from which on a cache is large: the memory of ghosts slows down each request. So it
  // starts with the last of the usual policies, w-tinylfu, which has none.
  private static var large: UInt64 { 1 << 15 }
  // Requests per object held after which a leader has led for long.
  private static var restAfter: Double { 16 }

  let portfolio: Portfolio
  private let setup: PolicySetup
  private let shadowMin: Double
  private let epochShare: Double
  private let halfLife: Double
  private let margin: Double

  // The number of parts of the cache.
  private let parts: Int
  private let isLarge: Bool
  private let keepsGhostsFlag = Atomic<Bool>(false)
  private let lock: SleepingLock?
  // The sample is one object in 2^shift. Read without the lock, where an old value does no harm.
  private let shiftWord = Atomic<UInt64>(0)
  // Boxes, so that a call through one copies no tier.
  private var shadows: [Shadow] = []
  private var ids = ShadowIDs()
  private var hits: [Double]
  private var sampled = 0.0

  private var held = 0
  private var epoch: UInt64 = 0
  private var counted: UInt64 = 0
  private var decay = 1.0
  private var switchDecay = 1.0

  private(set) var leading: Int
  private(set) var switches = 0
  private var recentSwitches = 0.0
  private var sinceSwitch: UInt64 = 0
  // True while the leader stays: see `resume`.
  private var isRestoring = false

  static func make(_ setup: PolicySetup) throws(PolicyError) -> Contest {
    guard let group = setup.group else { return try Contest(setup, parts: 1) }
    return try group.shared { (parts) throws(PolicyError) in try Contest(setup, parts: parts) }
  }

  private init(_ part: PolicySetup, parts: Int) throws(PolicyError) {
    let spec = part.spec
    var setup = part
    setup.capacity *= UInt64(parts)
    self.setup = setup
    self.parts = parts
    lock = parts > 1 ? SleepingLock() : nil
    portfolio = try Portfolio(setup)
    isLarge = setup.unit == .objects && setup.capacity >= Contest.large
    leading = isLarge && spec.values["policies"] == nil ? portfolio.specs.count - 1 : 0
    shadowMin = Double(try spec.integer("shadow", default: 1000, in: 1...1_000_000))
    epochShare = try spec.number("epoch", default: 0.25, in: 0.001...1000)
    halfLife = try spec.number("half-life", default: 64, in: 0.1...1_000_000)
    margin = try spec.number("margin", default: 0.005, in: 0...1)
    hits = portfolio.specs.map { _ in 0 }
    let full = setup.unit == .objects ? setup.capacity : 1
    shiftWord.store(shift(for: Double(full)), ordering: .relaxed)
    keepsGhostsFlag.store(setup.unit == .objects, ordering: .relaxed)
    for index in portfolio.specs.indices {
      shadows.append(Shadow(try portfolio.tier(index, capacity: shadowCapacity, objects: 0)))
    }
    setRates(residents: Int(full))
  }

  @inline(__always) func observe(_ request: Request, _ now: UInt64, isSet: Bool) {
    if isSampled(request.fingerprint) { locked { simulate(request, now, isSet) } }
  }

  @inline(never) private func simulate(_ given: Request, _ now: UInt64, _ isSet: Bool) {
    var request = given
    request.id = ids.find(given.fingerprint)
    if request.id == .none {
      if ids.isFull { makeRoom() }
      request.id = ids.insert(given.fingerprint)
    }
    sampled += 1
    let checksSize = setup.unit == .bytes
    for index in shadows.indices {
      let shadow = shadows[index]
      if isSet || (checksSize && shadow.holdsOtherSize(request)) {
        if shadow.tier.set(request, now) == .replaced { hits[index] += 1 }
      } else if shadow.tier.access(request.id, now) == .hit {
        hits[index] += 1
      } else {
        _ = shadow.tier.set(request, now)
      }
    }
  }

  var share: UInt64 { locked { shareOfEpoch } }
  private var shareOfEpoch: UInt64 { max(1, epoch / UInt64(parts)) }

  func report(requests: UInt64, residents: Int) -> (leading: Int, share: UInt64) {
    locked {
      counted += requests
      if counted >= epoch { decide(residents: residents * parts) }
      return (leading, shareOfEpoch)
    }
  }

  private func decide(residents: Int) {
    sinceSwitch += counted
    counted = 0
    var best = leading
    for index in hits.indices where hits[index] > hits[best] { best = index }
    let (lead, needed) = (hits[best] - hits[leading], leadNeeded(residents: residents))
    if isLarge {
      let isNew = Double(sinceSwitch) < Contest.restAfter * Double(held)
      keepsGhostsFlag.store(isNew || lead > needed / 8, ordering: .relaxed)
    }
    if !isRestoring, lead > needed,
      Double(sinceSwitch) >= recentSwitches * Double(max(held, Int(Contest.epochMin)))
    {
      leading = best
      switches += 1
      recentSwitches += 1
      sinceSwitch = 0
    }
    for index in hits.indices { hits[index] *= decay }
    sampled *= decay
    recentSwitches *= switchDecay
    if residents > held {
      let next = shift(for: Double(residents))
      if next > shift { thin(to: next) }
      setRates(residents: residents)
    }
    if setup.unit == .bytes { dropSurplus(residents) }
  }

  private func leadNeeded(residents: Int) -> Double {
    guard setup.unit == .bytes else { return margin * sampled }
    let objects = Double(max(residents, held)) / Double(UInt64(1) << shift)
    return margin * max(sampled, halfLife * objects)
  }

  private func dropSurplus(_ residents: Int) {
    let most = 4 * max(64, residents >> Int(shift))
    for shadow in shadows {
      while shadow.tier.count > most { _ = shadow.tier.giveUp() }
    }
  }

  var choice: PolicyChoice {
    locked {
      PolicyChoice(
        policies: portfolio.specs.map(\.description), leading: leading, switches: switches,
        hitRatios: sampled > 0 ? hits.map { $0 / sampled } : [],
        sampleShare: 1 / Double(UInt64(1) << shift), samples: sampled,
        recentSwitches: recentSwitches)
    }
  }

  var leadingNow: Int { locked { leading } }
  /// True if evicted objects are remembered, for a change of the leader; their sizes are unknown. A
  /// large cache rests from that while its policy has led for long and no other one is ahead.
  var keepsGhosts: Bool { keepsGhostsFlag.load(ordering: .relaxed) }

  func resume(_ choice: PolicyChoice, isRestoring: Bool) {
    locked {
      self.isRestoring = isRestoring
      (leading, switches, sinceSwitch) = (choice.leading, choice.switches, 0)
      recentSwitches = choice.recentSwitches
      sampled = choice.samples / choice.sampleShare / Double(UInt64(1) << shift)
      hits = hits.indices.map { index in
        choice.hitRatios.isEmpty ? 0 : choice.hitRatios[index] * sampled
      }
    }
  }

  func remove(_ key: UInt32) {
    guard isSampled(key) else { return }
    locked {
      let id = ids.find(key)
      if id == .none { return }
      for shadow in shadows { shadow.tier.remove(id) }
      ids.remove(key)
    }
  }

  var ghostsMax: Int {
    locked {
      let most = shadows.map(\.tier.ghostsMax).max() ?? 0
      let (all, isTooLarge) = most.multipliedReportingOverflow(by: 1 << Int(shift))
      return isTooLarge ? .max : parts == 1 ? all : all / parts + 1
    }
  }

  var stateBytes: Int {
    locked { shadows.reduce(ids.bytes) { $0 + $1.tier.stateBytes } } / parts
  }

  @inline(__always) private func locked<Result>(_ body: () -> Result) -> Result {
    guard let lock else { return body() }
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  private static func hash(_ fingerprint: UInt32) -> UInt64 {
    var hash = (UInt64(fingerprint) &+ 1) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 33
  }

  private var shadowCapacity: UInt64 {
    max(1, shift == 0 ? setup.capacity : (setup.capacity >> (shift - 1) + 1) >> 1)
  }

  private var shift: UInt64 { shiftWord.load(ordering: .relaxed) }

  private func shift(for residents: Double) -> UInt64 {
    var shift: UInt64 = 0
    while residents / Double(UInt64(2) << shift) >= shadowMin { shift += 1 }
    return shift
  }

  private func setRates(residents: Int) {
    held = residents
    let size = Double(residents)
    let scale = Double(UInt64(1) << shift)
    epoch = max(UInt64(epochShare * size), Contest.epochMin << shift)
    let length = Double(epoch)
    let least = Contest.halfLifeMin * scale
    decay = DeterministicMath.pow(0.5, length / max(halfLife * size, least))
    switchDecay = DeterministicMath.pow(
      0.5, length / max(Contest.switchLife * size, 20 * least))
  }

  private func thin(to next: UInt64) {
    shiftWord.store(next, ordering: .relaxed)
    let (old, oldIDs) = (shadows, ids)
    ids = ShadowIDs()
    let room = ids.free(unless: { _ in false }, atLeast: oldIDs.room)
    for (index, shadow) in old.enumerated() {
      let tier = portfolio.checkedTier(index, capacity: shadowCapacity, objects: room)
      tier.setRestoring(true)
      while shadow.tier.count > 0 {
        let id = shadow.tier.giveUp()
        let print = oldIDs.key(id)
        guard isSampled(print) else { continue }
        var request = Request(
          id: ids.find(print), size: shadow.tier.size(id), expires: shadow.tier.expiry(id),
          cost: shadow.tier.cost(id))
        if request.id == .none { request.id = ids.insert(print) }
        request.fingerprint = print
        _ = tier.set(request, 0)
      }
      tier.setRestoring(false)
      shadows[index] = Shadow(tier)
    }
  }

  @inline(__always) func isSampled(_ fingerprint: UInt32) -> Bool {
    shift == 0 || Contest.hash(fingerprint) >> (64 - shift) == 0
  }

  private func makeRoom() {
    let shadows = self.shadows
    let room = ids.free { id in shadows.contains { $0.tier.remembers(id) } }
    for shadow in shadows { shadow.tier.reserve(room) }
  }
}

/// The simulation of one policy.
private final class Shadow {
  let tier: CacheTier

  init(_ tier: CacheTier) { self.tier = tier }

  func holdsOtherSize(_ request: Request) -> Bool {
    tier.contains(request.id) && tier.size(request.id) != request.size
  }
}

/// Ids of sampled objects in their simulations, by key: a hash table.
struct ShadowIDs {
  // Linear probing; 0 is an empty place. At most half full.
  private var table: [ObjectID] = [0, 0]
  private var keys: [UInt32] = [0]
  private var unused: [ObjectID] = []
  private var mask = 1

  var room: Int { keys.count - 1 }
  var isFull: Bool { unused.isEmpty }
  var bytes: Int { (table.capacity + keys.capacity + unused.capacity) * 4 }
  func key(_ id: ObjectID) -> UInt32 { keys[Int(id)] }

  func find(_ key: UInt32) -> ObjectID {
    var place = start(key)
    while table[place] != .none {
      if keys[Int(table[place])] == key { return table[place] }
      place = (place + 1) & mask
    }
    return .none
  }

  mutating func insert(_ key: UInt32) -> ObjectID {
    let id = unused.removeLast()
    keys[Int(id)] = key
    enter(id)
    return id
  }

  mutating func remove(_ key: UInt32) {
    var gap = start(key)
    while keys[Int(table[gap])] != key { gap = (gap + 1) & mask }
    unused.append(table[gap])
    var place = (gap + 1) & mask
    while table[place] != .none {
      let wanted = start(keys[Int(table[place])])
      if (place - wanted) & mask >= (place - gap) & mask {
        table[gap] = table[place]
        gap = place
      }
      place = (place + 1) & mask
    }
    table[gap] = .none
  }

  mutating func free(unless isWanted: (ObjectID) -> Bool, atLeast least: Int = 64) -> Int {
    var wanted: [ObjectID] = []
    unused = []
    for id in (0..<keys.count).dropFirst().reversed() {
      if isWanted(ObjectID(id)) { wanted.append(ObjectID(id)) } else { unused.append(ObjectID(id)) }
    }
    if unused.count * 4 <= room {
      let more = max(least, room)
      unused += (room + 1...room + more).reversed().map { ObjectID($0) }
      keys += repeatElement(0, count: more)
    }
    var places = 2
    while places < room * 2 { places *= 2 }
    table = Array(repeating: .none, count: places)
    mask = places - 1
    for id in wanted { enter(id) }
    return room
  }

  private mutating func enter(_ id: ObjectID) {
    var place = start(keys[Int(id)])
    while table[place] != .none { place = (place + 1) & mask }
    table[place] = id
  }

  private func start(_ key: UInt32) -> Int {
    let product = UInt64(key) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product >> 32) & mask
  }
}
