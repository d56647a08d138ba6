import LarderEngine

/// A line of MONITOR: when, in which database, and the words of the command.
struct RedisCommand {
  /// The command, upper case.
  let name: String
  private let time: UInt64
  private let database: TextField
  /// The words behind the command, without quotes.
  private let words: [TextField]

  /// What a command does with keys.
  private enum Kind {
    case read(keys: Keys)
    case store
    case change
    case delete
    case readAndDelete
    case storeMany
  }

  /// Which words are keys.
  private enum Keys {
    case first
    case all
  }

  private static let kinds: [String: Kind] = {
    var kinds: [String: Kind] = [
      "MGET": .read(keys: .all), "SET": .store, "SETEX": .store, "PSETEX": .store,
      "SETNX": .store, "GETSET": .store, "MSET": .storeMany, "MSETNX": .storeMany,
      "DEL": .delete, "UNLINK": .delete, "GETDEL": .readAndDelete,
    ]
    let reads = """
      GET GETEX GETRANGE SUBSTR STRLEN GETBIT BITCOUNT HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS
      HSCAN LRANGE LINDEX LLEN SMEMBERS SISMEMBER SMISMEMBER SCARD SRANDMEMBER SSCAN ZRANGE
      ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZRANGEBYLEX ZSCORE ZMSCORE ZRANK ZREVRANK ZCARD
      ZCOUNT ZSCAN XRANGE XREVRANGE XLEN PFCOUNT GEOPOS GEODIST JSON.GET
      """
    let changes = """
      APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY SETRANGE SETBIT HSET HMSET HSETNX HINCRBY
      HINCRBYFLOAT HDEL LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LSET LREM LTRIM LINSERT SADD SREM SPOP
      ZADD ZINCRBY ZREM ZPOPMIN ZPOPMAX XADD XTRIM PFADD GEOADD JSON.SET
      """
    for name in reads.split(whereSeparator: \.isWhitespace) {
      kinds[String(name)] = .read(keys: .first)
    }
    for name in changes.split(whereSeparator: \.isWhitespace) { kinds[String(name)] = .change }
    return kinds
  }()

  /// The command in a line; nil when the line is none.
  init?(_ line: TextField) {
    var rest = line
    // As it comes over the wire, a line begins with a plus sign.
    if !rest.isEmpty, rest.next.pointee == 0x2B { rest.skip() }
    guard let time = TimeUnit.seconds.microseconds(rest.takeField()) else { return nil }
    rest.skipBlanks()
    // An address of IPv6 has brackets of its own: `[0 [::1]:6379]`.
    guard rest.takeByte() == 0x5B, let close = rest.find([0x5D, 0x20]) else { return nil }
    var origin = TextField(rest.next, close)
    database = origin.takeField()
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

  /// The inside of a word in quotes.
  private static func word(_ rest: inout TextField) -> TextField? {
    guard rest.takeByte() == 0x22 else { return nil }
    let start = rest.next
    while let byte = rest.takeByte() {
      if byte == 0x22 { return TextField(start, rest.next - 1) }
      if byte == 0x5C, rest.takeByte() == nil { return nil }
    }
    return nil
  }

  /// Adds the requests that the command stands for; false when it has nothing to do with keys.
  func requests(into records: inout [TraceRecord], _ text: KeyText) -> Bool {
    guard let kind = RedisCommand.kinds[name], let first = words.first else { return false }
    switch kind {
    case .read(.first): records.append(record(first, .get, text))
    case .read(.all): for word in words { records.append(record(word, .get, text)) }
    case .store: records.append(store(first, text))
    case .change: records.append(record(first, .set, text))
    case .delete: for word in words { records.append(record(word, .delete, text)) }
    case .readAndDelete:
      records.append(record(first, .get, text))
      records.append(record(first, .delete, text))
    case .storeMany:
      for index in stride(from: 0, to: words.count - 1, by: 2) {
        var pair = record(words[index], .set, text)
        RedisCommand.setSize(&pair, words[index], words[index + 1])
        records.append(pair)
      }
    }
    return true
  }

  /// A request whose size is not known.
  private func record(_ key: TextField, _ operation: Operation, _ text: KeyText) -> TraceRecord {
    var number = KeyHash.key(key)
    if !database.equals([0x30]) {
      text.clear()
      text.append(database, lowercased: false)
      text.append(TextField(key.next, key.end), lowercased: false)
      number = text.key
    }
    return TraceRecord(
      key: number, time: time, size: 0, operation: operation, isSizeKnown: false)
  }

  /// A command that stores a whole value, with its size and TTL.
  private func store(_ key: TextField, _ text: KeyText) -> TraceRecord {
    var record = record(key, .set, text)
    let isTimed = name == "SETEX" || name == "PSETEX"
    let place = isTimed ? 2 : 1
    guard words.count > place else { return record }
    RedisCommand.setSize(&record, key, words[place])
    if isTimed {
      record.ttl = ttl(words[1], name == "SETEX" ? "EX" : "PX")
    } else if name == "SET" {
      for index in 2..<max(2, words.count - 1) {
        let seconds = ttl(words[index + 1], words[index].text.uppercased())
        if seconds != 0 { record.ttl = seconds }
      }
    }
    return record
  }

  private static func setSize(_ record: inout TraceRecord, _ key: TextField, _ value: TextField) {
    record.size = UInt32(clamping: length(key) + length(value))
    record.isSizeKnown = true
  }

  /// Seconds to live of an option and its number, at least 1; 0 for what is no such option.
  private func ttl(_ number: TextField, _ option: String) -> UInt32 {
    var rest = number
    guard ["EX", "PX", "EXAT", "PXAT"].contains(option), let value = rest.takeInteger() else {
      return 0
    }
    let now = time / 1_000_000
    let seconds =
      switch option {
      case "EX": value
      case "PX": (value + 999) / 1000
      case "EXAT": value > now ? value - now : 1
      default: value / 1000 > now ? value / 1000 - now : 1
      }
    return UInt32(clamping: max(1, seconds))
  }

  /// Bytes of a word, of which `\x00` and `\n` are one.
  private static func length(_ word: TextField) -> Int {
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
