import LarderExperiments
import LarderSupport

/// Findings of a check as commands to GitHub's runner, which shows them at the workload's file.
///
///     ::error file=Workloads/ci.yaml,title=memory/lru/1%25::hits 205 500 -> 205 499 (-1)
package enum CheckAnnotations {
  private static let linesMax = 10

  /// The lines, each ending in a line feed; empty when there is nothing to say.
  package static func text(of result: CheckResult) -> String {
    let errors = result.findings.filter { $0.level == .failure }.map { finding in
      (finding.title, [finding.text, finding.command].compactMap { $0 }.joined(separator: "\n"))
    }
    let warnings = result.findings.compactMap { finding -> Annotation? in
      switch finding.level {
      case .failure, .remark: return nil
      case .change: return (finding.title, finding.text)
      case .inconclusive:
        let parts = [finding.sentence, finding.advice].compactMap { $0 }
        return (finding.title, "inconclusive: " + parts.joined(separator: "; "))
      }
    }
    return (lines("error", errors, result.file) + lines("warning", warnings, result.file))
      .joined()
  }

  private typealias Annotation = (title: String, text: String)

  static func escaped(_ text: String, isProperty: Bool) -> String {
    // By scalar: a carriage return and a line feed are one Character, as are a sign and a mark.
    TextSafety.printable(text).unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "%": result += "%25"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      case ":" where isProperty: result += "%3A"
      case "," where isProperty: result += "%2C"
      default: result.unicodeScalars.append(scalar)
      }
    }
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
