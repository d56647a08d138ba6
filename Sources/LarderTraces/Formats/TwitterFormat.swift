import LarderEngine

/// Twitter's cache traces.
///
/// Yang, Yue and Rashmi, "A Large Scale Analysis of Hundreds of In-memory Cache Clusters at
/// Twitter", OSDI 2020.
struct TwitterFormat: TraceFormat {
  let description = FormatDescription(
    name: "twitter",
    summary: "Twitter's cache traces: text with operations and TTLs",
    layout: """
      Text without a header, seven fields separated by commas: time in seconds, key, bytes of the
      key, bytes of the value, client, operation, TTL in seconds (0 for operations that do not
      write). The size is that of key and value. A get that missed in production has a value of 0
      bytes in the file and gets the last known size of the object. Operations: get and gets are
      gets; set, add, cas, replace, append, prepend, incr and decr are sets; delete is a delete.
      """,
    suffixes: [".twitter", ".twr.csv"],
    parameters: [.timeUnit, .skipZeroSize, .size(.logged), .maxBad])

  private static let fieldCount = 7

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    guard sample.isText else { return .none }
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines()
    let fits = lines.allSatisfy { line in
      let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      return fields.count == TwitterFormat.fieldCount
        && TwitterFormat.operation(String(decoding: fields[5], as: UTF8.self)) != nil
    }
    return !lines.isEmpty && fits ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    let (unit, note) = try options.timeUnit(of: sample.column(0))
    return Decoder(unit: unit, remarks: [note].compactMap { $0 })
  }

  private static func operation(_ name: String) -> Operation? {
    switch name {
    case "get", "gets": .get
    case "set", "add", "cas", "replace", "append", "prepend", "incr", "decr": .set
    case "delete": .delete
    default: nil
    }
  }

  private struct Decoder: TraceDecoder {
    let unit: TimeUnit
    let remarks: [String]
    var columns: TraceColumns { [.size, .time, .operation, .ttl] }
    var remembersSizes: Bool { true }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      try reader.forEachLine(telling: batch) { line, number in
        if line.trimmed.isEmpty { return true }
        let table = TableLine(line, delimiter: UInt8(ascii: ","), path: reader.path, number)
        let record = try batch.read { () throws(TraceError) in try self.row(table) }
        guard let record else { return true }
        return try batch.append(record)
      }
      _ = try batch.flush()
    }

    private func row(_ table: TableLine) throws(TraceError) -> TraceRecord {
      let fields = try table.fields(count: TwitterFormat.fieldCount)
      let key = KeyHash.key(try table.filled(fields[1], "key"))
      let time = try table.time(fields[0], unit)
      let keyBytes = try table.size(fields[2])
      let valueBytes = try table.size(fields[3])
      guard let operation = TwitterFormat.operation(fields[5].text) else {
        throw table.error(
          "expected a memcached operation (get, set, delete ...), found \(fields[5].quoted)")
      }
      return TraceRecord(
        key: key, time: time, size: try table.sum(keyBytes, valueBytes),
        ttl: try table.size(fields[6]), operation: operation, isSizeKnown: valueBytes != 0)
    }
  }
}
