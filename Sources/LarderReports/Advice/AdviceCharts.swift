import LarderAdvice
import LarderSystem

/// The charts of advice.
enum AdviceCharts {
  /// Hit ratio by capacity: the advised design and LRU, with the recommended point.
  static func curve(_ advice: Advice) -> LineChart {
    let best = advice.best
    let sentences = AdviceSentences(advice: advice)
    let name = best.advised.name
    let styles = PolicyStyles([best.advised.policy, "lru"])
    var series = [
      ChartSeries(
        name: name, style: styles[best.advised.policy],
        points: advice.curve.map { point($0, sentences) })
    ]
    if name != "lru" {
      series.append(
        ChartSeries(
          name: "lru", style: styles["lru"],
          points: advice.lruCurve.map { point($0, sentences) }, hasMarkers: false))
    }
    return LineChart(
      title: "\(sentences.ratioTitle.prefix(1).uppercased())\(sentences.ratioTitle.dropFirst()): "
        + advice.trace.name,
      caption: "Higher is better; the capacity axis is logarithmic. Recommended: "
        + "\(sentences.size(best.capacity)).",
      x: ChartAxis(title: "capacity", unit: ChartUnit(advice.unit), isLogarithmic: true),
      y: ChartAxis(title: sentences.ratioTitle, unit: .percent), series: series,
      annotations: [
        LineChart.Annotation(
          x: Double(best.capacity), y: best.advised.hitRatio, text: "recommended")
      ])
  }

  private static func point(_ point: CurvePoint, _ sentences: AdviceSentences) -> ChartSeries.Point
  {
    ChartSeries.Point(
      x: Double(point.capacity), y: point.hitRatio,
      label: "\(sentences.size(point.capacity)): \(AdviceNumbers.percent(point.hitRatio))"
        + (point.isEstimate ? ", estimated" : ""))
  }

  /// Cost by capacity: memory, misses and their sum.
  static func costs(_ advice: Advice, _ costs: Costs) -> LineChart {
    let sentences = AdviceSentences(advice: advice)
    let currency = costs.prices.currency
    func series(
      _ name: String, _ style: SeriesStyle, _ value: @escaping (CostPoint) -> Double
    ) -> ChartSeries {
      ChartSeries(
        name: name, style: style,
        points: costs.points.map { point in
          ChartSeries.Point(
            x: Double(point.capacity), y: value(point),
            label: "\(sentences.size(point.capacity)): "
              + AdviceNumbers.money(value(point), currency))
        })
    }
    return LineChart(
      title: "Cost a month, \(TextSafety.singleLine(currency))",
      caption: "Lower is better. Cheapest: \(sentences.size(costs.cheapest.capacity)) for "
        + "\(AdviceNumbers.money(costs.cheapest.total, currency)).",
      x: ChartAxis(title: "capacity", unit: ChartUnit(advice.unit), isLogarithmic: true),
      y: ChartAxis(title: "\(TextSafety.singleLine(currency)) a month", unit: .number),
      series: [
        series("total", SeriesStyle(colour: .blue, marker: .circle)) { $0.total },
        series("misses", SeriesStyle(colour: .orange, marker: .square, dash: .long)) {
          $0.misses
        },
        series("memory", SeriesStyle(colour: .green, marker: .triangle, dash: .short)) {
          $0.memory
        },
      ],
      annotations: [
        LineChart.Annotation(
          x: Double(costs.cheapest.capacity), y: costs.cheapest.total, text: "cheapest")
      ])
  }
}
