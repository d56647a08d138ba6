import LarderExperiments
import LarderSupport

/// The course of policies that choose among others: a chart and a table for each cell.
struct CourseSection {
  private let records: [Record]
  private let styles: PolicyStyles

  private static let cellsMax = 4
  private static let rowsMax = 20

  init?(_ results: RunResults) {
    // Of several seeds, the first stands for all.
    let seed = results.records.first { $0.course != nil }?.cell.seed
    records = results.records.filter { $0.course?.parts.isEmpty == false && $0.cell.seed == seed }
    styles = PolicyStyles(records.flatMap { $0.course?.policies ?? [] })
    if records.isEmpty { return nil }
  }

  var blocks: [Block] {
    var blocks: [Block] = [
      .paragraph(
        """
        \(code: "auto") simulates several policies in miniature beside the cache, and runs the one \
        that had the most hits of late. The line is the hit ratio of the cache in each hundredth \
        of the requests, in the colour of the policy in charge.
        """)
    ]
    for record in records.prefix(Self.cellsMax) {
      guard let course = record.course else { continue }
      let runs = Self.runs(of: course)
      blocks += [.chart(chart(record.cell, course, runs)), .table(table(course, runs))]
      blocks += Self.rest(runs.count - Self.rowsMax, "changes")
    }
    return blocks + Self.rest(records.count - Self.cellsMax, "cells")
  }

  private static func rest(_ count: Int, _ what: String) -> [Block] {
    count > 0 ? [.paragraph("\(count) more \(what) are in results.json.")] : []
  }

  private static func runs(of course: ChoiceCourse) -> [Range<Int>] {
    let starts = course.parts.indices.filter {
      $0 == 0 || course.parts[$0].leading != course.parts[$0 - 1].leading
    }
    return zip(starts, starts.dropFirst() + [course.parts.count]).map { $0..<$1 }
  }

  private func chart(_ cell: Cell, _ course: ChoiceCourse, _ runs: [Range<Int>]) -> ChartFigure {
    let capacity = NumberText.capacity(cell.capacity, cell.unit)
    let step = 1 / Double(course.parts.count)
    let series = Set(runs.map { course.parts[$0.lowerBound].leading }).sorted().map { policy in
      let name = course.policies[policy]
      let own = runs.filter { course.parts[$0.lowerBound].leading == policy }
      return ChartSeries(
        name: name, style: styles[name],
        points: own.flatMap { run in
          // A line reaches to the next part, so that a part on its own has one, too.
          (run.lowerBound...run.upperBound).map { part in
            let own = min(part, run.upperBound - 1)
            return .init(
              x: Double(part) * step, y: course.hitRatio(of: own..<own + 1),
              isStart: part == run.lowerBound)
          }
        }, hasMarkers: false)
    }
    return ChartFigure(
      ["course", cell.configuration, cell.policy, capacity],
      LineChart(
        title: "\(cell.policy) in \(cell.configuration), \(capacity), over time",
        caption: "\(NumberText.counted(course.switches, "change")) of the policy in charge, "
          + "including the warm-up.",
        x: ChartAxis(title: "requests, from first to last", unit: .percent, range: 0...1),
        y: ChartAxis(title: "hit ratio", unit: .percent), series: series, hasEndNames: false))
  }

  private func table(_ course: ChoiceCourse, _ runs: [Range<Int>]) -> Table {
    func percent(_ part: Int) -> Inline {
      Table.number(Double(part) * 100 / Double(course.parts.count), 0)
    }
    return Table(
      runs.prefix(Self.rowsMax),
      [
        .init("in charge") { .code(course.policies[course.parts[$0.lowerBound].leading]) },
        .init("from, % of requests") { percent($0.lowerBound) },
        .init("to") { percent($0.upperBound) },
        .init("hit ratio, %") { Table.percent(course.hitRatio(of: $0)) },
      ])
  }
}

extension ChoiceCourse {
  fileprivate func hitRatio(of range: Range<Int>) -> Double {
    let requests = parts[range].reduce(0.0) { $0 + Double($1.requests) }
    return requests == 0 ? 0 : parts[range].reduce(0.0) { $0 + Double($1.hits) } / requests
  }
}

/// Hit ratios of the runs in a history.
enum HistorySection {
  private static let cellsMax = 12

  static func blocks(_ history: [HistoryEntry]) -> [Block] {
    guard history.count > 1, let last = history.last else { return [] }
    let cells = last.cells.map(\.cell).prefix(cellsMax)
    let styles = PolicyStyles(Array(cells))
    let series = cells.map { cell in
      ChartSeries(
        name: cell, style: styles[cell],
        points: history.enumerated().compactMap { number, run in
          run.cells.first { $0.cell == cell }.map {
            .init(x: Double(number + 1), y: $0.hitRatio, label: "\(run.started), \(run.larder)")
          }
        })
    }
    let chart = LineChart(
      title: "Hit ratio by run", caption: "From \(history[0].started) to \(last.started).",
      x: ChartAxis(title: "run", unit: .number), y: ChartAxis(title: "hit ratio", unit: .percent),
      series: series)
    let table = Table(
      history.suffix(cellsMax).reversed(),
      [
        .init("run") { .text($0.started) }, .init("larder") { .text($0.larder) },
        .init("cells") { .text("\($0.cells.count)") },
        .init("requirements missed") { .text("\($0.missed)") },
      ])
    return [.chart(ChartFigure(["history"], chart)), .table(table)]
  }
}
