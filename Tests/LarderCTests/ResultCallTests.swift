import CLarder
import Foundation
import LarderC
import LarderEngine
import LarderExperiments
import LarderPolicies
import LarderReports
import LarderTraces
import TestSupport
import Testing

@Suite(.endsInTime) struct ResultCallTests {
  @Test func countsEqualASweepOverTheFile() throws {
    let file = FileManager.default.temporaryDirectory.path + "/larder-c-\(UUID()).csv"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let ids = CallText.ids(3000, below: 300)
    let lines = ids.map { "\($0),\($0 % 50 + 1)" }.joined(separator: "\n")
    try "id,size\n\(lines)\n".write(toFile: file, atomically: true, encoding: .utf8)
    let policies = PolicyRegistry.all.map(\.description.name).joined(separator: ",")
    let prepared = try PreparedTrace.load(path: file).withNextUses()
    var workload = Workload(name: "simulate", source: .trace(TraceReference(path: file)))
    workload.policies = try policies.split(separator: ",").map { try PolicySpec(parsing: $0) }
    workload.capacities = try CapacitySpec.list(parsing: "1%,10%,500B")
    let cells = try Plan.cells(of: workload, facts: [TraceFacts(prepared)])
    let records = try Sweep(cells: cells, traces: TraceTable(prepared), threads: 1).run()
    let expected = records.reduce(into: CountsCSV.header) { $0 += CountsCSV.row($1) }

    let trace = CallText.trace(ids, sizes: ids.map { $0 % 50 + 1 }, name: prepared.name)
    defer { _ = larder_trace_destroy(trace) }
    for threads in [1, 3] {
      let options = "policy=\(policies)\ncapacity=1%,10%,500B\nthreads=\(threads)"
      let answer = CallText { larder_simulate(trace, options, 0, $0, $1) }
      #expect(answer.error == nil)
      #expect(answer.text == expected)
    }
    let all = CallText { larder_simulate(trace, "policy=all\ncapacity=1%,10%,500B", 0, $0, $1) }
    #expect(all.text == expected)
  }

  @Test func invalidOptionsAreOneLineErrors() {
    let trace = CallText.trace(CallText.ids(100))
    defer { _ = larder_trace_destroy(trace) }
    func error(_ options: String?) -> String? {
      let answer = CallText { larder_simulate(trace, options, 0, $0, $1) }
      #expect(answer.text == nil && answer.status == LARDER_MISUSE)
      #expect(!(answer.error ?? "").contains("\n"))
      return answer.error
    }
    #expect(error(nil) == "option 'policy': is missing")
    #expect(error("policy=lru") == "option 'capacity': is missing")
    #expect(error("policy=lruu\ncapacity=5")?.contains("did you mean 'lru'?") ?? false)
    #expect(error("policy=lru:x=1\ncapacity=5")?.contains("has no parameter 'x'") ?? false)
    #expect(error("policy=lru\ncapacity=0")?.contains("above 0") ?? false)
    #expect(error("policy=lru\ncapacity=5\nthreads=0")?.contains("from 1 to 1024") ?? false)
    #expect(error("policy=lru\ncapacity=5\nseed=-1")?.contains("option 'seed'") ?? false)
    #expect(error("policy=lru\ncapacity=5\nignore-size=1")?.contains("true or false") ?? false)
    #expect(error("policy=lru\ncapacity=5\nservers=2")?.contains("servers") ?? false)
    #expect(error("policy=lru\ncapacity=5\nfetch=5ms")?.contains("times") ?? false)
    #expect(error("policy=lru\ncapacity=5\nadmission=nobody") != nil)
    #expect(error("policy=lru\ncapacity=5B") != nil)
    #expect(error("=\n\u{1}") != nil)
    #expect(larder_simulate(trace, "policy=lru\ncapacity=5", 0, nil, nil) == LARDER_MISUSE)
    #expect(larder_simulate(trace + 1000, nil, 0, nil, nil) == LARDER_MISUSE)
  }

  /// As in the command, `name:*` is every configuration that the policy declares.
  @Test func declaredConfigurationsAreExpanded() throws {
    let trace = CallText.trace(CallText.ids(100))
    defer { _ = larder_trace_destroy(trace) }
    let answer = CallText { larder_simulate(trace, "policy=s4-fifo:*\ncapacity=5", 0, $0, $1) }
    #expect(answer.error == nil)
    let rows = try #require(answer.text).split(separator: "\n").dropFirst()
    #expect(rows.count > 1 && rows.allSatisfy { $0.contains(",s4-fifo:") })
  }

  @Test func curvesAreReturned() throws {
    let trace = CallText.trace(CallText.ids(6_000, below: 500))
    defer { _ = larder_trace_destroy(trace) }
    let curve = CallText { larder_mrc(trace, "policy=lru,sieve\npoints=10", 0, $0, $1) }
    #expect(curve.error == nil)
    let lines = try #require(curve.text).split(separator: "\n")
    #expect(lines.count == 21)
    #expect(lines[0].hasPrefix("trace,policy,method,unit,capacity,requests,hits"))
    #expect(
      CallText { larder_mrc(trace, "method=exact:samples=5", 0, $0, $1) }.error
        == "option 'method': samples= requires the method shards")
    #expect(
      CallText { larder_mrc(trace, "method=guess", 0, $0, $1) }.error
        == "option 'method': expected one of auto, exact, shards, miniature, found 'guess'")
    #expect(CallText { larder_mrc(trace, "sample=2", 0, $0, $1) }.status == LARDER_MISUSE)
    let tooMany = "max-requests=18446744073709551615"
    for options in ["learn=0%", "prices=/nowhere", "max-requests=0", "max-requests=many", tooMany] {
      let advice = CallText { larder_advise(trace, options, 0, $0, nil, nil, $1) }
      #expect(advice.status == LARDER_MISUSE && advice.text == nil, "\(options)")
    }
  }

  @Test func adviceIsReturnedInThreeForms() throws {
    let trace = CallText.trace(CallText.ids(6_000, below: 500), name: "<requests>")
    defer { _ = larder_trace_destroy(trace) }
    var (text, html): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
    defer {
      larder_text_free(text)
      larder_text_free(html)
    }
    let options = "policy=lru,sieve\ncapacity=5%,20%\nmax-requests=1M"
    let answer = CallText { larder_advise(trace, options, 0, $0, &text, &html, $1) }
    #expect(answer.error == nil)
    let json = try #require(answer.text)
    let advice = try JSONDecoder().decode(Advice.self, from: Data(json.utf8))
    #expect(advice.capacities.count == 2)
    #expect(String(cString: try #require(text)) == AdviceText.text(of: advice, width: 80))
    #expect(String(cString: try #require(html)) == AdviceReport.card(advice))
    // Failures leave no text of an earlier call.
    var kept = text
    let failed = CallText { larder_advise(trace, "learn=0%", 0, $0, &kept, nil, $1) }
    #expect(failed.status == LARDER_MISUSE && kept == nil)
  }

  @Test func policiesAreListed() throws {
    let text = try #require(CallText { larder_policies($0, $1) }.text)
    for policy in PolicyRegistry.all {
      #expect(text.contains("\"name\":\"\(policy.description.name)\""))
    }
    #expect(!text.contains("\"callback\""))
    #expect(larder_policies(nil, nil) == LARDER_MISUSE)
  }

  @Test func tasksReportProgressAndCancel() throws {
    let task = larder_task_create()
    var trace: UInt64 = 0
    #expect(
      larder_trace_generate("zipf:objects=1000", "requests=300000", task, &trace, nil)
        == LARDER_OK)
    defer { _ = larder_trace_destroy(trace) }
    let options = "policy=lru,sieve\ncapacity=10,20"
    #expect(CallText { larder_simulate(trace, options, task, $0, $1) }.status == LARDER_OK)
    var (done, total): (UInt64, UInt64) = (0, 0)
    #expect(larder_task_progress(task, &done, &total) == LARDER_OK)
    #expect(done == 1_200_000 && total == 1_200_000)
    #expect(larder_task_cancel(task) == LARDER_OK)
    let stopped = CallText { larder_simulate(trace, options, task, $0, $1) }
    #expect(stopped.status == LARDER_CANCELLED && stopped.text == nil)
    #expect(
      CallText { larder_mrc(trace, "policy=sieve", task, $0, $1) }.status == LARDER_CANCELLED)
    #expect(
      CallText { larder_advise(trace, nil, task, $0, nil, nil, $1) }.status == LARDER_CANCELLED)
    #expect(larder_task_destroy(task) == LARDER_OK)
    #expect(larder_task_destroy(task) == LARDER_MISUSE)
    #expect(larder_task_cancel(task) == LARDER_MISUSE)
    #expect(larder_task_progress(task, nil, nil) == LARDER_MISUSE)
  }

  @Test func versionsAreReported() {
    #expect(larder_abi() == LARDER_ABI)
    let version = larder_version()
    #expect(version.map { String(cString: $0) }?.isEmpty == false)
    larder_text_free(version)
    larder_text_free(nil)
  }
}
