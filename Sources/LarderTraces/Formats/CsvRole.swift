/// What a column of a table is to a trace.
enum CsvRole: String, CaseIterable, Sendable {
  case id
  case time
  case size
  case ttl
  case operation = "op"
  case cost

  /// The names in headers by which the column is found when no column is given, surest first.
  var usualNames: [String] {
    switch self {
    case .id:
      [
        "id", "key", "obj_id", "object_id", "objid", "objectid", "obj-id", "object", "item",
        "cachekey", "cache_key", "block_id", "block", "lbn", "lba", "url", "uri", "path",
      ]
    case .time: ["time", "timestamp", "ts", "time_s", "timestamp_s", "op_time", "t"]
    case .size:
      ["size", "bytes", "obj_size", "object_size", "objsize", "objectsize", "size_bytes", "length"]
    case .ttl: ["ttl", "ttl_s"]
    case .operation: ["op", "operation"]
    case .cost: ["cost"]
    }
  }

  /// The column of the records that it fills; nil for the id, which all records have.
  var column: TraceColumns? {
    switch self {
    case .id: nil
    case .time: .time
    case .size: .size
    case .ttl: .ttl
    case .operation: .operation
    case .cost: .cost
    }
  }

  /// The operation that a field names, in any case.
  static func operation(_ field: TextField) -> UInt8? {
    switch String(
      decoding: UnsafeBufferPointer(start: field.next, count: field.count), as: UTF8.self
    )
    .lowercased()
    {
    case "get": 0
    case "set": 1
    case "delete": 2
    case "modify": 3
    default: nil
    }
  }
}
