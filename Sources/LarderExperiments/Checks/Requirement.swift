import LarderEngine
import LarderSupport

/// A limit that a workload sets for its cells, such as `hit_ratio: ">= 60 %"`.
package struct Requirement: Sendable, Hashable {
  package let figure: RequiredFigure
  package let isLowerLimit: Bool
  package let limit: Double
  /// As written: `>= 60 %`.
  package let text: String

  init?(_ figure: RequiredFigure, parsing text: String) {
    let isLowerLimit = text.hasPrefix(">=")
    guard isLowerLimit || text.hasPrefix("<="), let limit = figure.amount(text.dropFirst(2).trimmed)
    else { return nil }
    (self.figure, self.isLowerLimit, self.limit, self.text) = (figure, isLowerLimit, limit, text)
  }
}

/// A figure of a cell that may be required, with its unit.
package enum RequiredFigure: String, Sendable, Hashable, CaseIterable {
  case hitRatio = "hit_ratio"
  case byteHitRatio = "byte_hit_ratio"
  case getP99 = "get_p99"
  case getP999 = "get_p999"
  case requestsPerSecond = "requests_per_second"
  case memoryBytesPerObject = "memory_bytes_per_object"
  case bytesWrittenPerDay = "bytes_written_per_day"

  package var isExecuted: Bool { ![.hitRatio, .byteHitRatio, .bytesWrittenPerDay].contains(self) }

  var isRatio: Bool { self == .hitRatio || self == .byteHitRatio }

  var isTime: Bool { self == .getP99 || self == .getP999 }

  var isBytes: Bool { self == .memoryBytesPerObject || self == .bytesWrittenPerDay }

  var example: String {
    isRatio
      ? ">= 60 %"
      : isTime
        ? "<= 2ms"
        : self == .requestsPerSecond
          ? ">= 100000"
          : self == .bytesWrittenPerDay ? "<= 2 TB" : "<= 400 B"
  }

  func amount(_ text: some StringProtocol) -> Double? {
    let text = String(text.filter { $0 != " " })
    if isRatio { return Share(parsing: text)?.ratio }
    if isTime { return Quantity.duration.amount(text).map { Double($0) } }
    if isBytes { return Quantity.bytes.amount(text).map { Double($0) } }
    return Quantity.count.amount(text).map { Double($0) }
  }

  package func words(_ value: Double) -> String {
    if isRatio { return NumberText.percent(value, decimals: 2) }
    if isTime { return NumberText.time(value / 1e9) }
    let whole = UInt64(max(0, min(value, 1e18)).rounded())
    return isBytes ? NumberText.bytes(whole) : NumberText.grouped(whole)
  }

  /// The values of a record, one for each run; empty if it was not measured. Bytes are those of all
  /// the traffic, of which a share is `sampled`.
  func values(of record: Record, sampled: Double) -> [Double] {
    let runs = record.executions ?? []
    switch self {
    case .hitRatio: return [record.counts.freshHitRatio].compactMap { $0 }
    case .byteHitRatio: return [record.counts.byteHitRatio].compactMap { $0 }
    case .getP99: return runs.compactMap { $0.getLatency.map { Double($0.p99) } }
    case .getP999: return runs.compactMap { $0.getLatency.map { Double($0.p999) } }
    case .requestsPerSecond:
      return runs.compactMap { $0.seconds > 0 ? Double($0.requests) / $0.seconds : nil }
    case .memoryBytesPerObject: return runs.compactMap(\.memoryBytesPerObject)
    case .bytesWrittenPerDay:
      guard let flash = record.flash, let time = flash.microseconds, time > 0 else { return [] }
      return [Double(flash.writtenBytes) / sampled / (Double(time) / 86_400e6)]
    }
  }
}

/// A requirement held against one cell.
package struct RequirementResult: Sendable, Hashable, Codable {
  package var cell: String
  package var figure: String
  package var required: String
  /// Value of the worst run, in words; nil if it was not measured.
  package var value: String?
  /// Distance to the limit, in words; nil if the requirement is met.
  package var missedBy: String?

  package var isMet: Bool { value != nil && missedBy == nil }

  package var text: String {
    guard let value else { return "\(cell): \(figure) was not measured, required \(required)" }
    return "\(cell): \(figure) \(value), required \(required)"
      + (missedBy.map { ", missed by \($0)" } ?? "")
  }

  package init(cell: String, figure: String, required: String) {
    (self.cell, self.figure, self.required) = (cell, figure, required)
  }

  private init(
    _ requirement: Requirement, _ record: Record, sampled: Double, amongTraces: Bool
  ) {
    let figure = requirement.figure
    self.init(
      cell: "\(CellName(record.cell, amongTraces: amongTraces))", figure: figure.rawValue,
      required: requirement.text)
    let values = figure.values(of: record, sampled: sampled)
    guard let worst = requirement.isLowerLimit ? values.min() : values.max() else { return }
    value = figure.words(worst)
    let short = requirement.isLowerLimit ? requirement.limit - worst : worst - requirement.limit
    guard short > 0 else { return }
    missedBy =
      figure.isRatio
      ? (NumberText.fixed(short * 100, decimals: 2) ?? "–") + " points" : figure.words(short)
  }

  /// Results for all cells, in their order.
  package static func all(
    _ workload: Workload, _ records: [Record], of traces: [TraceFacts]
  ) -> [RequirementResult] {
    let amongTraces = !workload.moreSources.isEmpty
    return records.flatMap { record in
      let sampled = traces.first { $0.name == record.cell.trace }?.samplingRate ?? 1
      return workload.requirements.flatMap {
        $0.limits(of: record.cell, isExecuted: record.executions != nil)
      }.map { RequirementResult($0, record, sampled: sampled, amongTraces: amongTraces) }
    }
  }

  /// The sentence for requirements that are missed; nil if all are met.
  package static func failure(_ results: [RequirementResult]) -> String? {
    let missed = results.filter { !$0.isMet }
    guard let first = missed.first else { return nil }
    let rest = missed.count > 1 ? " (and \(missed.count - 1) more)" : ""
    return "\(missed.count) of \(NumberText.counted(results.count, "requirement")) missed: "
      + first.text + rest
  }
}

/// Limits for some of a workload's cells: an entry of the key `require`.
package struct Requirements: Sendable, Hashable {
  package var filter = ExecutionFilter()
  package var limits: [Requirement] = []

  /// Limits that hold for a cell. What a kind of cache does not have is not required of it: bytes
  /// written of memory, measured figures of cells that are only simulated.
  func limits(of cell: Cell, isExecuted: Bool) -> [Requirement] {
    guard filter.passes(cell) else { return [] }
    return limits.filter {
      $0.figure == .bytesWrittenPerDay ? cell.kind != .memory : isExecuted || !$0.figure.isExecuted
    }
  }

  /// - Throws: `PlanError` if a limit holds for no cell, so that nothing could miss it.
  func check(_ cells: [PlannedCell]) throws(PlanError) {
    let held = Set(cells.flatMap { limits(of: $0.cell, isExecuted: $0.isExecuted) })
    guard let limit = limits.first(where: { !held.contains($0) }) else { return }
    let figure = limit.figure
    throw PlanError(
      "'require' limits '\(figure.rawValue)' of no cell: "
        + (figure == .bytesWrittenPerDay
          ? "it needs a configuration with a disk"
          : figure.isExecuted
            ? "it is measured where 'execute' runs a cell"
            : "no cell has these configurations, policies and capacities"))
  }
}
