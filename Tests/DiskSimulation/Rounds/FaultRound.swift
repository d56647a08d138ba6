import Larder

/// A sequence of operations on a cache, repeated for each of its system calls with that call
/// failing, once or with all calls after it.
///
/// Whatever fails, a call of the cache either throws or succeeds, no value is wrong, and no
/// acknowledged value is lost. After the faults end the same cache works. Then the process is
/// killed or the power is cut, and the remaining entries are checked.
package struct FaultRound {
  /// Kind of faults of a round.
  package struct Plan: Sendable, Hashable, CustomStringConvertible {
    /// See `SimulatedFault`.
    package var kind: SimulatedFault.Kind
    /// True if all calls after the first one fail, too.
    package var isLasting: Bool
    package var durability: DiskDurability

    package var description: String {
      "\(kind) \(isLasting ? "from a call on" : "once"), \(durability)"
    }

    package static let all: [Plan] = SimulatedFault.Kind.allCases.flatMap { kind in
      [false, true].flatMap { isLasting in
        DiskDurability.allCases.map {
          Plan(kind: kind, isLasting: isLasting, durability: $0)
        }
      }
    }
  }

  /// Counts of a round.
  package struct Outcome: Sendable {
    package var places = 0
    package var errors = 0
  }

  private let plan: Plan
  private let seed: UInt64
  private let configuration: DiskConfiguration
  private let base: SimulatedDisk
  private let history: [CacheState]
  private let baseVersion: UInt64
  private var outcome = Outcome()

  /// Runs a round; throws `SimulationFailure` if a value is lost or wrong.
  ///
  /// - Parameters:
  ///   - stride: Every `stride`-th call of a sequence fails.
  package static func run(
    seed: UInt64, round: Int, plan: Plan? = nil, stride: Int = 1
  ) throws -> Outcome {
    var round = try FaultRound(
      plan ?? Plan.all[round % Plan.all.count], SimulationRandom(seed: seed, round: round))
    var call = 1
    while try round.fail(call) { call += stride }
    return round.outcome
  }

  /// Creates the start of every run: a cache that was closed, or whose process was killed.
  private init(_ plan: Plan, _ given: SimulationRandom) throws {
    var random = given
    self.plan = plan
    configuration = try SimulatedCache.configuration(&random, plan.durability)
    base = SimulatedDisk(seed: random.next())
    let cache = SimulatedCache(base, configuration)
    var state = CacheState()
    var history: [CacheState] = []
    var version: UInt64 = 0
    let isEmpty = random.oneIn(4)
    if !isEmpty {
      let opened = try cache.open()
      for _ in 0..<12 {
        version += 1
        let operation = CacheOperation.draw(&random, number: version)
        try operation.perform(opened, state)
        state.apply(operation)
        history.append(state)
      }
      try opened.flush()
      if random.oneIn(2) { try opened.close() }
      base.stop()
      withExtendedLifetime(opened) {}
    }
    self.history = history
    baseVersion = version
    seed = random.next()
  }

  /// Runs the sequence with one failing call; false if there was no such call.
  private mutating func fail(_ call: Int) throws -> Bool {
    var random = SimulationRandom(seed: seed)
    let disk = base.copy(seed: SimulationRandom.mixed(seed ^ UInt64(call)))
    let context = "\(plan), call \(call)"
    disk.fault = SimulatedFault(plan.kind, first: call, count: plan.isLasting ? .max : 1)
    do {
      try run(SimulatedCache(disk, configuration), &random, losesPower: call % 2 == 0)
    } catch {
      throw SimulationFailure("\(context): \(error)")
    }
    outcome.places += 1
    return disk.failures > 0
  }

  private mutating func run(
    _ simulated: SimulatedCache, _ random: inout SimulationRandom, losesPower: Bool
  ) throws {
    let disk = simulated.disk
    let entries = history.last?.entries ?? [:]
    var model = FaultModel(
      Dictionary(
        uniqueKeysWithValues: (0..<SimulatedKey.count).map { ($0, entries[$0]?.value) }),
      earlier: history.flatMap { $0.entries.map { ($0.key, $0.value.value) } }, plan.durability)
    var opened: BlockingDiskCache?
    do {
      opened = try simulated.open()
    } catch let error as DiskCacheError {
      outcome.errors += 1
      try require(disk.failures > 0, "opening fails without a reason: \(error)")
    }
    var version = baseVersion
    if let opened {
      for _ in 0..<14 {
        version += 1
        try operate(CacheOperation.draw(&random, number: version), opened, &model, disk)
      }
      disk.endFault()
      try checkNow(opened, &model, disk)
      version += 1
      try operate(.set(3, version: version, isPermanent: false), opened, &model, disk)
      try operate(.get(3), opened, &model, disk)
    }
    let closes = random.oneIn(2)
    if closes {
      let isClosed = opened.map { (try? $0.close()) != nil } ?? true
      try require(isClosed, "closing fails though nothing fails any more")
      if let opened {
        model.flushed(hasSucceeded: true)
        try checkKept(opened)
      }
    }
    // Deallocating a cache closes it, which must not happen before the process is killed.
    withExtendedLifetime(opened) { disk.stop() }
    _ = consume opened
    disk.restart(losesPower: losesPower)
    disk.endFault()
    try checkAgain(simulated, model, losesPower: losesPower, isClosed: closes)
  }

  private mutating func operate(
    _ operation: CacheOperation, _ cache: BlockingDiskCache, _ model: inout FaultModel<Int>,
    _ disk: SimulatedDisk
  ) throws {
    var hasSucceeded = true
    var found: UInt64?
    do {
      switch operation {
      case .get(let key):
        found = try CacheState.find(key, in: cache)?.value
      case .remove(let key):
        try cache.remove(SimulatedKey(number: key).key, suite: SimulatedKey(number: key).suite)
      case .renew(let key, let version):
        let key = SimulatedKey(number: key)
        try cache.renew(key.key, suite: key.suite, version: "\(version)")
      default:
        try operation.perform(cache, CacheState())
      }
    } catch let error as DiskCacheError {
      outcome.errors += 1
      hasSucceeded = false
      try require(disk.isFailing, "fails though nothing fails any more: \(error)")
      switch error {
      case .database, .files: break
      default: throw SimulationFailure("unexpected: \(error)")
      }
    }
    try checkKept(cache)
    switch operation {
    case .set(let key, let version, _):
      model.noted(key, version, hasSucceeded: hasSucceeded)
    case .remove(let key): model.noted(key, nil, hasSucceeded: hasSucceeded)
    case .renew: if !hasSucceeded { model.flushed(hasSucceeded: false) }
    case .removeSuite(let suite, _):
      model.removed({ SimulatedKey.isInSuite($0, suite) }, hasSucceeded: hasSucceeded)
    case .get(let key):
      guard hasSucceeded else { return model.flushed(hasSucceeded: false) }
      try model.found(key, found, mayBeLost: disk.hasFailedToRead)
    case .flush: model.flushed(hasSucceeded: hasSucceeded)
    }
  }

  /// Checks the contents of the cache after the faults have ended.
  private func checkNow(
    _ cache: BlockingDiskCache, _ model: inout FaultModel<Int>, _ disk: SimulatedDisk
  ) throws {
    for key in 0..<SimulatedKey.count {
      let found = try CacheState.find(key, in: cache)
      try model.found(key, found?.value, mayBeLost: false)
    }
    try checkKept(cache)
  }

  private func checkKept(_ cache: BlockingDiskCache) throws {
    try require(cache.statistics.rebuilds == 0, "rebuilt: \(cache.damage ?? "none")")
  }

  /// Checks that another process can open the remaining files, and work with them.
  private func checkAgain(
    _ simulated: SimulatedCache, _ model: FaultModel<Int>, losesPower: Bool, isClosed: Bool
  ) throws {
    let context = losesPower ? "power cut" : "end of the process"
    let isSure = !losesPower || plan.durability == .full
    let cache = try simulated.open()
    for key in 0..<SimulatedKey.count {
      let found = try CacheState.find(key, in: cache)?.value
      if isSure {
        try model.checkLater(key, found, context)
      } else {
        try model.checkEver(key, found, context)
      }
    }
    let said = cache.statistics
    if plan.durability != .none || !losesPower {
      try require(said.rebuilds == 0, "\(context): \(cache.damage ?? "none")")
    }
    // On a full disk the files of removed entries are deleted before their rows; with `none` those
    // rows wait for the next commit.
    if isSure, isClosed || plan.durability != .none {
      try require(said.damages == 0, "\(context): \(said.damages) damages")
    }
    let key = SimulatedKey(number: 5)
    // A database that lost acknowledged data may be found damaged only now, by a failing call.
    var attemptsLeft = isSure ? 0 : 2
    var isStored = false
    while !isStored {
      do {
        isStored = try cache.set(SimulatedValue.make(5, 1 << 40), for: key.key, suite: key.suite)
        try require(isStored, "\(context): not stored")
      } catch let error as DiskCacheError {
        guard attemptsLeft > 0 else { throw error }
        attemptsLeft -= 1
      }
    }
    let found = try CacheState.find(5, in: cache)?.value
    try require(found == 1 << 40, "\(context): cannot store")
    try cache.close()
  }
}
