import LarderEngine

/// Meta's key-value cache traces, as CacheLib's CacheBench publishes them.
///
/// Berg et al., "The CacheLib Caching Engine: Design and Experiences at Scale", OSDI 2020; the
/// traces of 2022 and 2024 are described in CacheLib's documentation.
struct MetaKVFormat: TraceFormat {
  let description = FormatDescription(
    name: "meta-kv",
    summary: "Meta's key-value cache traces: text with a header, several requests per row",
    layout: """
      Text with a header, fields separated by commas, found by name: key, op, size (bytes of the
      value) are required; op_time in seconds, key_size in bytes, op_count and ttl in seconds are
      optional. A row is op_count requests. The size is that of key and value. A get that missed in
      production has size 0 in the file and gets the last known size of the object. Operations:
      GET and GET_LEASE are gets, SET and SET_LEASE are sets, DELETE is a delete.
      """,
    suffixes: [".meta-kv", ".kvcache.csv"],
    parameters: [.timeUnit, .skipZeroSize, .size(.logged), .maxBad])

  /// Maximum requests that a row represents; more is damage.
  private static let repeatsMaximum: UInt64 = 1 << 24

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    guard sample.isText else { return .none }
    if sample.isNamed(description.suffixes) { return .certain }
    let names = Set(MetaKVColumns.names(sample))
    return names.isSuperset(of: ["key", "op", "size"]) && names.contains("op_count")
      ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    let places = try MetaKVColumns(sample)
    let times = places.time.map { Array(sample.column($0).dropFirst()) }
    let (unit, note) = try options.timeUnit(of: times ?? [])
    return Decoder(unit: unit, places: places, remarks: [note].compactMap { $0 })
  }

  private static func operation(_ field: TextField) -> Operation? {
    switch field.text {
    case "GET", "GET_LEASE": .get
    case "SET", "SET_LEASE": .set
    case "DELETE": .delete
    default: nil
    }
  }

  private struct Decoder: TraceDecoder {
    let unit: TimeUnit
    let places: MetaKVColumns
    let remarks: [String]

    var remembersSizes: Bool { true }
    var columns: TraceColumns {
      var columns: TraceColumns = [.size, .operation]
      if places.time != nil { columns.insert(.time) }
      if places.ttl != nil { columns.insert(.ttl) }
      return columns
    }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      var isHeader = true
      try reader.forEachLine(telling: batch) { line, number in
        if line.trimmed.isEmpty { return true }
        if isHeader {
          isHeader = false
          return true
        }
        let table = TableLine(line, delimiter: UInt8(ascii: ","), path: reader.path, number)
        let row = try batch.read { () throws(TraceError) in try self.row(table) }
        guard let (record, repeats) = row else { return true }
        for _ in 0..<repeats {
          guard try batch.append(record) else { return false }
        }
        return true
      }
      _ = try batch.flush()
    }

    private func row(_ table: TableLine) throws(TraceError) -> (TraceRecord, repeats: UInt64) {
      let fields = try table.fields(count: places.count)
      let key = KeyHash.key(try table.filled(fields[places.key], "key"))
      guard let operation = MetaKVFormat.operation(fields[places.operation]) else {
        throw table.error(
          "expected GET, GET_LEASE, SET, SET_LEASE or DELETE, found "
            + fields[places.operation].quoted)
      }
      let repeats = try places.repeats.map { place throws(TraceError) in
        try table.number(fields[place], "number of operations")
      }
      guard repeats ?? 1 <= MetaKVFormat.repeatsMaximum else {
        throw table.error("invalid number of requests \(repeats ?? 1)")
      }
      let keyBytes = try places.keySize.map { place throws(TraceError) in
        try table.size(fields[place])
      }
      let valueBytes = try table.size(fields[places.size])
      var record = TraceRecord(
        key: key, size: try table.sum(keyBytes ?? 0, valueBytes), operation: operation,
        isSizeKnown: valueBytes != 0)
      if let time = places.time { record.time = try table.time(fields[time], unit) }
      if let ttl = places.ttl, !fields[ttl].isEmpty { record.ttl = try table.size(fields[ttl]) }
      return (record, repeats ?? 1)
    }
  }
}

/// Positions of the columns of a Meta key-value trace.
struct MetaKVColumns: Sendable {
  let key: Int
  let operation: Int
  let size: Int
  let time: Int?
  let keySize: Int?
  let repeats: Int?
  let ttl: Int?
  /// Number of columns.
  let count: Int

  /// Reads the columns from the names in a file's first line.
  init(_ sample: FormatSample) throws(TraceError) {
    let names = Self.names(sample)
    func place(_ name: String) throws(TraceError) -> Int {
      guard let place = names.firstIndex(of: name) else {
        throw TraceError(
          "the header has no column '\(name)'", in: sample.path, at: .line(1),
          advice: "expected at least key, op and size")
      }
      return place
    }
    key = try place("key")
    operation = try place("op")
    size = try place("size")
    time = names.firstIndex(of: "op_time")
    keySize = names.firstIndex(of: "key_size")
    repeats = names.firstIndex(of: "op_count")
    ttl = names.firstIndex(of: "ttl")
    count = names.count
  }

  /// Names in the first line.
  static func names(_ sample: FormatSample) -> [String] {
    guard let line = sample.lines(1).first else { return [] }
    return line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { name in
      String(decoding: name.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
    }
  }
}
