import LarderExperiments
import LarderSupport

/// A plan as a table for a person.
///
///     part     cells  missing  seconds    memory
///     prepare                      1.2   200 MiB
///     1/3          8        8      3.0   150 MiB
///     ...
struct TablePlan: PlanFormat {
  let name = "table"
  let summary = "for reading"

  func text(of job: PlannedJob) throws(PlanFormatError) -> String {
    let plan = job.plan
    var rows = [["part", "cells", "missing", "seconds", "memory"]]
    rows.append([
      "prepare", "", "", Self.seconds(plan.preparation.seconds),
      NumberText.bytes(plan.preparation.memoryBytes),
    ])
    rows += plan.parts.map { part in
      [
        "\(part.number)", "\(part.cells)", "\(part.missing)", Self.seconds(part.seconds),
        NumberText.bytes(part.memoryBytes),
      ]
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + padding : padding + cell.0
      }.joined(separator: "  ")
    }
    let hours = NumberText.fixed(plan.coreHours, decimals: plan.coreHours < 10 ? 3 : 1) ?? ""
    return lines.joined(separator: "\n") + """


      \(plan.workload): \(plan.cells) cells, \(plan.missing) missing in \(job.store)
      to simulate: \(Self.requests(plan.requests)) requests, about \(hours) core-hours at measured \
      speeds

      """
  }

  private static func seconds(_ seconds: Double) -> String {
    NumberText.fixed(seconds, decimals: 1) ?? "-"
  }

  private static func requests(_ requests: Double) -> String {
    NumberText.grouped(UInt64(min(1e18, requests)))
  }
}
