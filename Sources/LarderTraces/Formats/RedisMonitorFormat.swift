import LarderEngine

/// Output of MONITOR of Redis and Valkey.
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
      keys there; SWAPDB is applied. Conditions (NX, XX, GT, LT, REPLACE) and KEEPTTL are evaluated
      against the keys of the log so far, starting with an empty server; a command without effect
      is skipped. So are commands without an effect on keys, and commands with an unknown effect,
      counted by name. Keys of database 0 are unchanged, those of others are prefixed with its
      number and a quote. A size is that of key and value; reads and partial changes have none, so
      an object has the size of its last SET. TTLs are whole seconds, rounded up; a key that has
      expired within the second is deleted before it is used.
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

  /// True for the reply to MONITOR itself.
  private static func isGreeting(_ line: TextField) -> Bool {
    line.equals(Array("OK".utf8)) || line.equals(Array("+OK".utf8))
  }

  func decoder(options: ParameterReader, sample: FormatSample) -> any TraceDecoder { Decoder() }

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

/// A line of MONITOR: time, database, and the words of the command.
struct RedisCommand {
  /// Command in upper case.
  let name: String
  /// Time in microseconds.
  let time: UInt64
  /// Number of the client's selected database.
  let database: UInt64
  /// Words after the command, without quotes.
  let words: [TextField]

  /// Parses the command of a line; nil for other lines.
  init?(_ line: TextField) {
    var rest = line
    // On the wire, a line begins with a plus sign.
    if !rest.isEmpty, rest.next.pointee == 0x2B { rest.skip() }
    guard let time = TimeUnit.seconds.microseconds(rest.takeField()) else { return nil }
    rest.skipBlanks()
    // IPv6 addresses have brackets too: `[0 [::1]:6379]`.
    guard rest.takeByte() == 0x5B, let close = rest.find([0x5D, 0x20]) else { return nil }
    var origin = TextField(rest.next, close)
    guard let database = origin.takeWord() else { return nil }
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
    self.database = database
    self.words = Array(words.dropFirst())
  }

  /// Content of a quoted word.
  private static func word(_ rest: inout TextField) -> TextField? {
    guard rest.takeByte() == 0x22 else { return nil }
    let start = rest.next
    while let byte = rest.takeByte() {
      if byte == 0x22 { return TextField(start, rest.next - 1) }
      if byte == 0x5C, rest.takeByte() == nil { return nil }
    }
    return nil
  }

  /// Word at an index, in upper case; empty if missing.
  func option(_ place: Int) -> String {
    place < words.count ? words[place].text.uppercased() : ""
  }

  /// Word at an index as a number, parsed as the server does: 64 bits with a sign, no leading
  /// zeros; nil if invalid.
  func integer(_ place: Int) -> Int64? {
    guard place < words.count else { return nil }
    var rest = words[place]
    let isNegative = !rest.isEmpty && rest.next.pointee == 0x2D
    if isNegative { rest.skip() }
    let isZero = rest.equals([0x30])
    guard isZero || !rest.isEmpty && rest.next.pointee != 0x30,
      let value = rest.takeInteger(), rest.isEmpty, !(isZero && isNegative)
    else { return nil }
    if !isNegative { return Int64(exactly: value) }
    return value == 1 << 63 ? .min : Int64(exactly: value).map { -$0 }
  }

  /// The unit of an option that sets an expiry.
  enum Expiry: String {
    case seconds = "EX"
    case milliseconds = "PX"
    case secondsSince1970 = "EXAT"
    case millisecondsSince1970 = "PXAT"
  }

  /// Expiry time from the number at an index, in milliseconds since 1970; nil if the server rejects
  /// it.
  func deadline(_ place: Int, _ unit: Expiry) -> Int64? {
    guard let value = integer(place) else { return nil }
    let isSeconds = unit == .seconds || unit == .secondsSince1970
    let (milliseconds, isTooLarge) = value.multipliedReportingOverflow(by: isSeconds ? 1000 : 1)
    if isTooLarge { return nil }
    if unit == .secondsSince1970 || unit == .millisecondsSince1970 { return milliseconds }
    let (sum, overflows) = milliseconds.addingReportingOverflow(Int64(time / 1000))
    return overflows ? nil : sum
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

/// The keys of a server as far as its log shows, starting from an empty server, and the conversion
/// of its commands to requests.
///
/// Commands that depend on existing keys (SET NX, EXPIRE GT, RENAME, FLUSHALL ...) become the
/// requests that change a cache as they changed the server. O(1) per command, except for FLUSHDB
/// and FLUSHALL, which delete each existing key, and 32 bytes per key.
struct RedisKeyspace {
  /// Known state of a key.
  private struct Entry {
    /// Microseconds since 1970; 0 for never.
    var expires: UInt64 = 0
    /// Bytes of the value; nil if unknown.
    var length: UInt32?
    /// True once it was stored. A key that was only read may or may not exist.
    var isStored = false
  }

  /// Reason why a command is not a request.
  enum Refusal: String {
    case missingKey = "the key does not exist"
    case unmetCondition = "its condition is not met"
    case badArguments = "the server rejects its arguments"
    case unknownOption = "it has an unknown option"
    case nothingToDo = "it changes nothing"
  }

  /// Databases by their number before any SWAPDB.
  private var databases: [UInt64: [UInt64: Entry]] = [:]
  /// Swapped databases: the number that a client uses, and that of the keys it sees.
  private var swapped: [UInt64: UInt64] = [:]
  private var keys = 0
  private var growth = GrowthLimit("the keys of a server", bytesEach: 32)
  private let text = KeyText()
  /// Requests of the last command.
  private(set) var records: [TraceRecord] = []
  private var now: UInt64 = 0

  /// Converts a command to requests, in `records`.
  ///
  /// - Returns: the reason for a note if it is skipped; nil otherwise.
  /// - Throws: when the keys do not fit into memory.
  mutating func apply(_ command: RedisCommand, in path: String) throws(TraceError) -> String? {
    records.removeAll(keepingCapacity: true)
    now = command.time
    guard let kind = RedisKind.kinds[command.name] else {
      return RedisKind.harmless.contains(command.name)
        ? "the command \(command.name) does not read, write or delete keys"
        : "the command \(command.name), whose effect on keys is unknown"
    }
    let refusal = apply(command, kind)
    try growth.check(keys, in: path)
    if records.isEmpty, let refusal {
      return "\(command.name) without effect: \(refusal.rawValue)"
    }
    return nil
  }

  private mutating func apply(_ command: RedisCommand, _ kind: RedisKind) -> Refusal? {
    let database = place(command.database)
    if kind == .flushAll { return flush(Array(databases.keys)) }
    if kind == .flush { return flush([database]) }
    if kind == .swap { return swap(command) }
    guard let first = command.words.first else { return .badArguments }
    switch kind {
    case .read: read(first, database)
    case .readAll: for word in command.words { read(word, database) }
    case .change: change(first, database)
    case .delete: for word in command.words { delete(word, database) }
    case .readAndDelete:
      read(first, database)
      delete(first, database)
    case .set: return set(command, database)
    case .setExpiring(let unit):
      guard command.words.count == 3, let end = command.deadline(1, unit),
        command.integer(1) ?? 0 > 0
      else { return .badArguments }
      store(first, database, value: command.words[2], expires: microseconds(end))
    case .setIfMissing:
      guard command.words.count == 2 else { return .badArguments }
      if isStored(first, database) { return .unmetCondition }
      store(first, database, value: command.words[1], expires: 0)
    case .readAndSet:
      guard command.words.count == 2 else { return .badArguments }
      read(first, database)
      store(first, database, value: command.words[1], expires: 0)
    case .setMany(let ifMissing): return setMany(command.words, database, ifMissing: ifMissing)
    case .readAndExpire: return readAndExpire(command, database)
    case .expire(let unit): return expire(command, database, unit)
    case .persist:
      guard let entry = entry(first, database) else { return .missingKey }
      if entry.expires == 0 { return .nothingToDo }
      setExpiry(first, database, 0)
    case .rename(let ifMissing): return rename(command, database, ifMissing: ifMissing)
    case .copy: return copy(command, database)
    case .move: return move(command, database)
    case .flush, .flushAll, .swap: break
    }
    return nil
  }

  // MARK: Commands

  /// Applies SET with its options.
  private mutating func set(_ command: RedisCommand, _ database: UInt64) -> Refusal? {
    guard command.words.count >= 2 else { return .badArguments }
    let (key, value) = (command.words[0], command.words[1])
    var (ifMissing, ifThere, keeps, reads) = (false, false, false, false)
    var end: Int64?
    var place = 2
    while place < command.words.count {
      let option = command.option(place)
      switch option {
      case "NX": ifMissing = true
      case "XX": ifThere = true
      case "KEEPTTL": keeps = true
      case "GET": reads = true
      default:
        guard let unit = RedisCommand.Expiry(rawValue: option) else { return .unknownOption }
        guard end == nil, let number = command.integer(place + 1), number > 0,
          let deadline = command.deadline(place + 1, unit)
        else { return .badArguments }
        end = deadline
        place += 1
      }
      place += 1
    }
    if ifMissing && ifThere || keeps && end != nil { return .badArguments }
    let isMissing = ifThere && entry(key, database) == nil
    let isTaken = ifMissing && isStored(key, database)
    if reads { read(key, database) }
    if isMissing || isTaken { return .unmetCondition }
    let expires = end.map(microseconds) ?? (keeps ? entry(key, database)?.expires ?? 0 : 0)
    if expires != 0, expires <= now {
      delete(key, database)
    } else {
      store(key, database, value: value, expires: expires)
    }
    return nil
  }

  private mutating func setMany(
    _ words: [TextField], _ database: UInt64, ifMissing: Bool
  ) -> Refusal? {
    guard words.count % 2 == 0 else { return .badArguments }
    let places = stride(from: 0, to: words.count, by: 2)
    if ifMissing {
      for place in places where isStored(words[place], database) { return .unmetCondition }
    }
    for place in places {
      store(words[place], database, value: words[place + 1], expires: 0)
    }
    return nil
  }

  /// Applies GETEX.
  private mutating func readAndExpire(_ command: RedisCommand, _ database: UInt64) -> Refusal? {
    let key = command.words[0]
    switch command.words.count {
    case 1: read(key, database)
    case 2:
      guard command.option(1) == "PERSIST" else { return .badArguments }
      read(key, database)
      if entry(key, database)?.expires ?? 0 != 0 { setExpiry(key, database, 0) }
    case 3:
      guard let unit = RedisCommand.Expiry(rawValue: command.option(1)),
        let end = command.deadline(2, unit), command.integer(2) ?? 0 > 0
      else { return .badArguments }
      read(key, database)
      setExpiry(key, database, microseconds(end))
    default: return .badArguments
    }
    return nil
  }

  /// Applies EXPIRE and its variants.
  private mutating func expire(
    _ command: RedisCommand, _ database: UInt64, _ unit: RedisCommand.Expiry
  ) -> Refusal? {
    guard let end = command.deadline(1, unit) else { return .badArguments }
    let options = (2..<max(2, command.words.count)).map(command.option)
    guard Set(options).isSubset(of: ["NX", "XX", "GT", "LT"]) else { return .unknownOption }
    if options.contains("NX") && Set(options).count > 1 { return .badArguments }
    if options.contains("GT") && options.contains("LT") { return .badArguments }
    let key = command.words[0]
    guard let entry = entry(key, database) else { return .missingKey }
    let expires = microseconds(end)
    // No expiry is later than any other.
    let old = entry.expires == 0 ? UInt64.max : entry.expires
    let isMet = options.allSatisfy { option in
      switch option {
      case "NX": entry.expires == 0
      case "XX": entry.expires != 0
      case "GT": expires > old
      default: expires < old
      }
    }
    guard isMet else { return .unmetCondition }
    setExpiry(key, database, expires)
    return nil
  }

  private mutating func rename(
    _ command: RedisCommand, _ database: UInt64, ifMissing: Bool
  ) -> Refusal? {
    guard command.words.count == 2 else { return .badArguments }
    let (from, to) = (command.words[0], command.words[1])
    guard let entry = entry(from, database) else { return .missingKey }
    if number(from, database) == number(to, database) { return .nothingToDo }
    if ifMissing, isStored(to, database) { return .unmetCondition }
    delete(from, database)
    store(to, database, length: entry.length, expires: entry.expires)
    return nil
  }

  private mutating func copy(_ command: RedisCommand, _ database: UInt64) -> Refusal? {
    guard command.words.count >= 2 else { return .badArguments }
    var (target, replaces, place) = (database, false, 2)
    while place < command.words.count {
      switch command.option(place) {
      case "REPLACE": replaces = true
      case "DB":
        guard let number = command.integer(place + 1), number >= 0 else { return .badArguments }
        target = self.place(UInt64(number))
        place += 1
      default: return .unknownOption
      }
      place += 1
    }
    let (from, to) = (command.words[0], command.words[1])
    guard let entry = entry(from, database) else { return .missingKey }
    if number(from, database) == number(to, target) { return .badArguments }
    if !replaces, isStored(to, target) { return .unmetCondition }
    store(to, target, length: entry.length, expires: entry.expires)
    return nil
  }

  private mutating func move(_ command: RedisCommand, _ database: UInt64) -> Refusal? {
    guard command.words.count == 2, let target = command.integer(1), target >= 0 else {
      return .badArguments
    }
    let key = command.words[0]
    let other = place(UInt64(target))
    if other == database { return .badArguments }
    guard let entry = entry(key, database) else { return .missingKey }
    if isStored(key, other) { return .unmetCondition }
    delete(key, database)
    store(key, other, length: entry.length, expires: entry.expires)
    return nil
  }

  /// Deletes all keys of the databases, in the order of their numbers.
  private mutating func flush(_ flushed: [UInt64]) -> Refusal? {
    for database in flushed {
      let removed = databases.removeValue(forKey: database) ?? [:]
      keys -= removed.count
      for key in removed.keys.sorted() { records.append(record(key, .delete)) }
    }
    if flushed.count > 1 { records.sort { $0.key < $1.key } }
    return records.isEmpty ? .nothingToDo : nil
  }

  /// Applies SWAPDB: the keys stay, and the numbers of their databases change.
  private mutating func swap(_ command: RedisCommand) -> Refusal? {
    guard command.words.count == 2, let first = command.integer(0),
      let second = command.integer(1), first >= 0, second >= 0
    else { return .badArguments }
    let (left, right) = (UInt64(first), UInt64(second))
    (swapped[left], swapped[right]) = (place(right), place(left))
    for number in [left, right] where swapped[number] == number { swapped[number] = nil }
    return nil
  }

  // MARK: Keys

  /// Database of the keys that a client sees under a number.
  private func place(_ database: UInt64) -> UInt64 { swapped[database] ?? database }

  /// Key of an object: in database 0, that of the word itself. In other databases a quote, which no
  /// word contains, separates the database number from the word.
  private func number(_ key: TextField, _ database: UInt64) -> UInt64 {
    if database == 0 { return KeyHash.key(key) }
    text.clear()
    text.append("\(database)\"")
    text.append(key, lowercased: false)
    return text.key
  }

  /// Known state of an unexpired key. An expired key is removed and gets a delete request, because
  /// a cache that counts in seconds may still have it.
  private mutating func entry(_ key: TextField, _ database: UInt64) -> Entry? {
    let number = number(key, database)
    guard let entry = databases[database]?[number] else { return nil }
    guard entry.expires != 0, entry.expires <= now else { return entry }
    databases[database]?[number] = nil
    keys -= 1
    if now - entry.expires < 1_001_000 { records.append(record(number, .delete)) }
    return nil
  }

  private mutating func isStored(_ key: TextField, _ database: UInt64) -> Bool {
    entry(key, database)?.isStored ?? false
  }

  private mutating func keep(_ entry: Entry, _ key: UInt64, _ database: UInt64) {
    if databases[database, default: [:]].updateValue(entry, forKey: key) == nil { keys += 1 }
  }

  // MARK: Requests

  private mutating func read(_ key: TextField, _ database: UInt64) {
    let entry = entry(key, database)
    let number = number(key, database)
    // A cache that no longer has it stores it until the server's expiry.
    records.append(record(number, .get, expires: entry?.expires ?? 0))
    if entry == nil { keep(Entry(), number, database) }
  }

  /// Applies a command that changes a part of the value and keeps its expiry.
  private mutating func change(_ key: TextField, _ database: UInt64) {
    var entry = entry(key, database) ?? Entry()
    let number = number(key, database)
    records.append(record(number, .set, expires: entry.expires))
    (entry.length, entry.isStored) = (nil, true)
    keep(entry, number, database)
  }

  private mutating func delete(_ key: TextField, _ database: UInt64) {
    let number = number(key, database)
    records.append(record(number, .delete))
    if databases[database]?.removeValue(forKey: number) != nil { keys -= 1 }
  }

  private mutating func store(
    _ key: TextField, _ database: UInt64, value: TextField, expires: UInt64
  ) {
    let length = UInt32(clamping: RedisCommand.length(value))
    store(key, database, length: length, expires: expires)
  }

  private mutating func store(
    _ key: TextField, _ database: UInt64, length: UInt32?, expires: UInt64
  ) {
    let number = number(key, database)
    var record = record(number, .set, expires: expires)
    if let length {
      record.size = UInt32(clamping: RedisCommand.length(key) + Int(length))
      record.isSizeKnown = true
    }
    records.append(record)
    keep(Entry(expires: expires, length: length, isStored: true), number, database)
  }

  /// Changes the expiry of an existing key, 0 for none; a past expiry deletes it.
  private mutating func setExpiry(_ key: TextField, _ database: UInt64, _ expires: UInt64) {
    if expires != 0, expires <= now { return delete(key, database) }
    let number = number(key, database)
    records.append(record(number, .expire, expires: expires))
    databases[database]?[number]?.expires = expires
  }

  /// Returns a request of unknown size.
  private func record(
    _ key: UInt64, _ operation: Operation, expires: UInt64 = 0
  ) -> TraceRecord {
    var ttl: UInt64 = 0
    if expires > now {
      let left = expires - now
      ttl = left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1)
    }
    return TraceRecord(
      key: key, time: now, size: 0, ttl: UInt32(clamping: ttl), operation: operation,
      isSizeKnown: false)
  }

  /// Converts milliseconds since 1970 to microseconds, at least 1.
  private func microseconds(_ milliseconds: Int64) -> UInt64 {
    guard milliseconds > 0 else { return 1 }
    let (product, overflows) = UInt64(milliseconds).multipliedReportingOverflow(by: 1000)
    return overflows ? .max : product
  }
}

/// Effect of a command on keys.
enum RedisKind: Equatable {
  case read
  case readAll
  case change
  case delete
  case readAndDelete
  case set
  case setExpiring(RedisCommand.Expiry)
  case setIfMissing
  case readAndSet
  case setMany(ifMissing: Bool)
  case readAndExpire
  case expire(RedisCommand.Expiry)
  case persist
  case rename(ifMissing: Bool)
  case copy
  case move
  case flush
  case flushAll
  case swap

  /// Supported commands.
  static let kinds: [String: RedisKind] = {
    var kinds: [String: RedisKind] = [
      "MGET": .readAll, "SET": .set, "SETEX": .setExpiring(.seconds),
      "PSETEX": .setExpiring(.milliseconds), "SETNX": .setIfMissing, "GETSET": .readAndSet,
      "MSET": .setMany(ifMissing: false), "MSETNX": .setMany(ifMissing: true),
      "DEL": .delete, "UNLINK": .delete, "GETDEL": .readAndDelete, "GETEX": .readAndExpire,
      "EXPIRE": .expire(.seconds), "PEXPIRE": .expire(.milliseconds),
      "EXPIREAT": .expire(.secondsSince1970), "PEXPIREAT": .expire(.millisecondsSince1970),
      "PERSIST": .persist, "RENAME": .rename(ifMissing: false),
      "RENAMENX": .rename(ifMissing: true), "COPY": .copy, "MOVE": .move, "FLUSHDB": .flush,
      "FLUSHALL": .flushAll, "SWAPDB": .swap,
    ]
    let reads = """
      GET GETRANGE SUBSTR STRLEN GETBIT BITCOUNT HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS
      HSCAN LRANGE LINDEX LLEN SMEMBERS SISMEMBER SMISMEMBER SCARD SRANDMEMBER SSCAN ZRANGE
      ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZRANGEBYLEX ZSCORE ZMSCORE ZRANK ZREVRANK ZCARD
      ZCOUNT ZSCAN XRANGE XREVRANGE XLEN PFCOUNT GEOPOS GEODIST JSON.GET
      """
    let changes = """
      APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY SETRANGE SETBIT HSET HMSET HSETNX HINCRBY
      HINCRBYFLOAT HDEL LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LSET LREM LTRIM LINSERT SADD SREM SPOP
      ZADD ZINCRBY ZREM ZPOPMIN ZPOPMAX XADD XTRIM PFADD GEOADD JSON.SET
      """
    for name in reads.split(whereSeparator: \.isWhitespace) { kinds[String(name)] = .read }
    for name in changes.split(whereSeparator: \.isWhitespace) { kinds[String(name)] = .change }
    return kinds
  }()

  /// Commands that change no key. Commands inside scripts have lines of their own.
  static let harmless: Set<String> = {
    let names = """
      PING ECHO AUTH HELLO SELECT QUIT RESET INFO CONFIG CLIENT COMMAND ACL MODULE LATENCY SLOWLOG
      TIME ROLE MONITOR MEMORY OBJECT DBSIZE SCAN KEYS TYPE TTL PTTL EXPIRETIME PEXPIRETIME EXISTS
      TOUCH DUMP RANDOMKEY LCS SUBSCRIBE PSUBSCRIBE SSUBSCRIBE UNSUBSCRIBE PUNSUBSCRIBE
      SUNSUBSCRIBE PUBLISH SPUBLISH PUBSUB MULTI EXEC DISCARD WATCH UNWATCH EVAL EVALSHA EVAL_RO
      EVALSHA_RO FCALL FCALL_RO SCRIPT FUNCTION CLUSTER ASKING READONLY READWRITE REPLCONF SYNC
      PSYNC WAIT WAITAOF SAVE BGSAVE BGREWRITEAOF LASTSAVE SHUTDOWN SINTER SUNION SDIFF ZINTER
      ZUNION ZDIFF SINTERCARD ZINTERCARD BITPOS ZLEXCOUNT ZRANDMEMBER HRANDMEMBER HSTRLEN GEOHASH
      GEOSEARCH LPOS SORT_RO XINFO XPENDING XREAD XACK
      """
    return Set(names.split(whereSeparator: \.isWhitespace).map(String.init))
  }()
}
