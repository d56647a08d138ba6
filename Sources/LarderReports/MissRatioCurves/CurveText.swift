import LarderSimulation
import LarderSystem
import LarderWorkloads

/// Miss-ratio curves for a terminal: a picture, and what it says in words.
package enum CurveText {
  /// Picture, legend and findings of each trace.
  package static func text(
    of traces: [TraceCurves], share: Share, on terminal: CurvePicture.Terminal
  ) -> String {
    traces.map { text(of: $0, share: share, on: terminal) }.joined(separator: "\n")
  }

  private static func text(
    of trace: TraceCurves, share: Share, on terminal: CurvePicture.Terminal
  ) -> String {
    let picture = CurvePicture(trace.curves, on: terminal)
    let mark = terminal.hasUnicode ? "◉" : "@"
    var text = "\(TextSafety.singleLine(trace.facts.name)), miss ratio by capacity\n\n"
    text += picture.text() + "\n"
    let width = trace.curves.map(\.policy.count).max() ?? 0
    for (number, curve) in trace.curves.enumerated() {
      let name = curve.policy + String(repeating: " ", count: width - curve.policy.count)
      text += "  \(picture.key(of: number)) \(name)  \(findings(curve, share))\n"
      for line in errors(curve) { text += String(repeating: " ", count: width + 6) + line + "\n" }
    }
    if trace.curves.contains(where: { !$0.knees.isEmpty }) {
      text += "  \(mark) knee: further capacity gains less from here on\n"
    }
    return text
  }

  /// What a curve says, in a line.
  private static func findings(_ curve: MissRatioCurve, _ share: Share) -> String {
    var parts = [method(curve)]
    if let smallest = curve.smallestCache {
      parts.append("\(share) of the best hit ratio from \(capacity(smallest, curve))")
    } else {
      parts.append("no hits at any capacity")
    }
    if !curve.knees.isEmpty {
      let knees = curve.knees.map { capacity(curve.points[$0].capacity, curve) }
      parts.append("\(knees.count == 1 ? "knee" : "knees") at \(knees.joined(separator: ", "))")
    }
    return parts.joined(separator: "; ")
  }

  private static func method(_ curve: MissRatioCurve) -> String {
    guard curve.method != .exact else { return "exact" }
    var text = curve.method.rawValue
    if let objects = curve.sampledObjects, let rate = curve.rate {
      text += " of \(NumberText.grouped(UInt64(objects))) objects"
      text += " (\(NumberText.fixed(rate * 100, decimals: 3) ?? "") %)"
    }
    return text
  }

  /// How far an estimate may be off, and how far it was seen to be.
  private static func errors(_ curve: MissRatioCurve) -> [String] {
    var lines: [String] = []
    if let error = curve.meanStandardError {
      lines.append("mean standard error \(points(error)) points")
    }
    if let error = curve.measuredError {
      lines.append(
        "measured error: mean \(points(error.mean)) points over \(error.capacities) "
          + "capacities, maximum \(points(error.largest))")
    }
    return lines
  }

  /// Hundredths of a hit ratio.
  private static func points(_ value: Double) -> String {
    NumberText.fixed(value * 100, decimals: 2) ?? ""
  }

  private static func capacity(_ value: UInt64, _ curve: MissRatioCurve) -> String {
    NumberText.capacity(value, bytes: curve.unit == .bytes)
      + (curve.unit == .objects ? " objects" : "")
  }
}
