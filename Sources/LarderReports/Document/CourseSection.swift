import LarderExperiments
import LarderSupport

/// The course of policies that choose among others: a strip and a table for each cell.
struct CourseSection {
  private let records: [Record]
  private let styles: PolicyStyles

  /// The most cells that are shown, each with a chart.
  private static let cellsMax = 12
  /// The most rows of a table.
  private static let rowsMax = 20

  /// The section of a run; nil if no policy chose among others.
  init?(_ results: RunResults) {
    // Of several seeds, the first stands for all.
    let seed = results.records.first { $0.course != nil }?.cell.seed
    records = results.records.filter { $0.course?.parts.isEmpty == false && $0.cell.seed == seed }
    styles = PolicyStyles(records.flatMap { $0.course?.policies ?? [] })
    if records.isEmpty { return nil }
  }

  /// The charts and tables.
  var blocks: [Block] {
    var blocks: [Block] = [
      .paragraph([
        .code("auto"),
        .text(
          " simulates several policies in miniature beside the cache, and runs the one that had "
            + "the most hits of late. The strip shows the policy in charge, and the line above it "
            + "the hit ratio of the cache in each hundredth of the requests."),
      ])
    ]
    for record in records.prefix(Self.cellsMax) {
      guard let course = record.course else { continue }
      blocks.append(.chart(chart(record, course)))
      blocks.append(.table(table(course)))
      if course.runs.count > Self.rowsMax {
        blocks.append(
          .paragraph([
            .text("\(course.runs.count - Self.rowsMax) more changes are in results.json.")
          ]))
      }
    }
    if records.count > Self.cellsMax {
      blocks.append(
        .paragraph([.text("\(records.count - Self.cellsMax) more cells are in results.json.")]))
    }
    return blocks
  }

  private func chart(_ record: Record, _ course: ChoiceCourse) -> ChartFigure {
    let cell = record.cell
    let capacity =
      cell.unit == .bytes
      ? NumberText.bytes(cell.capacity) : "\(NumberText.grouped(cell.capacity)) objects"
    let changes = course.switches == 1 ? "1 change" : "\(course.switches) changes"
    return ChartFigure(
      ["course", cell.configuration, cell.policy, capacity],
      StripChart(
        title: "\(cell.policy) in \(cell.configuration), \(capacity), over time",
        caption: "\(changes) of the policy in charge, including the warm-up.", course: course,
        styles: styles))
  }

  private func table(_ course: ChoiceCourse) -> Table {
    var table = Table(titles: ["in charge", "from, % of requests", "to", "hit ratio, %"])
    for run in course.runs.prefix(Self.rowsMax) {
      table.rows.append([
        .code(course.policies[run.leading]),
        .text(run.percent(run.parts.lowerBound, course)),
        .text(run.percent(run.parts.upperBound, course)),
        .text(NumberText.fixed(run.hitRatio(of: course) * 100, decimals: 2) ?? "–"),
      ])
    }
    return table
  }
}
