import Larder

/// The life of one cache on a disk whose power goes out again and again, in the middle of any call.
///
/// With `full`, everything that was acknowledged is there each time. With `normal`, the cache holds
/// what some number of its operations left, from the first on and at least those that have reached
/// the disk, but for values in files, which may be gone. With `none`, it holds values that its keys
/// once had. Nothing is ever torn or mixed, and the cache works on. Now and then the process dies
/// while the power stays on; nothing that was committed is lost then. Where the power never goes
/// out the cache holds, with `none` as well, what some number of its operations left.
package struct PowerRound {
  /// Power cuts of a round.
  package static let cuts = 50

  /// Whose promises are checked.
  private let durability: DiskDurability
  private var random: SimulationRandom
  private var cache: SimulatedCache
  /// What the disk may show after a power cut, in order; the last is what was acknowledged.
  private var states = [CacheState()]
  /// What an operation that has begun would leave.
  private var inFlight: CacheState?
  /// Everything that a key ever had.
  private var ever: [Int: Set<CacheState.Entry>] = [:]
  private var version: UInt64 = 0
  /// Whether the power goes out.
  private var hasCuts = true
  /// What a round did.
  package struct Outcome: Sendable, Equatable {
    /// Operations that have returned.
    package var operations = 0
    /// Times that the power went out.
    package var cuts = 0
    /// Times that the process died with the power on.
    package var kills = 0
  }

  private var outcome = Outcome()

  /// Does a round; throws `SimulationFailure` when something is lost that must not be.
  ///
  /// - Parameters:
  ///   - durability: that of the cache, nil for one that is drawn.
  ///   - promising: whose promises are checked, nil for those of the cache's own.
  ///   - cuts: how often the power goes out at least.
  ///   - kills: how often the process dies alone at least.
  package static func run(
    seed: UInt64, round: Int, durability: DiskDurability? = nil,
    promising: DiskDurability? = nil, cuts: Int = cuts, kills: Int = 0
  ) throws -> Outcome {
    var random = SimulationRandom(seed: seed, round: round)
    let drawn = random.pick([DiskDurability.full, .full, .normal, .normal, .none])
    var round = try PowerRound(durability ?? drawn, promising ?? durability ?? drawn, random)
    round.hasCuts = cuts > 0
    while round.outcome.cuts < cuts || round.outcome.kills < kills { try round.session() }
    return round.outcome
  }

  private init(
    _ durability: DiskDurability, _ promised: DiskDurability, _ random: SimulationRandom
  ) throws {
    self.durability = promised
    self.random = random
    let disk = SimulatedDisk(seed: self.random.next())
    cache = SimulatedCache(disk, try SimulatedCache.configuration(&self.random, durability))
  }

  /// One opening of the cache, until the power goes out or the process dies.
  private mutating func session() throws {
    cache.configuration.checkpointPages = random.pick([1, 4, 20, 1_000])
    let losesPower = !random.oneIn(5) && hasCuts
    let isCutEarly = random.oneIn(5)
    if isCutEarly { cutLater(random.pick([60, 250])) }
    var worked: DiskCache?
    do {
      let opened = try cache.open()
      worked = opened
      try work(opened, isCutEarly: isCutEarly)
    } catch let error as DiskCacheError {
      // With the power on nothing fails.
      try require(!cache.disk.isOn, "with the power on: \(error)")
    }
    // A cache that is let go is closed: not before the process has died.
    withExtendedLifetime(worked) { cache.disk.stop() }
    worked = nil
    if losesPower { outcome.cuts += 1 } else { outcome.kills += 1 }
    cache.disk.restart(losesPower: losesPower)
    let opened = try cache.open()
    try check(opened, losesPower: losesPower)
    // What was found is on the disk, unless the process died alone.
    withExtendedLifetime(opened) { cache.disk.stop() }
    _ = consume opened
    cache.disk.restart(losesPower: false)
  }

  private mutating func cutLater(_ calls: Int) {
    cache.disk.cutCall = cache.disk.calls + 1 + random.below(calls)
  }

  private mutating func work(_ opened: DiskCache, isCutEarly: Bool) throws {
    if !isCutEarly { cutLater(random.pick([4, 20, 80, 300, 600])) }
    var failures = 0
    for _ in 0..<(1 + random.below(random.pick([4, 20, 40]))) {
      version += 1
      let operation = CacheOperation.draw(&random, number: version)
      var next = states[states.count - 1]
      next.apply(operation)
      inFlight = next
      remember(next)
      do {
        try operation.perform(
          opened, states[states.count - 1], mayMiss: durability == .none,
          isExact: durability == .full)
        failures = 0
      } catch let error as DiskCacheError {
        // A database that lost what it was told may be found damaged at any time; then the cache
        // begins with an empty one, and works.
        failures += 1
        guard durability == .none, cache.disk.isOn, failures < 3 else { throw error }
      } catch let failure as SimulationFailure {
        // What cannot be read without power is a miss.
        if cache.disk.isOn { throw failure }
        return
      }
      inFlight = nil
      outcome.operations += 1
      if durability == .full || durability == .normal && cache.isDatabaseSynced {
        states = [next]
      } else {
        states.append(next)
      }
    }
    if random.oneIn(3) { try opened.close() }
  }

  private mutating func remember(_ state: CacheState) {
    guard durability == .none else { return }
    for (key, entry) in state.entries { ever[key, default: []].insert(entry) }
  }

  /// Looks at what a power cut or the end of the process has left.
  private mutating func check(_ opened: DiskCache, losesPower: Bool) throws {
    let found = try CacheState(of: opened)
    let said = opened.statistics
    let context =
      "\(losesPower ? "power cut" : "end of the process"), \(durability), "
      + "inline \(cache.configuration.inlineBytesMax)"
    if durability != .none {
      try require(said.rebuilds == 0, "\(context): \(opened.damages)")
    }
    if durability == .full {
      try require(said.damages == 0, "\(context): \(said.damages) damages")
    }
    let isLeft: Bool
    switch durability {
    case .full:
      isLeft = found == states[states.count - 1] || found == inFlight
    case .normal where !losesPower:
      isLeft = found == states[states.count - 1] || found == inFlight
    case .normal:
      let inlineBytesMax = cache.configuration.inlineBytesMax
      isLeft = (states + [inFlight].compactMap(\.self)).contains {
        found.isLeft(of: $0, inlineBytesMax: inlineBytesMax)
      }
    case .none where !hasCuts:
      isLeft = (states + [inFlight].compactMap(\.self)).contains(found)
    case .none:
      isLeft = found.entries.allSatisfy { ever[$0.key]?.contains($0.value) == true }
    }
    try require(
      isLeft,
      "\(context): found \(Self.text(found)), which is none of "
        + (states + [inFlight].compactMap(\.self)).suffix(6).map(Self.text).joined(separator: " | ")
    )
    if losesPower || durability != .normal {
      states = [found]
    } else if found != states[states.count - 1] {
      states.append(found)
    }
    inFlight = nil
    try require(
      opened.count == found.entries.count || durability == .none,
      "\(context): \(opened.count) are counted")
  }

  private static func text(_ state: CacheState) -> String {
    state.entries.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value.value)/\($0.value.noted ?? "-")" }.joined(separator: ",")
  }
}
