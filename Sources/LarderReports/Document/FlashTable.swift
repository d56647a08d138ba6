import LarderEngine
import LarderExperiments
import LarderSupport

/// Flash writes of disk caches by four measures, and the lifetime of a drive: a row for each cell.
struct FlashTable {
  /// The cells that wrote to flash.
  let records: [Record]
  private let results: RunResults

  /// The table of a run; nil if no cell wrote to flash.
  init?(_ results: RunResults) {
    self.results = results
    records = results.records.filter { $0.flash != nil }
    if records.isEmpty { return nil }
  }

  /// The table and its explanation.
  var blocks: [Block] {
    [
      .table(table),
      .paragraph([
        .text(
          "Bytes written to flash by the cache after the warm-up. Application write "
            + "amplification divides them by the bytes of objects inserted; the next two columns "
            + "by the bytes of all distinct objects of the trace (as the S3-FIFO paper does), and "
            + "by the bytes requested (as Google does). Device writes are an estimate: the "
            + "fuller the drive (\(utilisations) in use), the larger its own write "
            + "amplification; docs/flash.md has the table.")
      ]),
    ] + life
  }

  private var life: [Block] {
    guard records.contains(where: { years($0) != nil }) else { return [] }
    return [
      .paragraph([
        .text(
          "Drive lifetime: the endurance set in the workload, divided by the device writes at "
            + "the rate of the counted requests. An estimate, not a measurement.")
      ])
    ]
  }

  private var utilisations: String {
    var seen: [String] = []
    for record in records {
      let text = "\(Self.percent(drive(of: record).utilisation)) %"
      if !seen.contains(text) { seen.append(text) }
    }
    return seen.joined(separator: ", ")
  }

  private static func percent(_ share: Double) -> String {
    NumberText.fixed(share * 100, decimals: 0) ?? "\(share * 100)"
  }

  private func drive(of record: Record) -> DriveModel {
    results.assumptions?.first { $0.configuration == record.cell.configuration }?.drive
      ?? DriveModel()
  }

  private func years(_ record: Record) -> Double? {
    record.flash.flatMap { drive(of: record).years(of: $0) }
  }

  private func unique(_ record: Record) -> UInt64? {
    let facts = results.traces.filter { $0.name == record.cell.trace }
    let own = facts.first { $0.seed == record.cell.seed } ?? facts.first { $0.seed == nil }
    return own?.samplingRate == nil ? own?.footprintBytes : nil
  }

  /// Bytes, the four measures and years.
  var table: Table {
    let hasSeeds = Set(records.map(\.cell.seed)).count > 1
    let hasTraces = Set(records.map(\.cell.trace)).count > 1
    let hasYears = records.contains { years($0) != nil }
    var table = Table(
      titles: (hasTraces ? ["trace"] : []) + ["cache", "capacity"] + (hasSeeds ? ["seed"] : []) + [
        "hits, %", "inserted", "reinserted", "written", "application write amplification",
        "written / unique bytes", "written / requested", "device writes",
      ] + (hasYears ? ["drive lifetime, years"] : []))
    for record in records {
      guard let flash = record.flash else { continue }
      let cell = record.cell
      let written = Double(flash.writtenBytes)
      func ratio(_ whole: UInt64?) -> Inline {
        ExecutedTables.number(whole.flatMap { $0 > 0 ? written / Double($0) : nil }, 3)
      }
      var row: [Inline] = hasTraces ? [.text(cell.trace)] : []
      row += [.text(cell.cacheName), .text(cell.capacityLabel)]
      if hasSeeds { row.append(.text("\(cell.seed)")) }
      row.append(ExecutedTables.number(record.counts.hitRatio.map { $0 * 100 }, 2))
      row.append(.text(NumberText.bytes(flash.insertedBytes)))
      row.append(.text(NumberText.bytes(flash.reinsertedBytes)))
      row.append(.text(NumberText.bytes(flash.writtenBytes)))
      row.append(ratio(flash.insertedBytes))
      row.append(ratio(unique(record)))
      row.append(ratio(record.counts.bytesRequested))
      let device = UInt64(exactly: drive(of: record).deviceBytes(of: flash).rounded())
      row.append(device.map { .text(NumberText.bytes($0)) } ?? Table.none)
      if hasYears { row.append(ExecutedTables.number(years(record), 1)) }
      table.rows.append(row)
    }
    return table
  }
}
