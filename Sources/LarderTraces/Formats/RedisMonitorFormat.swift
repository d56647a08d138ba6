import LarderEngine

/// What Redis and Valkey print for MONITOR.
struct RedisMonitorFormat: TraceFormat {
  let description = FormatDescription(
    name: "redis-monitor",
    summary: "the output of MONITOR of Redis and Valkey",
    layout: """
      Text, one command per line: `1700000000.123456 [0 127.0.0.1:6379] "SET" "key" "value" "EX"
      "60"`. Reads (GET, MGET, HGET, SMEMBERS ...) are gets, one for each key; SET, SETEX, MSET,
      INCR, HSET, LPUSH ... are sets, DEL and UNLINK deletes; GETSET and SET with GET are a get and
      a set, GETDEL a get and a delete. EXPIRE, PEXPIRE, EXPIREAT, PEXPIREAT, PERSIST and GETEX
      change a TTL (operation expire); RENAME, RENAMENX, COPY and MOVE are sets of the new key with
      the value's size and TTL, and deletes of the old one; FLUSHDB and FLUSHALL are deletes of all
      keys there; SWAPDB is followed. Their conditions (NX, XX, GT, LT, REPLACE) and KEEPTTL go by
      what the log has done to the key before, beginning with an empty server; a command without
      effect is left out. So are commands that do nothing to keys or of which that is not known,
      counted by name. Keys of database 0 are their own, those of others have its number and a
      quote before them. A size is that of key and value; reads and commands that change a part say
      none, so an object has the size of its last SET. Times to live are whole seconds, rounded up;
      a key that has expired within the second is deleted before it is used.
      """,
    suffixes: [".redis", ".redis-monitor", ".redis-monitor.log"],
    parameters: [.size(.lastFull), .maxBad])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines().filter { $0.count > 3 }
    let fitting = lines.count { line in
      line.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return false }
        return RedisCommand(TextField(start, start + bytes.count)) != nil
      }
    }
    return !lines.isEmpty && fitting * 10 >= lines.count * 9 ? .certain : .none
  }

  /// The answer to MONITOR itself.
  private static func isGreeting(_ line: TextField) -> Bool {
    line.equals(Array("OK".utf8)) || line.equals(Array("+OK".utf8))
  }

  func decoder(options: FormatOptions, sample: FormatSample) -> any TraceDecoder { Decoder() }

  private struct Decoder: TraceDecoder {
    var columns: TraceColumns { [.size, .time, .operation, .ttl] }
    var sizeRule: SizeRule { .lastFull }
    var sortsTimes: Bool { true }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      var last = 0
      var keyspace = RedisKeyspace()
      try reader.forEachLine(telling: batch) { line, number in
        last = number
        if line.trimmed.isEmpty || RedisMonitorFormat.isGreeting(line.trimmed) { return true }
        guard let command = RedisCommand(line) else {
          try batch.bad(
            TraceError(
              "expected '1700000000.123456 [0 address] \"GET\" \"key\"', found \(line.quoted)",
              in: reader.path, at: .line(number)))
          return true
        }
        if let reason = try keyspace.apply(command, in: reader.path) {
          batch.skip(reason)
          return true
        }
        for record in keyspace.records {
          guard try batch.append(record) else { return false }
        }
        return true
      }
      batch.noteLines(last)
      _ = try batch.flush()
    }
  }
}
