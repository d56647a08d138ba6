import LarderExperiments
import LarderSupport

/// A check as JUnit XML, which every continuous integration shows: a test case a cell.
///
/// A cell that got worse, is missing or takes longer is a failure; one whose timing is undecided,
/// or of which a figure was not measured, is skipped.
package enum CheckJUnit {
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
    let findings = Dictionary(grouping: result.findings, by: \.cell)
    let traces = findings[nil] ?? []
    return (traces.isEmpty ? [] : [test("trace", traces)])
      + result.cells.map { test("\($0)", findings["\($0)"] ?? []) }
      + result.counts.missing.map { test("\($0.name)", findings["\($0.name)"] ?? []) }
  }

  private static func test(_ name: String, _ findings: [CheckFinding]) -> TestCase {
    func texts(_ levels: CheckFinding.Level...) -> [String] {
      findings.filter { levels.contains($0.level) }.map(\.text)
    }
    var test = TestCase(name: name, output: texts(.change, .remark))
    let open = texts(.inconclusive)
    if !open.isEmpty {
      var advice: [String] = []
      for text in findings.compactMap(\.advice) where !advice.contains(text) { advice.append(text) }
      test.skipped = "inconclusive: \((open + advice).joined(separator: "; "))"
    }
    let failures = texts(.failure)
    if !failures.isEmpty {
      test.failure = failures.joined(separator: "; ")
      test.output += findings.first { $0.level == .failure }?.command.map { [$0] } ?? []
    }
    return test
  }
}
