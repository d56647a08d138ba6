import LarderEngine
import LarderExperiments
import LarderSupport

package enum CurveChart {
  package static func svg(of trace: TraceCurves, share: Share) -> String {
    chart(of: trace, share: share).svg()
  }

  static func chart(of trace: TraceCurves, share: Share) -> LineChart {
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
        "\(curve.policy) "
          + NumberText.capacity(capacity, bytes: curve.unit == .bytes)
          + (curve.unit == .objects ? " objects" : "")
      }
    }
    if !smallest.isEmpty {
      text +=
        "Smallest capacities with \(share) of the best hit ratio: "
        + "\(smallest.joined(separator: ", ")). "
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

/// Miss-ratio curves as CSV, one row for each point: a function of trace and settings, equal to the
/// byte for any number of threads.
///
///     trace,policy,method,unit,capacity,requests,hits,hit_ratio,miss_ratio,standard_error
///     OLTP.lis,lru,exact,objects,1000,914145,300132,0.328320,0.671680,
///
/// Estimates have no `hits`, exact counts no `standard_error`.
package enum CurveCSV {
  package static func text(of traces: [TraceCurves]) -> String {
    var text = CSVColumn.header(columns)
    for curve in traces.flatMap(\.curves) {
      for point in curve.points { text += CSVColumn.line(columns, (curve, point)) }
    }
    return text
  }

  private typealias Row = (curve: MissRatioCurve, point: MissRatioCurve.Point)

  private static let columns: [CSVColumn<Row>] = [
    .text("trace") { $0.curve.trace },
    .text("policy") { $0.curve.policy },
    .text("method") { $0.curve.method.rawValue },
    .text("unit") { $0.curve.unit.rawValue },
    .whole("capacity") { $0.point.capacity },
    .whole("requests") { $0.curve.requests },
    .whole("hits") { $0.point.hits },
    CSVColumn(name: "hit_ratio") { row in
      row.point.hits.flatMap { NumberText.ratio($0, of: row.curve.requests, decimals: 6) }
        ?? NumberText.fixed(row.point.hitRatio, decimals: 6) ?? ""
    },
    CSVColumn(name: "miss_ratio") { row in
      row.point.hits.flatMap { hits in
        NumberText.ratio(row.curve.requests - hits, of: row.curve.requests, decimals: 6)
      } ?? NumberText.fixed(1 - row.point.hitRatio, decimals: 6) ?? ""
    },
    .decimal("standard_error", 6) { $0.point.standardError },
  ]
}
