import Foundation
import LarderEngine
import LarderSupport

/// Counts of every cell, and memory and disk of executed ones, that a check compares with.
package struct Baseline: Sendable, Hashable {
  package var workload: String
  package var traces: [TraceFacts]
  package var cells: [CheckedCell]
  package var resources: MeasuredResources?

  static var currentVersion: Int { 1 }

  static var formatName: String { "larder-baseline" }

  package init(
    workload: String, traces: [TraceFacts], cells: [CheckedCell],
    resources: MeasuredResources? = nil
  ) {
    self.workload = workload
    self.traces = traces
    self.cells = cells.sorted()
    self.resources = resources
  }
}

/// An error in a baseline, as one line with the file and the remedy.
package enum BaselineError: Error, Hashable, Sendable, CustomStringConvertible {
  case absent(file: String, command: String)
  case unreadable(file: String, reason: String)
  case damaged(file: String, reason: String)
  case foreign(file: String)
  case otherWorkload(file: String, found: String, expected: String)

  package var description: String {
    switch self {
    case .absent(let file, let command):
      "\(file): no such baseline; create it with: \(command)"
    case .unreadable(let file, let reason): "\(file): cannot be read: \(reason)"
    case .damaged(let file, let reason):
      "\(file): damaged baseline: \(reason); restore it from version control, or create it "
        + "again with --update"
    case .foreign(let file):
      "\(file): not a baseline of larder: expected JSON with \"format\": "
        + "\"\(Baseline.formatName)\""
    case .otherWorkload(let file, let found, let expected):
      "\(file): belongs to the workload '\(found)', not to '\(expected)'; name another baseline"
    }
  }
}

extension Baseline {
  package static func decode(
    _ bytes: Data, file: String, workload: String
  ) throws(BaselineError) -> Baseline {
    guard !bytes.isEmpty else { throw .damaged(file: file, reason: "it is empty") }
    let head: Head = try decode(bytes, file: file)
    guard head.format == formatName else { throw .foreign(file: file) }
    guard head.version == currentVersion else {
      let found = head.version.map { "has version \($0) instead of \(currentVersion)" }
      throw .damaged(file: file, reason: found ?? "version is missing")
    }
    let body: Body = try decode(bytes, file: file)
    guard body.workload == workload else {
      throw .otherWorkload(file: file, found: body.workload, expected: workload)
    }
    if let fault = fault(in: body.cells) { throw .damaged(file: file, reason: fault) }
    return Baseline(
      workload: body.workload, traces: body.traces, cells: body.cells,
      resources: body.resources.map { MeasuredResources(system: body.system ?? "", cells: $0) })
  }

  private static func decode<Value: Decodable>(
    _ bytes: Data, file: String
  ) throws(BaselineError) -> Value {
    do throws(JSONFault) {
      return try JSONFile.decode(Value.self, from: bytes)
    } catch {
      throw .damaged(file: file, reason: error.reason)
    }
  }

  private static func fault(in cells: [CheckedCell]) -> String? {
    var seen: Set<CellName> = []
    for cell in cells {
      if !seen.insert(cell.name).inserted { return "the cell \(cell.name) occurs twice" }
      for metric in [CheckMetric.hits, .memoryHits, .diskHits, .bytesHit] {
        guard let part = cell.counts[metric], let whole = metric.whole.flatMap({ cell.counts[$0] })
        else { continue }
        if part > whole { return "the cell \(cell.name) has more \(metric.rawValue) than requests" }
      }
    }
    return nil
  }

  private struct Head: Decodable {
    let format: String?
    let version: Int?
  }

  private struct Body: Decodable {
    let workload: String
    let traces: [TraceFacts]
    let cells: [CheckedCell]
    let system: String?
    let resources: [MeasuredResources.Entry]?
  }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }

  static let others: Set<String> = [
    "trace", "configuration", "policy", "capacity", "seed", "size", "unit",
  ]

  static func numbers<Key: RawRepresentable<String>, Number: Decodable & Comparable & Numeric>(
    _ decoder: any Decoder, _ expected: String
  ) throws -> [Key: Number] {
    let fields = try decoder.container(keyedBy: AnyKey.self)
    var numbers: [Key: Number] = [:]
    for key in fields.allKeys where !others.contains(key.stringValue) {
      guard let name = Key(rawValue: key.stringValue) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: fields, debugDescription: "no count has this name")
      }
      // The decoder does not name the position of a number that does not fit.
      guard let number = try? fields.decode(Number.self, forKey: key), number >= 0 else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: fields, debugDescription: "expected \(expected), at least 0")
      }
      numbers[name] = number
    }
    return numbers
  }
}

extension CheckedCell: Decodable {
  private enum CodingKeys: String, CodingKey {
    case size, unit
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try CellName(from: decoder), size: try fields.decode(UInt64.self, forKey: .size),
      unit: try fields.decode(CapacityUnit.self, forKey: .unit),
      counts: try AnyKey.numbers(decoder, "a whole number"))
  }
}

extension MeasuredResources.Entry: Decodable {
  package init(from decoder: any Decoder) throws {
    self.init(name: try CellName(from: decoder), values: try AnyKey.numbers(decoder, "a number"))
  }
}

extension Baseline {
  /// The file: JSON with one line for each cell, sorted, so that a diff is readable.
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
    if let rate = trace.samplingRate { line.add("samplingRate", json: "\(rate)") }
    return line.text
  }

  private static func line(_ cell: CheckedCell) -> String {
    var line = Self.line(cell.name)
    line.add("size", cell.size)
    line.add("unit", cell.unit.rawValue)
    for metric in CheckMetric.allCases {
      if let count = cell.counts[metric] { line.add(metric.rawValue, count) }
    }
    return line.text
  }

  private static func line(_ entry: MeasuredResources.Entry) -> String {
    var line = Self.line(entry.name)
    for resource in CheckResource.allCases {
      guard let value = entry.values[resource] else { continue }
      // Files and bytes are whole numbers.
      let whole = value.rounded() == value ? NumberText.fixed(value, decimals: 0) : nil
      line.add(resource.rawValue, json: whole ?? NumberText.significant(value))
    }
    return line.text
  }

  private static func line(_ name: CellName) -> JSONLine {
    var line = JSONLine()
    if let trace = name.trace { line.add("trace", trace) }
    line.add("configuration", name.configuration)
    line.add("policy", name.policy)
    line.add("capacity", name.capacity)
    line.add("seed", name.seed)
    return line
  }
}

extension NumberText {
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
