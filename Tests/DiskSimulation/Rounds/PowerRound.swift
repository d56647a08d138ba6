import Larder

/// A cache on a disk with repeated power cuts during any call.
///
/// With `full`, all acknowledged entries survive each time. With `normal`, the cache holds the
/// result of some number of its operations, without gaps and including those that have reached the
/// disk, except for values in files, which may be lost. With `none`, it holds values that its keys
/// once had. No value is ever torn or mixed, and the cache continues to work. Occasionally the
/// process is killed without a power cut; no committed entry is lost then. Without any power cut
/// the cache holds, even with `none`, the result of some number of its operations.
package struct PowerRound {
  package static let cuts = 50

  private let durability: DiskDurability
  private var random: SimulationRandom
  private var cache: SimulatedCache
  /// Permitted states after a power cut, in order; the last is the acknowledged one.
  private var states = [CacheState()]
  /// State after the operation in progress.
  private var inFlight: CacheState?
  private var ever: [Int: Set<CacheState.Entry>] = [:]
  private var version: UInt64 = 0
  /// True if there are power cuts.
  private var hasCuts = true
  /// Counts of a round.
  package struct Outcome: Sendable, Equatable {
    package var operations = 0
    package var cuts = 0
    /// Kills of the process without a power cut.
    package var kills = 0
  }

  private var outcome = Outcome()

  /// Runs a round; throws `SimulationFailure` if an entry is lost that must not be.
  ///
  /// - Parameters:
  ///   - durability: Durability of the cache, nil for a random one.
  ///   - promising: The durability whose promises are checked, nil for the cache's own.
  ///   - cuts: Minimum number of power cuts.
  ///   - kills: Minimum number of kills without a power cut.
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

  /// One opening of the cache, until the power is cut or the process is killed.
  private mutating func session() throws {
    cache.configuration.checkpointPages = random.pick([1, 4, 20, 1_000])
    let losesPower = !random.oneIn(5) && hasCuts
    let isCutEarly = random.oneIn(5)
    if isCutEarly { cutLater(random.pick([60, 250])) }
    var worked: BlockingDiskCache?
    do {
      let opened = try cache.open()
      worked = opened
      try work(opened, isCutEarly: isCutEarly)
    } catch let error as DiskCacheError {
      // Calls succeed while the power is on.
      try require(!cache.disk.isOn, "with the power on: \(error)")
    }
    // Deallocating a cache closes it, which must not happen before the process is killed.
    withExtendedLifetime(worked) { cache.disk.stop() }
    worked = nil
    if losesPower { outcome.cuts += 1 } else { outcome.kills += 1 }
    cache.disk.restart(losesPower: losesPower)
    let opened = try cache.open()
    try check(opened, losesPower: losesPower)
    // The state found is on the disk, unless the process was only killed.
    withExtendedLifetime(opened) { cache.disk.stop() }
    _ = consume opened
    cache.disk.restart(losesPower: false)
  }

  private mutating func cutLater(_ calls: Int) {
    cache.disk.cutCall = cache.disk.calls + 1 + random.below(calls)
  }

  private mutating func work(_ opened: BlockingDiskCache, isCutEarly: Bool) throws {
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
        // A database that lost acknowledged data may be found damaged at any time; then the cache
        // starts with an empty one, and works.
        failures += 1
        guard durability == .none, cache.disk.isOn, failures < 3 else { throw error }
      } catch let failure as SimulationFailure {
        // A value that cannot be read without power is a miss.
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

  /// Checks the state after a power cut or a kill.
  private mutating func check(_ opened: BlockingDiskCache, losesPower: Bool) throws {
    let found = try CacheState(of: opened)
    let said = opened.statistics
    let context =
      "\(losesPower ? "power cut" : "end of the process"), \(durability), "
      + "inline \(cache.configuration.inlineBytesMax)"
    if durability != .none {
      try require(said.rebuilds == 0, "\(context): \(opened.damage ?? "none")")
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
