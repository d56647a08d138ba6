import LarderEngine
import LarderExperiments
import LarderSupport

package enum CurveChart {
  package static func svg(of trace: TraceCurves, share: Share) -> String {
    let styles = PolicyStyles(trace.curves.map(\.policy))
    return LineChart(
      title: "Miss ratio of \(trace.facts.name)", caption: caption(trace, share),
      x: ChartAxis(title: "capacity", unit: ChartUnit(trace.unit), isLogarithmic: true),
      y: ChartAxis(title: "miss ratio", unit: .percent),
      series: trace.curves.map { curve in
        ChartSeries(
          name: curve.policy, style: styles[curve.policy], points: curve.points.map(point),
          hasMarkers: false, isBound: PolicyName(curve.policy).isOffline)
      },
      annotations: trace.curves.flatMap { curve in
        curve.knees.map { curve.points[$0] }.map { knee in
          .init(x: Double(knee.capacity), y: 1 - knee.hitRatio, text: "knee")
        }
      }
    ).svg()
  }

  private static func point(_ point: MissRatioCurve.Point) -> ChartSeries.Point {
    let miss = 1 - point.hitRatio
    let range = point.standardError.map { error in
      max(0, miss - 2 * error)...min(1, miss + 2 * error)
    }
    return ChartSeries.Point(x: Double(point.capacity), y: miss, range: range)
  }

  private static func caption(_ trace: TraceCurves, _ share: Share) -> String {
    let smallest = trace.curves.compactMap { curve in
      curve.smallestCache.map { "\(curve.policy) \(NumberText.capacity($0, curve.unit))" }
    }
    let estimated = trace.curves.filter { $0.method != .exact }.map(\.policy)
    return "Lower is better; the capacity axis is logarithmic. "
      + (smallest.isEmpty
        ? ""
        : "Smallest capacities with \(share) of the best hit ratio: "
          + "\(smallest.joined(separator: ", ")). ")
      + (estimated.isEmpty
        ? ""
        : "Estimated from a sample of the objects: \(estimated.joined(separator: ", ")); bars show "
          + "two standard errors on either side.")
  }
}

/// Miss-ratio curves as CSV, one row for each point. Estimates have no `hits`, exact counts no
/// `standard_error`.
package enum CurveCSV {
  package static func text(of traces: [TraceCurves]) -> String {
    let rows = traces.flatMap(\.curves).lazy.flatMap { curve -> [Row] in
      curve.points.map { (curve, $0) }
    }
    return CSVText.header(columns) + CSVText.lines(rows, columns)
  }

  private typealias Row = (curve: MissRatioCurve, point: MissRatioCurve.Point)

  private static var columns: [Column<Row>] {
    [
      .text("trace") { $0.curve.trace },
      .text("policy") { $0.curve.policy },
      .text("method") { $0.curve.method.rawValue },
      .text("unit") { $0.curve.unit.rawValue },
      .whole("capacity") { $0.point.capacity },
      .whole("requests") { $0.curve.requests },
      .whole("hits") { $0.point.hits },
      ratio("hit_ratio", { hits, _ in hits }, { $0 }),
      ratio("miss_ratio", { $1 - $0 }, { 1 - $0 }),
      .decimal("standard_error", 6) { $0.point.standardError },
    ]
  }

  private static func ratio(
    _ title: String, _ part: @escaping (_ hits: UInt64, _ requests: UInt64) -> UInt64,
    _ estimate: @escaping (Double) -> Double
  ) -> Column<Row> {
    Column(title) { curve, point in
      let exact = point.hits.flatMap {
        NumberText.ratio(part($0, curve.requests), of: curve.requests, decimals: 6)
      }
      return .number(exact ?? NumberText.fixed(estimate(point.hitRatio), decimals: 6) ?? "")
    }
  }
}
