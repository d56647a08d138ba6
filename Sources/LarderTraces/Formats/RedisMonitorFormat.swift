import LarderEngine

struct RedisMonitorFormat: TraceFormat {
  let description = FormatDescription(
    name: "redis-monitor",
    summary: "the output of MONITOR of Redis and Valkey",
    layout: """
      Text, one command per line: `1700000000.123456 [0 127.0.0.1:6379] "SET" "key" "value" "EX"
      "60"`. Reads are gets, one for each key; SET, MSET, INCR, HSET, LPUSH ... are sets, DEL and
      UNLINK deletes; EXPIRE, PERSIST and GETEX change a TTL (operation expire); RENAME is a delete
      and a set, FLUSHDB and FLUSHALL are deletes of all keys there. Conditions (NX, XX, GT, LT) and
      KEEPTTL are evaluated against the keys of the log so far, starting with an empty server. Other
      commands and those without effect are skipped and counted by name. Keys of databases other
      than 0 are prefixed with its number and a quote. A size is that of the value; reads and
      partial changes have none, so an object has the size of its last SET. A set after a get of its
      key, with no other write of the key between, is the end of that get if the key was not known
      to be stored, or if the client of the get stores a value of the same length; fills=false
      makes every set a request. TTLs are whole seconds, rounded up.
      """,
    suffixes: [".redis", ".redis-monitor", ".redis-monitor.log"],
    parameters: [
      .size(.lastFull),
      Parameter(
        "fills", .flag, default: "true",
        "false makes a request of a set that follows a miss of its key, instead of a part of it"),
      .maxBad,
    ])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines().filter { $0.count > 3 }
    let fitting = lines.count { $0.withTextField { RedisCommand($0) != nil } }
    return !lines.isEmpty && fitting * 10 >= lines.count * 9 ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    Decoder(foldsFills: try options.flag("fills") ?? true)
  }

  private struct Decoder: TraceDecoder {
    let foldsFills: Bool
    var columns: TraceColumns { [.size, .time, .operation, .ttl] }
    var sizeRule: SizeRule { .lastFull }
    var sortsTimes: Bool { true }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      var keyspace = RedisKeyspace(marksFills: foldsFills)
      try reader.forEachEvent(of: batch, #"'1700000000.123456 [0 address] "GET" "key"'"#) { line in
        guard let command = RedisCommand(line) else { return nil }
        if let reason = try keyspace.apply(command, in: reader.path) {
          batch.skip(reason)
          return true
        }
        for record in keyspace.records {
          guard try batch.append(record) else { return false }
        }
        return true
      }
      for note in keyspace.notes { batch.note(note) }
      _ = try batch.flush()
    }
  }
}

extension ByteReader {
  /// Calls `body` with each event of a server's log; nil from it marks a line as bad. Blank lines
  /// and the server's reply to the command that started the log are skipped.
  func forEachEvent(
    of batch: RecordBatch, _ expected: String, _ body: (TextField) throws -> Bool?
  ) throws {
    let replies = ["", "OK", "+OK"].map { Array($0.utf8) }
    try forEachLine(telling: batch) { line, number in
      let text = line.trimmed
      if text.count <= 3, replies.contains(where: { text.equals($0) }) { return true }
      if let goesOn = try body(line) { return goesOn }
      try batch.bad(
        TraceError("expected \(expected), found \(line.quoted)", in: path, at: .line(number)))
      return true
    }
  }
}

struct RedisCommand {
  let name: String
  let time: UInt64
  /// Number of the client's database; a hash of a namespace of Kvrocks other than the default.
  let database: UInt64
  let client: UInt32
  let words: [TextField]

  init?(_ line: TextField) {
    var rest = line
    // On the wire, a line begins with a plus sign.
    if !rest.isEmpty, rest.next.pointee == 0x2B { rest.skip() }
    guard let time = TimeUnit.seconds.microseconds(rest.takeField()) else { return nil }
    rest.skipBlanks()
    // IPv6 addresses have brackets too: `[0 [::1]:6379]`.
    guard rest.takeByte() == 0x5B, let close = rest.find([0x5D, 0x20]) else { return nil }
    var origin = TextField(rest.next, close)
    let space = origin.takeField()
    if space.isEmpty { return nil }
    database = space.equals(Array("__namespace".utf8)) ? 0 : KeyHash.key(space)
    client = UInt32(truncatingIfNeeded: KeyHash.key(origin))
    rest = TextField(close + 1, line.end)
    var words: [TextField] = []
    while true {
      rest.skipBlanks()
      if rest.isEmpty { break }
      guard let word = RedisCommand.word(&rest) else { return nil }
      words.append(word)
    }
    guard let first = words.first, first.count <= 40 else { return nil }
    name = first.text.uppercased()
    self.time = time
    self.words = Array(words.dropFirst())
  }

  private static func word(_ rest: inout TextField) -> TextField? {
    guard rest.takeByte() == 0x22 else { return nil }
    let start = rest.next
    while let byte = rest.takeByte() {
      if byte == 0x22 { return TextField(start, rest.next - 1) }
      if byte == 0x5C, rest.takeByte() == nil { return nil }
    }
    return nil
  }

  func option(_ place: Int) -> String { place < words.count ? words[place].text.uppercased() : "" }

  func integer(_ place: Int) -> Int64? { place < words.count ? Int64(words[place].text) : nil }

  enum Expiry: String {
    case seconds = "EX"
    case milliseconds = "PX"
    case secondsSince1970 = "EXAT"
    case millisecondsSince1970 = "PXAT"
  }

  /// Expiry from the number at an index, in milliseconds since 1970; nil if the server rejects it.
  func deadline(_ place: Int, _ unit: Expiry) -> Int64? {
    guard let value = integer(place) else { return nil }
    let isSeconds = unit == .seconds || unit == .secondsSince1970
    let (milliseconds, isTooLarge) = value.multipliedReportingOverflow(by: isSeconds ? 1000 : 1)
    if isTooLarge { return nil }
    if unit == .secondsSince1970 || unit == .millisecondsSince1970 { return milliseconds }
    let (sum, overflows) = milliseconds.addingReportingOverflow(Int64(time / 1000))
    return overflows ? nil : sum
  }

  /// Expiry time of a duration or time that must be positive.
  func expiry(_ place: Int, _ unit: Expiry) -> Int64? {
    integer(place) ?? 0 > 0 ? deadline(place, unit) : nil
  }

  /// Length of a word in bytes; `\x00` and `\n` are one byte each.
  static func length(_ word: TextField) -> Int {
    guard word.find(0x5C) != nil else { return word.count }
    var rest = word
    var count = 0
    while let byte = rest.takeByte() {
      count += 1
      guard byte == 0x5C, let letter = rest.takeByte(), letter == 0x78 else { continue }
      _ = rest.takeByte()
      _ = rest.takeByte()
    }
    return count
  }
}
