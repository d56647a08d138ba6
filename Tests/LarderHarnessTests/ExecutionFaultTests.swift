import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderHarness

@Suite struct ExecutionFaultTests {
  private static func cell(_ contender: String = "faulty") throws -> PlannedCell {
    ExecutionStand.cell(
      .memory(try ExecutionStand.tier(capacity: 150)), contender: contender)
  }

  private static func failure(
    _ fault: FaultyCache.Fault, after: Int = 500,
    _ change: (ExecutionStand) -> Void = { _ in }
  ) throws -> (ExecutionError?, FaultyCache, ExecutionStand) {
    let trace = ExecutionTrace(isTimed: false).prepared()
    let stand = ExecutionStand()
    change(stand)
    let cache = FaultyCache(fault, after: after)
    let planned = try Self.cell()
    do throws(ExecutionError) {
      _ = try stand.executor.run(
        planned, over: trace, simulated: nil, contender: cache.contender)
      return (nil, cache, stand)
    } catch {
      return (error, cache, stand)
    }
  }

  @Test(
    arguments: [
      FaultyCache.Fault.anotherKeysValue, .anOldVersion, .aDeletedValue, .aTruncatedValue,
      .aDamagedValue,
    ], [1, 3])
  func aWrongValueIsAnError(fault: FaultyCache.Fault, threads: Int) throws {
    let (error, _, stand) = try Self.failure(fault) { $0.spec.threads = [threads] }
    guard case .wrongValues(let name, let wrong, let checked, let first) = error else {
      Issue.record("\(fault) was not noticed: \(String(describing: error))")
      return
    }
    #expect(name == "faulty")
    #expect(wrong > 0 && checked >= wrong)
    #expect(first.hasPrefix("request "))
    #expect(stand.leftovers.isEmpty)
  }

  @Test func correctCacheIsNoError() throws {
    let (error, cache, _) = try Self.failure(.none)
    #expect(error == nil)
    #expect(cache.isClosed)
  }

  @Test func unexpectedEmptyValueIsAnError() throws {
    let trace = ExecutionTrace(isTimed: false, hasSizes: false).prepared()
    let cache = FaultyCache(.anEmptyValue)
    let error = #expect(throws: ExecutionError.self) {
      _ = try ExecutionStand().run(try Self.cell(), over: trace, cache.contender)
    }
    guard case .wrongValues = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func headerVerificationIgnoresContent() throws {
    let trace = ExecutionTrace(isTimed: false, hasSizes: false).prepared()
    let stand = ExecutionStand()
    stand.spec.verification = .header
    let damaged = try stand.first(Self.cell(), over: trace, FaultyCache(.aDamagedValue).contender)
    #expect(damaged.valuesWrong == 0 && damaged.valuesChecked > 0)
    #expect(throws: ExecutionError.self) {
      try stand.run(try Self.cell(), over: trace, FaultyCache(.anOldVersion).contender)
    }
    stand.spec.verification = .none
    let unchecked = try stand.first(Self.cell(), over: trace, FaultyCache(.anOldVersion).contender)
    #expect(unchecked.valuesChecked == 0)
  }

  @Test func exceededCapacityIsCounted() throws {
    let trace = ExecutionTrace(isTimed: false).prepared()
    let stand = ExecutionStand()
    stand.warmUp = .requests(10)
    let tier = try ExecutionStand.tier(capacity: 50)
    let cache = FaultyCache(.tooManyEntries)
    let execution = try stand.first(
      ExecutionStand.cell(.memory(tier)), over: trace, cache.contender)
    #expect(execution.capacityChecks == 2)
    #expect(execution.capacityExceeded == 1)
    let limited = try ExecutionStand.tier(capacity: 5_000, objectsMax: 5)
    let second = try stand.first(
      ExecutionStand.cell(.memory(limited), unit: .bytes), over: trace,
      FaultyCache(.tooManyEntries).contender)
    #expect(second.capacityExceeded > 0)
  }

  @Test(arguments: [1, 4])
  func anErrorOfTheCacheIsOneLine(threads: Int) throws {
    for (fault, call) in [
      (FaultyCache.Fault.throwsInGet, "get"), (.throwsInFill, "fill"), (.throwsInUsage, "usage"),
      (.throwsInClose, "close"),
    ] {
      let (error, cache, stand) = try Self.failure(fault) { $0.spec.threads = [threads] }
      guard case .failed(_, let found, let request, let message) = error else {
        Issue.record("\(fault): \(String(describing: error))")
        continue
      }
      #expect(found == call)
      #expect((request == nil) == (call == "usage" || call == "close"))
      #expect(message == "the disk is made of cheese")
      #expect(error?.description.contains("\n") == false)
      #expect(cache.isClosed)
      #expect(stand.leftovers.isEmpty)
    }
  }

  @Test func unsupportedCellIsAnError() throws {
    let trace = ExecutionTrace(requests: 10, hasOperations: false, isTimed: false).prepared()
    let stand = ExecutionStand()
    let unknown = #expect(throws: ExecutionError.self) {
      try stand.run(try Self.cell("lader"), over: trace)
    }
    #expect(unknown == .unknownCache("lader", known: ContenderRegistry.all.map(\.name)))
    let disk = ExecutionStand.cell(.disk(try ExecutionStand.tier()), contender: "nscache")
    #expect(throws: ExecutionError.kind(cache: "nscache", kind: .disk)) {
      try stand.run(disk, over: trace)
    }
    let clairvoyant = ExecutionStand.cell(.memory(try ExecutionStand.tier("belady")))
    let making = #expect(throws: ExecutionError.self) { try stand.run(clairvoyant, over: trace) }
    #expect(making?.description.contains("next use") == true)
    stand.spec.threads = [0]
    let possible = try Self.cell("larder")
    #expect(throws: ExecutionError.threads(0)) { try stand.run(possible, over: trace) }
    stand.spec.threads = [1]
    stand.spec.load = .trace(speed: 1)
    let load = #expect(throws: ExecutionError.self) {
      try stand.run(ExecutionStand.cell(.memory(try ExecutionStand.tier())), over: trace)
    }
    #expect(load?.description.contains("no times") == true)
    #expect(stand.leftovers.isEmpty)
  }
}
