import LarderHarness
import LarderSupport

/// What a check found as commands to GitHub's runner, which shows them at the workload's file.
///
///     ::error file=Workloads/ci.yaml,title=memory/lru/1%25::hits 205 500 -> 205 499 (-1)
package enum CheckAnnotations {
  /// GitHub shows ten of each kind a step.
  private static let linesMax = 10

  /// The lines, each ending in a line feed; empty when there is nothing to say.
  package static func text(of result: CheckResult) -> String {
    let errors = errors(of: result)
    let warnings = warnings(of: result)
    return (lines("error", errors, result.file) + lines("warning", warnings, result.file))
      .joined()
  }

  /// What stands after `::`, and as a property; there, commas and colons mean something, too.
  static func escaped(_ text: String, isProperty: Bool) -> String {
    // Percent first: the others bring their own.
    var text = TextSafety.printable(text).replacing("%", with: "%25")
    // By scalar: a carriage return and a line feed together are one Character.
    text = text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      default: result.unicodeScalars.append(scalar)
      }
    }
    guard isProperty else { return text }
    return text.replacing(":", with: "%3A").replacing(",", with: "%2C")
  }

  private typealias Annotation = (title: String, text: String)

  private static func errors(of result: CheckResult) -> [Annotation] {
    var errors: [Annotation] = result.traceChanges.map { ("trace", $0) }
    errors += result.counts.failing.map { change in
      let command = CheckText.command(result, only: change.after.name)
      return ("\(change.after.name)", "\(CheckText.sentence(change))\n\(command)")
    }
    errors += result.counts.missing.map { ("\($0.name)", "the cell is missing") }
    errors += result.unequalExecutions.map {
      ("\($0)", "executed in one thread, its counts differ from the simulation")
    }
    errors += (result.resources?.worse ?? []).map { change in
      let command = CheckText.command(result, only: change.name)
      return ("\(change.name)", "\(CheckText.sentence(change))\n\(command)")
    }
    errors += result.timings.filter { $0.verdict == .fail }.map { timing in
      let command = CheckText.command(result, only: timing.name.cell)
      return (timing.title, "\(CheckText.sentence(timing))\n\(command)")
    }
    return errors
  }

  private static func warnings(of result: CheckResult) -> [Annotation] {
    var warnings: [Annotation] = result.counts.changes(.different)
      .filter { !result.counts.fails($0) }.map {
        ("\($0.after.name)", CheckText.sentence($0))
      }
    warnings += (result.resources?.missing ?? []).map {
      ("\($0.name)", "inconclusive: \(CheckText.sentence($0)); \(CheckText.remedy([$0]))")
    }
    warnings += result.timings.filter { $0.verdict == .inconclusive }.map {
      ($0.title, "inconclusive: \(CheckText.sentence($0))")
    }
    return warnings
  }

  private static func lines(
    _ kind: String, _ annotations: [Annotation], _ file: String
  ) -> [String] {
    var shown = annotations
    if annotations.count > linesMax {
      shown = Array(annotations.prefix(linesMax - 1))
      shown.append(("larder check", "and \(annotations.count - shown.count) more; see the log"))
    }
    return shown.map { annotation in
      let file = escaped(file, isProperty: true)
      let title = escaped(annotation.title, isProperty: true)
      return "::\(kind) file=\(file),title=\(title)::"
        + escaped(annotation.text, isProperty: false) + "\n"
    }
  }
}
