import LarderEngine
import LarderPolicies

@testable import LarderExperiments
@testable import LarderHarness

/// Draws configurations and traces with many events: few objects, little room, and every key of a
/// tier now and then.
struct DrawMaker {
  private var random: SeededGenerator
  private let number: Int

  static func draw(_ number: Int) -> ConfigurationDraw {
    var maker = DrawMaker(number)
    return maker.make()
  }

  private init(_ number: Int) {
    self.number = number
    random = SeededGenerator(seed: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    for _ in 0..<4 { _ = random.next() }
  }

  /// The policies of real caches, with and without parameters. Draws go through them in order, so
  /// that each is in memory, on disk and in front of another.
  static let policies =
    PolicyRegistry.standard.map(\.description).filter { !$0.needs.contains(.nextUse) }.map(\.name)
    + [
      "clock:bits=3", "slru:segments=2", "slru:fill=true", "s3-fifo:small=0.3", "s3-fifo:ghost=0",
      "2q:in=0.5", "2q:ghost=0", "lirs:hir=0.3", "lirs:stack=2", "qd-lp:small=0.4:ghost=2",
      "lru-k:k=3:history=1", "mq:queues=3:life=0.5",
      "w-tinylfu:window=0.3", "w-tinylfu:window=adaptive",
      "s4-fifo:small=0.3:skip=0.25", "s4-fifo:small=0.5:refuse-large=true",
      "clock2q-plus:small=0.5",
      "la-cache:history=0.5", "la-cache:admission=all",
      "tinyufo:counters=exact", "nginx:keys=6", "memcached:page=64:first=8",
      "memcached:memory=server:key=0:page=512", "varnish:memory=server:key=0",
    ]

  private static let admissions = [
    "size:max=20", "size:max=0.3", "probabilistic", "probabilistic:p=0.7:scale=40", "second-hit",
    "second-hit:window=15", "tinylfu", "tinylfu", "tinylfu", "adaptsize:interval=1000",
  ]

  private mutating func make() -> ConfigurationDraw {
    var draw = ConfigurationDraw()
    draw.number = number
    draw.kind = ConfigurationKind.allCases[number % 3]
    draw.seed = random.next(below: 1000)
    draw.trace = trace()
    draw.unit = draw.trace.columns.contains(.sizes) && !chance(3) ? .bytes : .objects
    draw.memory = tier(draw, Self.policies[number / 3 % Self.policies.count])
    draw.disk = tier(draw, draw.memory.policy)
    if draw.kind == .hybrid {
      draw.disk = tier(draw, pick(Self.policies))
      // Usually the larger one.
      if !chance(4) { draw.disk.capacity *= 3 }
      if chance(2) { swap(&draw.memory.policy, &draw.disk.policy) }
      draw.rules = rules()
    }
    draw.memory.admission = admission(draw.memory.policy)
    draw.disk.admission = admission(draw.disk.policy)
    draw.warmUp = pick(["none", "none", "20", "30%", "until-full"])
    draw.inlineBytesMax = pick([0, 20, 50, 20 << 10])
    draw.hashing = pick(["standard", "fast"])
    if draw.kind == .disk, draw.unit == .bytes, chance(2) {
      draw.disk.segmentBytes = pick([4 << 10, 12 << 10, 40 << 10])
      draw.durability = pick(["none", "normal"])
    }
    return draw
  }

  private mutating func tier(_ draw: ConfigurationDraw, _ policy: String) -> ConfigurationDraw.Tier
  {
    var tier = ConfigurationDraw.Tier(policy: policy)
    let objects = 1 + random.next(below: 20)
    tier.capacity = draw.unit == .objects ? objects : max(1, objects * random.next(below: 40))
    if chance(2) {
      tier.objects = 1 + Int(random.next(below: 15))
      // Practically no other limit.
      if chance(4) { tier.capacity = draw.unit == .objects ? 100_000 : 1 << 40 }
    }
    if chance(4) { tier.timeToLiveSeconds = UInt32(1 + random.next(below: 50)) }
    return tier
  }

  private mutating func admission(_ policy: String) -> String? {
    guard chance(3) else { return nil }
    let admission = pick(Self.admissions)
    let isPossible =
      admission != "tinylfu"
      || (try? PolicySpec(parsing: policy)).map(PolicyRegistry.knowsVictim) ?? false
    return isPossible ? admission : "second-hit"
  }

  private mutating func rules() -> HybridRules {
    var rules = HybridRules(
      inclusion: pick(HybridRules.Inclusion.allCases),
      promotion: pick(HybridRules.Promotion.allCases))
    if chance(3) {
      let short = UInt32(1 + random.next(below: 20))
      rules.placement = HybridRules.Placement(
        memoryOnlyBelowSeconds: short,
        diskOnlyFromSeconds: short + UInt32(random.next(below: 30)))
    }
    return rules
  }

  // MARK: Requests

  private mutating func trace() -> DrawnTrace {
    var trace = DrawnTrace(lines: [])
    for column in [
      DrawnTrace.Columns.operations, .sizes, .times, .timesToLive, .costs,
    ] where chance(4) {
      trace.columns.remove(column)
    }
    // Occasionally more objects than a cache has ids at first.
    let isLong = chance(30)
    let requests = 1 + random.next(below: isLong ? 4_000 : 250)
    let objects = 1 + random.next(below: isLong ? 3_000 : chance(2) ? 12 : 60)
    // Shares of sets, deletes and modifies; the rest are gets.
    let writes = [0, 0, 0].map { _ in random.next(below: 20) }
    let (sizesChange, costsChange, isExtreme) = (chance(2), chance(2), chance(8))
    var sizes: [Int: UInt32] = [:]
    // Some instants are so late that adding a TTL overflows.
    var seconds = isExtreme ? pick([1 << 36, 1 << 40, UInt64.max / 1_000_000 - 300]) : 0
    for _ in 0..<requests {
      seconds = min(seconds + random.next(below: 4), UInt64.max / 1_000_000)
      let (left, right) = (random.next(below: objects), random.next(below: objects))
      let key = 1 + Int(min(left, right))
      var line = DrawnTrace.Line(operation: operation(writes), key: key, seconds: seconds)
      line.size = sizesChange && chance(4) ? size() : sizes[key] ?? size()
      sizes[key] = line.size
      if chance(2) { line.timeToLive = UInt32(1 + random.next(below: 60)) }
      if isExtreme, chance(9) { line.timeToLive = .max }
      line.cost = costsChange ? Float(random.next(below: 9)) / 2 : Float(key % 7) / 2
      if isExtreme, chance(9) { line.cost = pick([1e-30, 1e30, 1e7]) }
      trace.lines.append(line)
    }
    return trace
  }

  private mutating func size() -> UInt32 { UInt32(random.next(below: chance(8) ? 400 : 60)) }

  private mutating func operation(_ writes: [UInt64]) -> Operation {
    let kind = random.next(below: 100)
    if kind < writes[0] { return .set }
    if kind < writes[0] + writes[1] { return .delete }
    return kind < writes.reduce(0, +) ? .modify : .get
  }

  private mutating func chance(_ times: UInt64) -> Bool { random.next(below: times) == 0 }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(random.next(below: UInt64(elements.count)))]
  }
}
