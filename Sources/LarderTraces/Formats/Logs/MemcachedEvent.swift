import LarderEngine

/// A line of memcached's `watch`.
struct MemcachedEvent {
  /// What happened.
  enum Kind {
    case get, store, failedStore, delete, eviction, other
  }

  /// What happened.
  private(set) var kind = Kind.other
  /// The request that it is.
  private(set) var record = TraceRecord(key: 0, size: 0, isSizeKnown: false)
  /// The client's connection.
  private(set) var client: UInt64 = 0

  /// Whether a client did it.
  var isOfClient: Bool { kind != .eviction }

  /// The event in a line; nil when it has no time, type or key.
  init?(_ line: TextField) {
    var (type, status, size) = (line, line, line)
    var (key, seen) = (line, 0)
    var rest = line
    while true {
      let field = rest.takeField()
      if field.isEmpty { break }
      guard let equals = field.find(0x3D) else { return nil }
      let name = TextField(field.next, equals)
      var value = TextField(equals + 1, field.end)
      if name.equals(Array("ts".utf8)) {
        guard let time = MemcachedEvent.time(value) else { return nil }
        record.time = time
        seen |= 1
      } else if name.equals(Array("type".utf8)) {
        type = value
        seen |= 2
      } else if name.equals(Array("key".utf8)) {
        key = value
        seen |= 4
      } else if name.equals(Array("status".utf8)) {
        status = value
        seen |= 8
      } else if name.equals(Array("size".utf8)) {
        size = value
        seen |= 16
      } else if name.equals(Array("ttl".utf8)) {
        record.ttl = UInt32(clamping: value.takeInteger() ?? 0)
      } else if name.equals(Array("cfd".utf8)) {
        client = value.takeInteger() ?? 0
      }
    }
    guard seen & 3 == 3 else { return nil }
    if seen & 4 == 0 { return }
    record.key = KeyHash.key(key)
    let hasStatus = { (text: String) in seen & 8 != 0 && status.equals(Array(text.utf8)) }
    if type.equals(Array("item_get".utf8)) {
      kind = .get
      record.ttl = 0
    } else if type.equals(Array("item_store".utf8)) {
      kind = hasStatus("stored") ? .store : .failedStore
      record.operation = Operation.set.rawValue
    } else if type.equals(Array("deleted".utf8)) {
      kind = .delete
      record.operation = Operation.delete.rawValue
      return
    } else if type.equals(Array("eviction".utf8)) {
      kind = .eviction
    }
    if seen & 16 != 0, kind == .store || hasStatus("found") {
      guard let bytes = SizeField.size(size) else { return nil }
      record.size = UInt32(clamping: UInt64(bytes) + UInt64(key.count))
      record.isSizeKnown = true
    }
  }

  /// Seconds, a point, and microseconds without leading zeros.
  private static func time(_ field: TextField) -> UInt64? {
    var rest = field
    guard let seconds = rest.takeInteger(), seconds < 1 << 40, rest.takeByte() == 0x2E,
      let micros = rest.takeInteger(), micros < 1_000_000, rest.isEmpty
    else { return nil }
    return seconds * 1_000_000 + micros
  }
}
