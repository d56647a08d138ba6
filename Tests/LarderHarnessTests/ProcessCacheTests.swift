import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness
@testable import LarderTraces

/// Caches in other processes: the example in Python, memcached, and programs that misbehave.
@Suite(.endsInTime) struct ProcessCacheTests {
  static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "Examples/Processes"
    ).path

  static func cell(
    _ command: [String], _ tier: TierSetup, unit: CapacityUnit = .objects, isDisk: Bool = false,
    timeout: UInt32 = 60
  ) -> PlannedCell {
    var planned = ExecutionStand.cell(
      isDisk ? .disk(tier) : .memory(tier), unit: unit, contender: "process")
    planned.process = ProcessSpec(
      command: command, folder: examples, timeoutSeconds: timeout)
    return planned
  }

  @Test(
    .enabled(if: ServerProgram.path("python3") != nil, "python3 is not installed"),
    arguments: [(CapacityUnit.objects, 50), (.bytes, 1_500)] as [(CapacityUnit, UInt64)])
  func theExampleInPythonHasTheHitsOfLRU(unit: CapacityUnit, capacity: UInt64) throws {
    let trace = ExecutionTrace(requests: 1_500, seed: 8).prepared()
    let stand = ExecutionStand()
    let tier = try ExecutionStand.tier(capacity: capacity, timeToLive: 25)
    let planned = Self.cell(["python3", "lru.py", "{capacity}", "{unit}"], tier, unit: unit)
    let simulated = try stand.simulate(
      ExecutionStand.cell(.memory(tier), unit: unit), over: trace)
    let execution = try stand.first(planned, over: trace)
    let counts = execution.counts
    #expect(counts.hits == simulated.hits && counts.bytesHit == simulated.bytesHit)
    #expect(counts.requests == simulated.requests && counts.staleHits == simulated.staleHits)
    #expect(counts.sets == simulated.sets && counts.deletes == simulated.deletes)
    #expect(simulated.hits > 0 && simulated.evictions > 0 && simulated.expirations > 0)
    #expect(!execution.countsTiers && execution.valuesChecked == counts.hits)
    #expect(stand.leftovers.isEmpty)
  }

  @Test(.enabled(if: ServerProgram.path("python3") != nil, "python3 is not installed"))
  func severalThreadsShareStandardInput() throws {
    let stand = ExecutionStand()
    stand.spec.threads = [3]
    let planned = Self.cell(
      ["python3", "lru.py", "{capacity}"], try ExecutionStand.tier(capacity: 60), isDisk: true)
    let execution = try stand.first(planned, over: ExecutionTrace(requests: 1_000).prepared())
    #expect(execution.counts.diskHits > 0 && execution.counts.memoryHits == 0)
    #expect(execution.valuesChecked == execution.counts.hits)
  }

  @Test(.enabled(if: ServerProgram.path("memcached") != nil, "memcached is not installed"))
  func memcachedWorksUnmodified() throws {
    let user = getuid() == 0 ? ["-u", "root"] : []
    let stand = ExecutionStand()
    stand.spec.threads = [1, 2]
    // Room for everything, because its evictions depend on its own clock.
    let planned = Self.cell(
      ["memcached", "-s", "{socket}", "-m", "{capacity:MiB}", "-t", "{threads}"] + user,
      try ExecutionStand.tier(capacity: 64 << 20), unit: .bytes)
    var trace = ExecutionTrace(requests: 2_000, sizeMax: 30_000, seed: 3)
    trace.isTimed = false
    let prepared = trace.prepared()
    let simulated = try stand.simulate(
      ExecutionStand.cell(
        .memory(try ExecutionStand.tier(capacity: 64 << 20)), unit: .bytes), over: prepared)
    let executions = try #require(try stand.run(planned, over: prepared))
    #expect(executions.count == 2)
    #expect(executions[0].counts.hits == simulated.hits)
    #expect(executions[1].valuesChecked == executions[1].counts.hits)
  }

  private static func shell(_ rest: String) -> [String] {
    [
      "sh", "-c",
      "read greeting; printf 'VERSION 1\\r\\n'; read word key; key=${key%?}; " + rest,
    ]
  }

  @Test(
    arguments: [
      (["no-such-program-of-larder"], "there is no such program in PATH"),
      (["./no-such-file"], "cannot start './no-such-file'"),
      (["false"], "'false' ended with status 1"),
      (
        ["sh", "-c", "echo one >&2; echo two >&2; exit 7"],
        "status 7; its last line on standard error: two"
      ),
      (["cat"], "answered 'version"),
      (["sleep", "1000"], "did not answer within 1 s"),
      (["sh", "-c", "exec sleep 1000 # {socket}"], "did not listen on its socket within 1 s"),
      (["sh", "-c", "kill -9 $$"], "ended by signal 9"),
      (shell("exit 4"), "ended with status 4"),
      (shell("sleep 1000"), "did not answer within 1 s"),
      (shell("printf 'ERROR\\r\\n'; read a"), "answered 'ERROR' to 'get "),
      (shell("printf 'VALUE 1 0 5\\r\\n12345\\r\\nEND\\r\\n'; read a"), "to 'get "),
      (shell("printf \"VALUE $key 0 99999999999\\r\\n\"; read a"), "answered 'VALUE"),
      (shell("printf \"VALUE $key 0 -1\\r\\n\"; read a"), "answered 'VALUE"),
      (shell("printf \"VALUE $key 0 1\\r\\n123\\r\\nEND\\r\\n\"; read a"), "line end"),
      (shell("printf \"VALUE $key 0 9\\r\\n123\"; exit 0"), "ended with status 0"),
      (shell("printf '%5000s' x; read a"), "answered"),
      (
        shell("printf 'END\\r\\n'; read a; read b; printf 'NO\\r\\n'; read c"),
        "answered 'NO' to 'set"
      ),
    ] as [([String], String)])
  func faultyProcessIsAOneLineError(command: [String], message: String) throws {
    let stand = ExecutionStand()
    var trace = ExecutionTrace(requests: 50)
    trace.hasOperations = false
    let planned = Self.cell(command, try ExecutionStand.tier(capacity: 9), timeout: 1)
    let error = #expect(throws: ExecutionError.self) {
      try stand.run(planned, over: trace.prepared())
    }
    let said = try #require(error).description
    #expect(said.contains(message), "\(said)")
    #expect(!said.contains("\n") && said.count < 500)
    #expect(stand.leftovers.isEmpty)
  }

  @Test func failureAtExitIsAnError() throws {
    let stand = ExecutionStand()
    var trace = ExecutionTrace(requests: 1, seed: 2)
    trace.hasOperations = false
    let planned = Self.cell(
      Self.shell(
        "printf 'END\\r\\n'; read a; read b; printf 'STORED\\r\\n'; cat > /dev/null; exit 5"),
      try ExecutionStand.tier(capacity: 9))
    let error = #expect(throws: ExecutionError.self) {
      try stand.run(planned, over: trace.prepared())
    }
    #expect(try #require(error).description.contains("failed in close: 'sh' ended with status 5"))
  }

  @Test func wrongValueIsDetected() throws {
    let stand = ExecutionStand()
    var trace = ExecutionTrace(requests: 1, sizeMax: 0)
    trace.hasOperations = false
    let planned = Self.cell(
      Self.shell("printf \"VALUE $key 0 3\\r\\nabc\\r\\nEND\\r\\n\"; cat > /dev/null"),
      try ExecutionStand.tier(capacity: 9))
    let error = #expect(throws: ExecutionError.self) {
      try stand.run(planned, over: trace.prepared())
    }
    let said = try #require(error).description
    #expect(said.contains("1 wrong values of 1"), "\(said)")
  }

  @Test func noProcessIsLeftRunning() throws {
    let mark = "larder-test-\(UUID().uuidString)"
    let stand = ExecutionStand()
    // It ignores the end of its input and the signal to exit.
    let planned = Self.cell(
      Self.shell("trap '' TERM; : \(mark); printf 'ERROR\\r\\n'; while :; do sleep 0.05; done"),
      try ExecutionStand.tier(capacity: 9), timeout: 1)
    #expect(throws: ExecutionError.self) {
      try stand.run(planned, over: ExecutionTrace(requests: 5).prepared())
    }
    #expect(try Self.running(mark) == 0)
  }

  private static func running(_ mark: String) throws -> Int {
    guard let ids = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else { return 0 }
    return ids.filter { id in
      guard UInt32(id) != nil,
        let command = FileManager.default.contents(atPath: "/proc/\(id)/cmdline")
      else { return false }
      return String(decoding: command, as: UTF8.self).contains(mark)
    }.count
  }
}
