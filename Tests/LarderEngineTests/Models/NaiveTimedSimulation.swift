import LarderEngine

/// One tier whose misses take time, written as a list of events: the semantics of
/// `TimedSimulation`, without any of its structures.
struct NaiveTimedSimulation {
  private struct Fetch {
    var end: UInt64
    var number: Int
    var request: Request
    var ttlSeconds: UInt32
    var stores: Bool
    var isRead = false
  }

  private var tier: NaiveTier
  private let isDisk: Bool
  private let unit: CapacityUnit
  private let model: FetchModel
  private var fetches: [Fetch] = []
  private var begun = 0
  /// The time at which each server is free.
  private var servers: [UInt64]
  private var versions: [ObjectID: Int] = [:]
  private var latest: [ObjectID: Request] = [:]
  /// Fetches with lower numbers were superseded by a set or a delete.
  private var current: [ObjectID: Int] = [:]
  private var now: UInt64 = 0
  private var totals = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)
  private var time: TimeCounts
  private var waits: [UInt64] = []

  /// Nil for a hybrid, and if the policy has no model.
  init?(_ setup: SimulationSetup, _ model: FetchModel) throws {
    let single: TierSetup
    switch setup.arrangement {
    case .memory(let tier): (single, isDisk) = (tier, false)
    case .disk(let tier): (single, isDisk) = (tier, true)
    case .hybrid: return nil
    }
    guard let tier = try NaiveTier(single, unit: setup.unit, seed: setup.seed) else { return nil }
    self.tier = tier
    unit = setup.unit
    self.model = model
    time = TimeCounts(clock: model.clock)
    servers = Array(repeating: 0, count: model.servers ?? 0)
  }

  /// Replays a whole trace.
  static func counts(
    of trace: TestTrace, _ setup: SimulationSetup, _ model: FetchModel
  ) throws -> Counts? {
    guard var simulation = try NaiveTimedSimulation(setup, model) else { return nil }
    let nextUses = trace.nextUses
    for (index, request) in trace.requests.enumerated() {
      simulation.step(request, index: index, nextUse: nextUses[index])
    }
    return simulation.counts
  }

  var counts: Counts {
    var counts = totals
    counts.cost = cost
    if isDisk { counts.disk = tier.counts } else { counts.memory = tier.counts }
    var time = time
    let sorted = waits.sorted()
    func wait(_ share: Double) -> UInt64 {
      sorted.isEmpty ? 0 : sorted[max(1, Int((share * Double(sorted.count)).rounded(.up))) - 1]
    }
    time.totalLatency = waits.reduce(0, +)
    (time.p50Latency, time.p90Latency, time.p99Latency) = (wait(0.5), wait(0.9), wait(0.99))
    counts.time = time
    return counts
  }

  mutating func step(_ line: TestRequest, index: Int, nextUse: UInt32) {
    let request = Request(
      id: line.id, size: unit == .objects ? 1 : line.size, index: UInt64(index), nextUse: nextUse,
      cost: line.cost)
    latest[line.id] = request
    let isCounting = model.clock == .requests
    now = isCounting ? UInt64(index) : max(now, UInt64(line.timeSeconds) * 1_000_000)
    land()
    let context = NaiveContext(
      now: now, ttlSeconds: line.ttlSeconds, version: versions[line.id, default: 0],
      latest: latest)
    switch line.operation {
    case .get: get(request, line, context)
    case .set:
      totals.sets += 1
      current[line.id] = begun
      tier.set(request, context)
    case .delete:
      totals.deletes += 1
      current[line.id] = begun
      tier.drop(line.id)
    case .modify: versions[line.id, default: 0] += 1
    case .bypass:
      count(request)
      fetch(request, line, stores: false)
    case .expire: tier.expire(line.id, context)
    }
  }

  private mutating func count(_ request: Request) {
    totals.requests += 1
    totals.bytesRequested += UInt64(request.size)
    cost.requested += Double(request.cost)
  }

  private mutating func get(_ request: Request, _ line: TestRequest, _ context: NaiveContext) {
    count(request)
    tier.policy.observe(request.id, now: now, fetchLatency: service(line, request.index))
    if isDisk, let read = model.diskLatencies?[0] {
      return getFromDisk(request, line, context, read)
    }
    if let copy = tier.lookUp(request, context)?.copy {
      if isDisk { totals.diskHits += 1 } else { totals.memoryHits += 1 }
      let size = UInt64(request.size)
      if isDisk { totals.diskBytesHit += size } else { totals.memoryBytesHit += size }
      cost.saved += Double(request.cost)
      if copy.version < context.version { totals.staleHits += 1 }
      waits.append(0)
      return
    }
    if !joins(request) { fetch(request, line, stores: true) }
  }

  /// A get from a disk with read latency: reads in flight come first.
  private mutating func getFromDisk(
    _ request: Request, _ line: TestRequest, _ context: NaiveContext, _ read: UInt64
  ) {
    if joins(request) {
      if tier.policy.contains(request.id) { tier.policy.foresee(request) }
    } else if let copy = tier.lookUp(request, context)?.copy {
      totals.diskHits += 1
      totals.diskBytesHit += UInt64(request.size)
      cost.saved += Double(request.cost)
      if copy.version < context.version { totals.staleHits += 1 }
      fetches.append(
        Fetch(
          end: now + read, number: begun, request: request, ttlSeconds: 0, stores: true,
          isRead: true))
      foresee(request)
      begun += 1
      waits.append(read)
      land()
    } else {
      fetch(request, line, stores: true)
    }
  }

  /// Waits for a fetch of the object in flight, if any.
  private mutating func joins(_ request: Request) -> Bool {
    let joined = fetches.indices.last {
      fetches[$0].request.id == request.id && fetches[$0].stores
        && fetches[$0].number >= current[request.id, default: 0]
    }
    guard model.coalesces, let joined else { return false }
    time.delayedHits += 1
    waits.append(fetches[joined].end - now)
    foresee(request)
    return true
  }

  /// Sets the next use of an object in flight to that of this request.
  private mutating func foresee(_ request: Request) {
    for place in fetches.indices where fetches[place].request.id == request.id {
      fetches[place].request.nextUse = request.nextUse
    }
  }

  private func service(_ line: TestRequest, _ index: UInt64) -> UInt64 {
    let transfer = model.bytesPerSecond.map { UInt64(line.size) * 1_000_000 / $0 } ?? 0
    return NaiveTimedSimulation.latency(model, index) + transfer
  }

  /// Only models with a single latency are used here.
  private static func latency(_ model: FetchModel, _ index: UInt64) -> UInt64 {
    model.latencies[0]
  }

  private mutating func fetch(_ request: Request, _ line: TestRequest, stores: Bool) {
    let duration = service(line, request.index)
    var start = now
    if let free = servers.indices.min(by: { servers[$0] < servers[$1] }) {
      start = max(now, servers[free])
      servers[free] = start + duration
    }
    fetches.append(
      Fetch(
        end: start + duration, number: begun, request: request, ttlSeconds: line.ttlSeconds,
        stores: stores))
    if stores { foresee(request) }
    begun += 1
    time.originFetches += 1
    time.maxInFlight = max(time.maxInFlight, UInt64(fetches.count { !$0.isRead }))
    waits.append(start + duration - now)
    land()
  }

  /// Stores objects whose fetches have ended, in order of their ends.
  private mutating func land() {
    while true {
      let due = fetches.indices.filter { fetches[$0].end <= now }
      let next = due.min {
        (fetches[$0].end, fetches[$0].number) < (fetches[$1].end, fetches[$1].number)
      }
      guard let next else { return }
      let fetch = fetches.remove(at: next)
      let id = fetch.request.id
      guard fetch.stores, !fetch.isRead, fetch.number >= current[id, default: 0] else { continue }
      if tier.copies[id] != nil, !tier.dropExpired(id, now: fetch.end) { continue }
      tier.policy.advance(to: fetch.end - (model.clock == .requests && fetch.end > 0 ? 1 : 0))
      tier.policy.follow(fetch.end)
      var request = fetch.request
      request.expires = tier.expiry(ttlSeconds: fetch.ttlSeconds, now: fetch.end)
      _ = tier.store(request, version: versions[id, default: 0])
    }
  }
}
