import LarderEngine

/// One tier, or memory in front of a disk, with fetches and reads that take time, written as a list
/// of events: the semantics of `TimedSimulation`, without any of its structures.
struct NaiveTimedSimulation {
  private enum Kind { case read, fetch, bypass }

  private struct Event {
    var end: UInt64
    var number: Int
    var request: Request
    var ttlSeconds: UInt32
    var kind: Kind
  }

  private var hybrid: NaiveHybrid
  private let unit: CapacityUnit
  private let model: FetchModel
  private var events: [Event] = []
  private var begun = 0
  private var servers: [UInt64]
  private var versions: [ObjectID: Int] = [:]
  private var latest: [ObjectID: Request] = [:]
  private var current: [ObjectID: Int] = [:]
  private var now: UInt64 = 0
  private var totals = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)
  private var time: TimeCounts
  private var waits: [UInt64] = []

  init?(_ setup: SimulationSetup, _ model: FetchModel) throws {
    guard let tiers = try NaiveHybrid(setup) else { return nil }
    hybrid = tiers
    hybrid.demotedLatency = { size in
      model.latencies[0] + (model.bytesPerSecond.map { UInt64(size) * 1_000_000 / $0 } ?? 0)
    }
    unit = setup.unit
    self.model = model
    time = TimeCounts(clock: model.clock)
    servers = Array(repeating: 0, count: model.servers ?? 0)
  }

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
    hybrid.add(to: &counts)
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

  private mutating func step(_ line: TestRequest, index: Int, nextUse: UInt32) {
    let isCounting = model.clock == .requests
    now = isCounting ? UInt64(index) : max(now, UInt64(line.timeSeconds) * 1_000_000)
    endWhatIsDue()
    let request = Request(
      id: line.id, size: unit == .objects ? 1 : line.size, index: UInt64(index), nextUse: nextUse,
      cost: line.cost)
    if line.operation != .bypass { latest[line.id] = request }
    let context = context(of: line.id, line.ttlSeconds, at: now)
    switch line.operation {
    case .get: get(request, line, context)
    case .set:
      totals.sets += 1
      current[line.id] = begun
      hybrid.set(request, context)
    case .delete:
      totals.deletes += 1
      current[line.id] = begun
      hybrid.delete(line.id)
    case .modify: versions[line.id, default: 0] += 1
    case .bypass:
      count(request)
      fetch(request, line, .bypass)
    case .expire: hybrid.expire(line.id, context)
    }
  }

  private func context(of id: ObjectID, _ ttlSeconds: UInt32, at time: UInt64) -> NaiveContext {
    NaiveContext(
      now: time, ttlSeconds: ttlSeconds, version: versions[id, default: 0], latest: latest)
  }

  private mutating func count(_ request: Request) {
    totals.requests += 1
    totals.bytesRequested += UInt64(request.size)
    cost.requested += Double(request.cost)
  }

  private mutating func get(_ request: Request, _ line: TestRequest, _ context: NaiveContext) {
    count(request)
    let (id, size) = (request.id, UInt64(request.size))
    let (read, service) = (model.diskLatencies?[0] ?? 0, service(line))
    let isOnDisk = hybrid.disk?.policy.contains(id) == true
    hybrid.memory?.policy.observe(id, now: now, fetchLatency: isOnDisk ? read : service)
    if let copy = hybrid.lookUpMemory(request, context) {
      totals.memoryHits += 1
      totals.memoryBytesHit += size
      hit(request, copy, context)
      waits.append(0)
      return
    }
    hybrid.disk?.policy.observe(id, now: now, fetchLatency: service)
    let joined = events.last {
      $0.request.id == id && $0.kind != .bypass && $0.number >= current[id, default: 0]
    }
    if model.coalesces, let joined {
      time.delayedHits += 1
      waits.append(joined.end - now)
      foresee(request)
      hybrid.foreseeOnDisk(request)
    } else if let copy = hybrid.disk?.lookUp(request, context)?.copy {
      totals.diskHits += 1
      totals.diskBytesHit += size
      hit(request, copy, context)
      begin(request, line, .read, from: now, taking: read)
    } else {
      fetch(request, line, .fetch)
    }
  }

  private mutating func hit(_ request: Request, _ copy: NaiveCopy, _ context: NaiveContext) {
    cost.saved += Double(request.cost)
    if copy.version < context.version { totals.staleHits += 1 }
  }

  private mutating func foresee(_ request: Request) {
    for place in events.indices where events[place].request.id == request.id {
      events[place].request.nextUse = request.nextUse
    }
  }

  private func service(_ line: TestRequest) -> UInt64 {
    model.latencies[0] + (model.bytesPerSecond.map { UInt64(line.size) * 1_000_000 / $0 } ?? 0)
  }

  private mutating func fetch(_ request: Request, _ line: TestRequest, _ kind: Kind) {
    let duration = service(line)
    var start = now
    if let free = servers.indices.min(by: { servers[$0] < servers[$1] }) {
      start = max(now, servers[free])
      servers[free] = start + duration
    }
    time.originFetches += 1
    let inFlight = events.count { $0.kind != .read } + 1
    time.maxInFlight = max(time.maxInFlight, UInt64(inFlight))
    begin(request, line, kind, from: start, taking: duration)
  }

  private mutating func begin(
    _ request: Request, _ line: TestRequest, _ kind: Kind, from start: UInt64,
    taking duration: UInt64
  ) {
    events.append(
      Event(
        end: start + duration, number: begun, request: request, ttlSeconds: line.ttlSeconds,
        kind: kind))
    begun += 1
    if kind != .bypass { foresee(request) }
    waits.append(start + duration - now)
    endWhatIsDue()
  }

  private mutating func endWhatIsDue() {
    while true {
      let due = events.indices.filter { events[$0].end <= now }
      let next = due.min {
        (events[$0].end, events[$0].number) < (events[$1].end, events[$1].number)
      }
      guard let next else { return }
      finish(events.remove(at: next))
    }
  }

  private mutating func finish(_ event: Event) {
    let id = event.request.id
    guard event.kind != .bypass, event.number >= current[id, default: 0] else { return }
    let told = event.end - (model.clock == .requests && event.end > 0 ? 1 : 0)
    hybrid.memory?.policy.advance(to: told)
    hybrid.disk?.policy.advance(to: told)
    hybrid.memory?.policy.follow(event.end)
    hybrid.disk?.policy.follow(event.end)
    let isInMemory = holds(hybrid.memory, id, event.end)
    let isOnDisk = holds(hybrid.disk, id, event.end)
    let context = context(of: id, event.ttlSeconds, at: event.end)
    if event.kind == .read {
      guard !isInMemory, isOnDisk, let copy = hybrid.disk?.copies[id] else { return }
      hybrid.finishDiskHit(event.request, copy, context)
    } else if !isInMemory, !isOnDisk {
      if hybrid.memory?.copies[id] != nil { hybrid.memory?.drop(id) }
      if hybrid.disk?.copies[id] != nil { hybrid.disk?.drop(id) }
      hybrid.fill(event.request, context)
    }
  }

  private func holds(_ tier: NaiveTier?, _ id: ObjectID, _ time: UInt64) -> Bool {
    guard let tier, let copy = tier.copies[id] else { return false }
    return copy.expires > time && !tier.policy.hasIdled(id)
  }
}
