import LarderEngine

struct MemcachedWatchFormat: TraceFormat {
  let description = FormatDescription(
    name: "memcached-watch",
    summary: "the output of memcached's watch fetchers mutations deletions evictions",
    layout: """
      Text, one event per line: `ts=1700000000.12 gid=2 type=item_get key=a status=found clsid=1
      cfd=25 size=5`, where digits behind the point are microseconds. item_get is a get, item_store
      with status stored a set with its TTL (a delete if that is past), deleted a delete; the
      look-up before a store or delete of the same key by the same client is skipped, evictions and
      failed stores are skipped and counted. memcached before 1.6.19 does not report deletes. A line
      `skipped=17` means that memcached dropped 17 events. The size is that of the value; a miss has
      that of the object. A store after a get of its key that missed is the end of that get.
      """,
    suffixes: [".memcached", ".memcached-watch", ".memcached-watch.log"],
    parameters: [.size(.lastFull), .maxBad])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines().filter { !$0.elementsEqual("OK".utf8) }
    let fitting = lines.count { line in
      let hasID = line.withTextField { $0.find(Array(" gid=".utf8)) != nil }
      return line.starts(with: "ts=".utf8) && hasID || line.starts(with: "skipped=".utf8)
    }
    return !lines.isEmpty && fitting * 10 >= lines.count * 9 ? .certain : .none
  }

  private static func skippedEvents(_ line: TextField) -> UInt64? {
    var rest = line.trimmed
    for byte in "skipped=".utf8 where rest.takeByte() != byte { return nil }
    guard let count = rest.takeInteger(), rest.isEmpty else { return nil }
    return count
  }

  func decoder(options: ParameterReader, sample: FormatSample) -> any TraceDecoder { Decoder() }

  private struct Decoder: TraceDecoder {
    var columns: TraceColumns { [.size, .time, .operation, .ttl] }
    var sizeRule: SizeRule { .lastFull }
    var sortsTimes: Bool { true }
    var foldsFills: Bool { true }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      // The last get of each client, held back until the client's next event is known.
      var pending: [UInt64: TraceRecord] = [:]
      var keys = KeyLengths()
      var growth = GrowthLimit("the clients of a server", bytesEach: 64)
      try reader.forEachEvent(of: batch, "'ts=... gid=... type=... key=...'") { line in
        if let skipped = MemcachedWatchFormat.skippedEvents(line) {
          batch.reading.eventsSkipped = batch.reading.eventsSkipped.addingSaturated(skipped)
          return true
        }
        guard let event = MemcachedEvent(line) else { return nil }
        var goesOn = true
        if event.kind != .eviction, let get = pending.removeValue(forKey: event.client),
          event.kind == .get || get.key != event.record.key
        {
          goesOn = try batch.append(get)
        }
        switch event.kind {
        case .get:
          pending[event.client] = event.record
          try growth.check(pending.count, in: reader.path)
        case .store, .delete:
          if event.kind == .store { keys.add(event.keyLength) }
          goesOn = try goesOn && batch.append(event.record)
        case .failedStore: batch.skip("failed stores")
        case .eviction: batch.skip("the server's own evictions")
        case .other: batch.skip("events other than get, store and delete")
        }
        return goesOn
      }
      for get in pending.values.sorted(by: { ($0.time, $0.key) < ($1.time, $1.key) }) {
        guard try batch.append(get) else { return }
      }
      if let note = keys.note { batch.note(note) }
      _ = try batch.flush()
    }
  }
}

struct MemcachedEvent {
  enum Kind {
    case get, store, failedStore, delete, eviction, other
  }

  private(set) var kind = Kind.other
  private(set) var record = TraceRecord(key: 0, size: 0, isSizeKnown: false)
  private(set) var client: UInt64 = 0
  private(set) var keyLength = 0

  private static let names = ["ts", "type", "key", "status", "size", "ttl", "cfd"].map {
    Array($0.utf8)
  }

  init?(_ line: TextField) {
    var values = [TextField?](repeating: nil, count: Self.names.count)
    var rest = line
    while true {
      let field = rest.takeField()
      if field.isEmpty { break }
      guard let equals = field.find(0x3D) else { return nil }
      let name = TextField(field.next, equals)
      guard let index = Self.names.firstIndex(where: { name.equals($0) }) else { continue }
      values[index] = TextField(equals + 1, field.end)
    }
    let number = { (index: Int) -> UInt64 in
      var value = values[index]
      return value?.takeInteger() ?? 0
    }
    guard let time = values[0].flatMap(Self.time), let type = values[1] else { return nil }
    (record.time, client) = (time, number(6))
    guard let key = values[2] else { return }
    (record.key, keyLength) = (KeyHash.key(key), key.count)
    let status = values[3]?.text
    switch type.text {
    case "item_get":
      kind = .get
      if let status { record.outcome = status == "found" ? .hit : .miss }
    case "item_store":
      // An expiry in the past, less the time, wraps around.
      let isGone = number(5) >= 1 << 31
      kind = status != "stored" ? .failedStore : isGone ? .delete : .store
      record.operation = (isGone ? Operation.delete : .set).rawValue
      record.ttl = isGone ? 0 : UInt32(clamping: number(5))
    case "deleted":
      kind = .delete
      record.operation = Operation.delete.rawValue
    case "eviction": kind = .eviction
    default: break
    }
    guard let size = values[4], kind == .store || kind == .get && status == "found" else { return }
    guard let bytes = SizeField.size(size) else { return nil }
    (record.size, record.isSizeKnown) = (bytes, true)
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
