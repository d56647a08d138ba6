import LarderSimulation
import LarderSystem
import LarderWorkloads

/// Miss-ratio curves as a picture.
package enum CurveChart {
  /// The chart of one trace.
  package static func chart(of trace: TraceCurves, share: Share) -> LineChart {
    let unit = ChartUnit(trace.unit)
    let styles = PolicyStyles(trace.curves.map(\.policy))
    let knees = trace.curves.flatMap { curve in
      curve.knees.map { place in
        LineChart.Annotation(
          x: Double(curve.points[place].capacity), y: 1 - curve.points[place].hitRatio,
          text: "knee")
      }
    }
    return LineChart(
      title: "Miss ratio of \(trace.facts.name)", caption: caption(trace, share),
      x: ChartAxis(title: "capacity", unit: unit, isLogarithmic: true),
      y: ChartAxis(title: "miss ratio", unit: .percent),
      series: trace.curves.map { curve in
        ChartSeries(
          name: curve.policy, style: styles[curve.policy], points: curve.points.map(point),
          hasMarkers: false, isBound: PolicyName(curve.policy).isOffline)
      },
      annotations: knees)
  }

  /// A point, with twice the standard error to both sides where there is one.
  private static func point(_ point: MissRatioCurve.Point) -> ChartSeries.Point {
    let miss = 1 - point.hitRatio
    let range = point.standardError.map { error in
      max(0, miss - 2 * error)...min(1, miss + 2 * error)
    }
    return ChartSeries.Point(x: Double(point.capacity), y: miss, range: range)
  }

  private static func caption(_ trace: TraceCurves, _ share: Share) -> String {
    var text = "Lower is better; the capacity axis is logarithmic. "
    let smallest = trace.curves.compactMap { curve in
      curve.smallestCache.map { capacity in
        "\(curve.policy) from "
          + NumberText.capacity(capacity, bytes: curve.unit == .bytes)
          + (curve.unit == .objects ? " objects" : "") + " on"
      }
    }
    if !smallest.isEmpty {
      text += "\(share) of its best hit ratio is reached by \(smallest.joined(separator: ", ")). "
    }
    let estimated = trace.curves.filter { $0.method != .exact }
    if !estimated.isEmpty {
      text +=
        "Estimated from a sample of the objects: "
        + estimated.map(\.policy).joined(separator: ", ")
        + "; bars show two standard errors on either side."
    }
    return text
  }
}
