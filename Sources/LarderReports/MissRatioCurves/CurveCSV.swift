import LarderSimulation
import LarderSystem

/// Miss-ratio curves as CSV, one row a point: a function of trace and settings, byte for byte the
/// same for any number of threads.
///
///     trace,policy,method,unit,capacity,requests,hits,hit_ratio,miss_ratio,standard_error
///     OLTP.lis,lru,exact,objects,1000,914145,300132,0.328320,0.671680,
///
/// Estimates have no `hits`, exact counts no `standard_error`.
package enum CurveCSV {
  /// The header and a row a point. Linear in the points.
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
