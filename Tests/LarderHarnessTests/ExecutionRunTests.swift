import Larder
import LarderEngine
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness

@Suite(.endsInTime) struct ExecutionRunTests {
  private static func cell(capacity: UInt64 = 50) throws -> PlannedCell {
    ExecutionStand.cell(.memory(try ExecutionStand.tier(capacity: capacity)))
  }

  @Test(arguments: [1, 2, 5])
  func everyRequestIsMadeOnce(threads: Int) throws {
    let trace = ExecutionTrace(requests: 20_000, hasOperations: false, isTimed: false).prepared()
    var wanted: [UInt64: Int] = [:]
    for index in 0..<trace.requests.count {
      wanted[TraceReader.key(trace.requests.ids[index]), default: 0] += 1
    }
    let stand = ExecutionStand()
    stand.spec.threads = [threads]
    let cache = FaultyCache(.none)
    let execution = try stand.first(Self.cell(), over: trace, cache.contender)
    #expect(cache.gets == wanted)
    #expect(execution.threads == threads)
    #expect(execution.requests == 20_000)
    #expect(execution.counts.requests == 20_000)
    #expect(stand.progress.total == 20_000)
  }

  @Test func eachNumberOfThreadsAndRepetitionIsARun() throws {
    let trace = ExecutionTrace().prepared()
    let stand = ExecutionStand()
    stand.spec.threads = [1, 3]
    stand.repetitions = 2
    let planned = try Self.cell()
    let simulated = try stand.simulate(planned, over: trace)
    let executions = try #require(try stand.run(planned, over: trace, simulated: simulated))
    #expect(executions.map(\.threads) == [1, 1, 3, 3])
    #expect(executions.map(\.repetition) == [1, 2, 1, 2])
    #expect(executions[0].counts == executions[1].counts)
    #expect(executions[0].equalsSimulated == true)
    #expect(executions[2].equalsSimulated == (executions[2].counts == simulated))
    #expect(executions.allSatisfy { $0.counts.requests == simulated.requests })
    #expect(executions.allSatisfy { $0.counts.sets == simulated.sets })
    #expect(executions.allSatisfy { $0.valuesWrong == 0 })
  }

  @Test(arguments: [1, 3])
  func kindsAddUpToRequests(threads: Int) throws {
    let trace = ExecutionTrace().prepared()
    let stand = ExecutionStand()
    stand.spec.threads = [threads]
    let execution = try stand.first(Self.cell(), over: trace)
    let modifies = (0..<trace.requests.count).count {
      trace.requests.operations?[$0] == Operation.modify.rawValue
    }
    #expect(execution.timedOneIn == 1)
    #expect(execution.latencies.map(\.kind) == [.memoryHit, .miss, .set, .delete])
    let sum = execution.latencies.reduce(0) { $0 + $1.count }
    #expect(sum + UInt64(modifies) == execution.requests)
    let counts = execution.counts
    #expect(
      execution.latencies.map(\.count) == [
        counts.memoryHits, counts.misses, counts.sets, counts.deletes,
      ])
    for latency in execution.latencies.map(\.latency) + [execution.getLatency].compactMap({ $0 }) {
      #expect(latency.p50 > 0)
      #expect(latency.p50 <= latency.p90 && latency.p90 <= latency.p99)
      #expect(latency.p99 <= latency.p999 && latency.p999 <= latency.max)
    }
  }

  @Test func manyRequestsToMemoryAreSampled() throws {
    let trace = ExecutionTrace(
      requests: 1 << 18, hasOperations: false, isTimed: false, hasSizes: false
    ).prepared()
    let stand = ExecutionStand()
    let execution = try stand.first(Self.cell(), over: trace)
    #expect(execution.timedOneIn == 16)
    #expect(execution.latencies.map(\.count) == [execution.counts.hits, execution.counts.misses])
    stand.spec.load = .rate(perSecond: 1e9)
    stand.time = FakeRunTime()
    let open = try stand.first(Self.cell(), over: trace)
    #expect(open.timedOneIn == 1)
  }

  @Test func theWarmUpStopsAtTheFirstEviction() throws {
    let trace = ExecutionTrace(hasOperations: false, isTimed: false).prepared()
    let stand = ExecutionStand()
    stand.warmUp = .untilFull
    stand.spec.threads = [1, 2]
    let executions = try #require(try stand.run(Self.cell(), over: trace))
    var seen: Set<ObjectID> = []
    var needed = 0
    while seen.count < 51 {
      seen.insert(trace.requests.ids[needed])
      needed += 1
    }
    #expect(executions.map(\.warmUpRequests) == [UInt64(needed), UInt64(needed)])
    #expect(executions.allSatisfy { $0.requests == UInt64(3_000 - needed) })
    let mute = try stand.first(Self.cell(), over: trace, FaultyCache(.none).contender)
    #expect(mute.warmUpRequests == 0 && mute.requests == 3_000)
    #expect(mute.notes.count == 1)
  }

  @Test func pressureComesAtItsRequest() throws {
    let trace = ExecutionTrace(hasOperations: false, isTimed: false).prepared()
    let stand = ExecutionStand()
    stand.spec.pressure = [
      ExecutionSpec.Pressure(at: Share(percent: 100), level: .critical),
      ExecutionSpec.Pressure(at: Share(percent: 50), level: .warning),
    ]
    let planned = try Self.cell()
    let simulated = try stand.simulate(planned, over: trace)
    let execution = try stand.first(planned, over: trace, simulated: simulated)
    #expect(execution.equalsSimulated == nil)
    #expect(execution.capacityChecks == 3)
    #expect(execution.counts.hits < simulated.hits)
    let cache = FaultyCache(.none)
    stand.spec.threads = [3]
    stand.warmUp = .share(Share(percent: 60))
    _ = try stand.run(planned, over: trace, cache.contender)
    #expect(cache.levels == [.warning, .critical])
  }

  @Test func aRunCanBeStopped() throws {
    let trace = ExecutionTrace(requests: 50_000, hasOperations: false, isTimed: false).prepared()
    for threads in [1, 3] {
      let stand = ExecutionStand()
      stand.spec.threads = [threads]
      let cancellation = stand.cancellation
      let cache = FaultyCache(.none) { cancellation.request() }
      #expect(try stand.run(Self.cell(), over: trace, cache.contender) == nil)
      #expect(cache.isClosed)
      #expect(cache.gets.values.reduce(0, +) < 20_000)
      #expect(stand.leftovers.isEmpty)
    }
  }

  /// Memory of a cache is divided by the entries of all its tiers: here 10 in memory, and the rest
  /// on disk.
  @Test func memoryIsDividedByTheEntriesOfAllTiers() throws {
    let trace = ExecutionTrace(hasOperations: false, isTimed: false, hasSizes: false).prepared()
    let stand = ExecutionStand()
    stand.spec.valueBytes = 1_000
    let memory = try ExecutionStand.tier(capacity: 10)
    let disk = try ExecutionStand.tier(capacity: 100)
    let rules = HybridRules()
    let setups: [(Arrangement, UInt64, Double?)] = [
      (.memory(memory), 10, 1_008), (.disk(disk), 100, nil),
      (.hybrid(memory: memory, disk: disk, rules: rules), 110, 10 * 1_008.0 / 110),
    ]
    for (setup, objects, payload) in setups {
      let execution = try stand.first(ExecutionStand.cell(setup), over: trace)
      #expect(execution.residentObjects == objects)
      #expect(execution.memoryPayloadBytesPerObject == payload)
    }
  }

  @Test func aDisksFilesAreMeasured() throws {
    let trace = ExecutionTrace(sizeMax: 3_000, hasOperations: false, isTimed: false).prepared()
    let stand = ExecutionStand()
    stand.spec.pageCache = .dropped
    stand.warmUp = .requests(500)
    let planned = ExecutionStand.cell(.disk(try ExecutionStand.tier()))
    let simulated = try stand.simulate(planned, over: trace)
    let execution = try stand.first(planned, over: trace, simulated: simulated)
    #expect(execution.equalsSimulated == true)
    let bytes = try #require(execution.diskBytes)
    #expect(bytes > 50 * 1_000)
    #expect(execution.latencies.map(\.kind) == [.diskHit, .miss])
  }

  /// Larder's count of its own writes is equal in every run, without those of the warm-up.
  @Test(arguments: [false, true])
  func writesAndFilesAreCounted(isHybrid: Bool) throws {
    let trace = ExecutionTrace(sizeMax: 3_000, hasOperations: false, isTimed: false).prepared()
    let stand = ExecutionStand()
    stand.repetitions = 2
    let tier = try ExecutionStand.tier()
    let planned = ExecutionStand.cell(
      isHybrid
        ? .hybrid(memory: try ExecutionStand.tier(capacity: 10), disk: tier, rules: HybridRules())
        : .disk(tier))
    let all = try #require(try stand.run(planned, over: trace))
    let bytes = try #require(all.first?.bytesWritten)
    let files = try #require(all.first?.files)
    #expect(bytes > 50 * 1_000 && files > 1)
    #expect(all.map(\.bytesWritten) == [bytes, bytes] && all.map(\.files) == [files, files])
    stand.warmUp = .requests(500)
    let rest = try #require(try stand.run(planned, over: trace)?.first?.bytesWritten)
    #expect(rest > 0 && rest < bytes)
  }
}
