import LarderExperiments
import LarderSupport

/// A plan for programs: one object on one line.
///
///     {"version": 1, "workload": "zipf", "count": 3, "parts": [{"part": "1/3", "cells": 8, ...}]}
struct JSONPlan: PlanFormat {
  let name = "json"
  let summary = "for programs"

  func text(of job: PlannedJob) throws(PlanFormatError) -> String {
    try job.check(for: name)
    let plan = job.plan
    var object = JSONLine()
    object.add("version", 1)
    object.add("workload", plan.workload)
    object.add("store", job.store)
    object.add("count", UInt64(plan.count))
    object.add("cells", UInt64(plan.cells))
    object.add("missing", UInt64(plan.missing))
    object.add("requests", json: Self.number(plan.requests, decimals: 0))
    object.add("coreHours", json: Self.number(plan.coreHours, decimals: 6))
    var prepare = JSONLine()
    prepare.add("traces", UInt64(plan.preparation.traces))
    prepare.add("seconds", json: Self.number(plan.preparation.seconds, decimals: 3))
    prepare.add("memoryBytes", plan.preparation.memoryBytes)
    prepare.add("command", job.prepare)
    object.add("prepare", json: prepare.text)
    let parts = plan.parts.map { part in
      var line = JSONLine()
      line.add("part", "\(part.number)")
      line.add("cells", UInt64(part.cells))
      line.add("missing", UInt64(part.missing))
      line.add("seconds", json: Self.number(part.seconds, decimals: 3))
      line.add("memoryBytes", part.memoryBytes)
      line.add("command", job.run(part: "\(part.number)"))
      return line.text
    }
    object.add("parts", json: "[\(parts.joined(separator: ", "))]")
    object.add("merge", job.merge)
    return object.text + "\n"
  }

  private static func number(_ value: Double, decimals: Int) -> String {
    NumberText.fixed(value, decimals: decimals) ?? "null"
  }
}
