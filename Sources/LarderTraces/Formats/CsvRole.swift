import LarderEngine

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
      [
        "size", "bytes", "obj_size", "object_size", "objsize", "objectsize", "size_bytes", "length",
        "request_size", "io_size",
      ]
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

  /// The operations that words stand for, lower case.
  private static let operations: [String: Operation] = {
    let words: [(Operation, String)] = [
      (.get, "get gets mget gat gats get_lease read head fetch lookup"),
      (.set, "set add put cas replace append prepend incr decr write store insert set_lease"),
      (.delete, "delete del remove unlink invalidate purge"), (.modify, "modify"),
      (.bypass, "bypass"),
    ]
    var operations: [String: Operation] = [:]
    for (operation, names) in words {
      for name in names.split(separator: " ") { operations[String(name)] = operation }
    }
    return operations
  }()

  /// The operation that a field names, in any case; nil for a word that is not known.
  static func operation(_ field: TextField) -> Operation? {
    // The usual one without a table.
    if field.equals([0x67, 0x65, 0x74]) || field.equals([0x47, 0x45, 0x54]) { return .get }
    return operations[field.text.lowercased()]
  }
}
