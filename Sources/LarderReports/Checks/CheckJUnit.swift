import LarderHarness
import LarderSupport

/// A check as JUnit XML, which every continuous integration shows: a test case a cell.
///
/// A cell that got worse, is missing or takes longer is a failure; one whose timing is undecided,
/// or of which a figure was not measured, is skipped.
package enum CheckJUnit {
  /// The file. Linear in the cells.
  package static func text(of result: CheckResult) -> String {
    let cases = cases(of: result)
    let failures = cases.count { $0.failure != nil }
    let skipped = cases.count { $0.skipped != nil && $0.failure == nil }
    let name = XMLText.escaped(result.workload)
    let counts =
      "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\""
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites name=\"larder check\" \(counts)>\n"
    text += "  <testsuite name=\"\(name)\" \(counts)>\n"
    text += "    <properties>\n"
    for (key, value) in properties(of: result) {
      text += "      <property name=\"\(key)\" value=\"\(XMLText.escaped(value))\"/>\n"
    }
    text += "    </properties>\n"
    for test in cases { text += test.text(className: name) }
    return text + "  </testsuite>\n</testsuites>\n"
  }

  private static func properties(of result: CheckResult) -> [(String, String)] {
    var properties = [
      ("baseline", result.baseline), ("command", result.command), ("machine", result.machine),
      ("verdict", result.verdict.rawValue),
    ]
    let loads = result.loads.compactMap { NumberText.fixed($0, decimals: 2) }
    if !loads.isEmpty { properties.append(("load", loads.joined(separator: " "))) }
    if let method = result.timingMethod { properties.append(("timings", method)) }
    return properties
  }

  private struct TestCase {
    let name: String
    var failure: String?
    var skipped: String?
    var output: [String] = []

    func text(className: String) -> String {
      let start =
        "    <testcase classname=\"\(className)\" name=\"\(XMLText.escaped(name))\""
      var inside = ""
      if let failure {
        inside += "      <failure message=\"\(XMLText.escaped(failure))\"/>\n"
      } else if let skipped {
        inside += "      <skipped message=\"\(XMLText.escaped(skipped))\"/>\n"
      }
      if !output.isEmpty {
        let lines = output.map { XMLText.escaped($0) }.joined(separator: "\n")
        inside += "      <system-out>\(lines)</system-out>\n"
      }
      return inside.isEmpty ? start + "/>\n" : start + ">\n" + inside + "    </testcase>\n"
    }
  }

  private static func cases(of result: CheckResult) -> [TestCase] {
    let changes = Dictionary(
      result.counts.changes.map { ($0.after.name, $0) }, uniquingKeysWith: { first, _ in first })
    let new = Set(result.counts.new.map(\.name))
    let timings = Dictionary(grouping: result.timings, by: \.name.cell)
    let unequal = Set(result.unequalExecutions)
    let resources = Dictionary(grouping: result.resources?.changes ?? [], by: \.name)
    let unmeasured = Dictionary(grouping: result.resources?.missing ?? [], by: \.name)
    var cases =
      result.traceChanges.isEmpty
      ? [] : [TestCase(name: "trace", failure: result.traceChanges.joined(separator: "; "))]
    cases += result.cells.map { name in
      var test = TestCase(name: "\(name)")
      var findings = Findings()
      if let change = changes[name] {
        let sentence = "\(change.kind.rawValue): \(CheckText.sentence(change))"
        if result.counts.fails(change) {
          findings.failures.append(sentence)
        } else {
          findings.remarks.append(sentence)
        }
      }
      if new.contains(name) { findings.remarks.append("not in the baseline") }
      if unequal.contains(name) {
        findings.failures.append("executed in one thread, its counts differ from the simulation")
      }
      for change in resources[name] ?? [] { findings.add(change) }
      if let missing = unmeasured[name] { findings.add(missing) }
      for timing in timings[name] ?? [] { findings.add(timing) }
      test.output = findings.remarks
      if !findings.open.isEmpty {
        test.skipped = "inconclusive: \(findings.open.joined(separator: "; "))"
      }
      if !findings.failures.isEmpty {
        test.failure = findings.failures.joined(separator: "; ")
        test.output.append(CheckText.command(result, only: name))
      }
      return test
    }
    return cases
      + result.counts.missing.map {
        TestCase(name: "\($0.name)", failure: "missing: the baseline has it, the workload does not")
      }
  }

  /// What was found of one cell.
  private struct Findings {
    /// What fails it.
    var failures: [String] = []
    /// What is undecided.
    var open: [String] = []
    /// Everything else.
    var remarks: [String] = []

    mutating func add(_ change: ResourceChange) {
      let sentence = CheckText.sentence(change)
      if change.isWorse {
        failures.append("worse: \(sentence)")
      } else {
        remarks.append("better: \(sentence)")
      }
    }

    mutating func add(_ missing: [MissingResource]) {
      open += missing.map { CheckText.sentence($0) } + [CheckText.remedy(missing)]
    }

    mutating func add(_ timing: TimingComparison) {
      let sentence = CheckText.sentence(timing)
      switch timing.verdict {
      case .fail: failures.append("\(timing.title) \(sentence)")
      case .inconclusive: open.append(sentence)
      case .pass: remarks.append(sentence)
      }
    }
  }
}
