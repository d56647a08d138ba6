import LarderSystem
import LarderWorkloads

extension Baseline {
  /// By which a baseline is known.
  static var formatName: String { "larder-baseline" }

  /// The file: JSON with one line a cell, sorted, so that a difference is readable. Linear in the
  /// cells.
  ///
  ///     {
  ///     "format": "larder-baseline",
  ///     "version": 1,
  ///     "workload": "ci",
  ///     "traces": [
  ///     {"name": "zipf", "seed": 1, "requests": 500000, "objects": 98211}
  ///     ],
  ///     "cells": [
  ///     {"configuration": "memory", "policy": "lru", "capacity": "1%", ..., "hits": 211200, ...}
  ///     ]
  ///     }
  package var text: String {
    var parts = [
      "\"format\": \(JSONLine.quoted(Self.formatName))",
      "\"version\": \(Self.currentVersion)",
      "\"workload\": \(JSONLine.quoted(workload))",
      "\"traces\": " + Self.list(traces.map(Self.line)),
      "\"cells\": " + Self.list(cells.map(Self.line)),
    ]
    if let resources {
      parts.append("\"system\": \(JSONLine.quoted(resources.system))")
      parts.append("\"resources\": " + Self.list(resources.cells.map(Self.line)))
    }
    if let timings {
      parts.append("\"machine\": \(JSONLine.quoted(timings.machine))")
      parts.append("\"timings\": " + Self.list(timings.cells.map(Self.line)))
    }
    return "{\n" + parts.joined(separator: ",\n") + "\n}\n"
  }

  private static func list(_ lines: [String]) -> String {
    lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n]"
  }

  private static func line(_ trace: TraceFacts) -> String {
    var line = JSONLine()
    line.add("name", trace.name)
    if let seed = trace.seed { line.add("seed", seed) }
    line.add("requests", trace.requests)
    line.add("objects", trace.objects)
    if let bytes = trace.footprintBytes { line.add("footprintBytes", bytes) }
    if let storable = trace.storableObjects { line.add("storableObjects", storable) }
    return line.text
  }

  private static func line(_ cell: CheckedCell) -> String {
    var line = JSONLine()
    add(cell.name, to: &line)
    line.add("size", cell.size)
    line.add("unit", cell.unit.rawValue)
    for metric in CheckMetric.allCases {
      if let count = cell.counts[metric] { line.add(metric.rawValue, count) }
    }
    return line.text
  }

  private static func line(_ entry: MeasuredResources.Entry) -> String {
    var line = JSONLine()
    add(entry.name, to: &line)
    for resource in CheckResource.allCases {
      guard let value = entry.values[resource] else { continue }
      // Files and bytes are whole numbers.
      let whole = value.rounded() == value ? NumberText.fixed(value, decimals: 0) : nil
      line.add(resource.rawValue, json: whole ?? NumberText.significant(value))
    }
    return line.text
  }

  private static func line(_ entry: CalibratedTimings.Entry) -> String {
    var line = JSONLine()
    add(entry.name.cell, to: &line)
    line.add("mode", entry.name.mode.rawValue)
    for kernel in CalibrationKernel.allCases {
      guard let ratio = entry.ratios[kernel] else { continue }
      let ends = [ratio.centre, ratio.lower, ratio.upper].map { NumberText.significant($0) }
      line.add(kernel.rawValue, json: "[\(ends.joined(separator: ", "))]")
    }
    return line.text
  }

  private static func add(_ name: CellName, to line: inout JSONLine) {
    if let trace = name.trace { line.add("trace", trace) }
    line.add("configuration", name.configuration)
    line.add("policy", name.policy)
    line.add("capacity", name.capacity)
    line.add("seed", name.seed)
  }
}

extension NumberText {
  /// A positive number with four digits that count: enough for a ratio of two times.
  static func significant(_ value: Double) -> String {
    guard value.isFinite, value > 0 else { return "0" }
    var decimals = 3
    var rest = value
    while rest >= 10, decimals > 0 {
      rest /= 10
      decimals -= 1
    }
    while rest < 1, decimals < 12 {
      rest *= 10
      decimals += 1
    }
    return fixed(value, decimals: decimals) ?? "0"
  }
}
