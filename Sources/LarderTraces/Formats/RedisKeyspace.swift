import LarderEngine
internal import LarderSupport

/// The keys of a server as far as its log shows, starting from an empty server, and the conversion
/// of its commands to requests.
///
/// Commands that depend on existing keys (SET NX, EXPIRE GT, RENAME, FLUSHALL) become the requests
/// that change a cache as they changed the server. O(1) per command, except for FLUSHDB and
/// FLUSHALL, and 48 bytes per key.
struct RedisKeyspace {
  /// Known state of a key.
  private struct Entry {
    var database: UInt64
    /// Microseconds since 1970; 0 for never.
    var expires: UInt64 = 0
    /// Bytes of the value; nil if unknown.
    var length: UInt32?
    /// Client of the last get since the last write.
    var reader: UInt32?
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

  private var entries: [UInt64: Entry] = [:]
  private var growth = GrowthLimit("the keys of a server", bytesEach: 48)
  private let text = KeyText()
  /// True to mark the sets that are the end of a get.
  private let marksFills: Bool
  private var fills = 0
  private var storedKeys = KeyLengths()
  private(set) var records: [TraceRecord] = []
  private var now: UInt64 = 0
  private var client: UInt32 = 0

  init(marksFills: Bool = true) { self.marksFills = marksFills }

  var notes: [String] {
    var notes = [storedKeys.note].compactMap { $0 }
    if fills > 0 {
      notes.append(
        "\(NumberText.counted(fills, "set")) that followed a get of the same key "
          + "\(fills == 1 ? "is" : "are") counted as a part of that get; redis-monitor:fills=false "
          + "counts every set as a request.")
    }
    return notes
  }

  /// Converts a command to requests, in `records`.
  ///
  /// - Returns: the reason for a note if it is skipped; nil otherwise.
  /// - Throws: when the keys do not fit into memory.
  mutating func apply(_ command: RedisCommand, in path: String) throws(TraceError) -> String? {
    records.removeAll(keepingCapacity: true)
    (now, client) = (command.time, command.client)
    guard let effect = RedisEffect.all[command.name] else {
      return RedisEffect.harmless.contains(command.name)
        ? "the command \(command.name) does not read, write or delete keys"
        : "the command \(command.name), whose effect on keys is not simulated"
    }
    let refusal = apply(command, effect)
    try growth.check(entries.count, in: path)
    guard records.isEmpty, let refusal else { return nil }
    return "\(command.name) without effect: \(refusal.rawValue)"
  }

  private mutating func apply(_ command: RedisCommand, _ effect: RedisEffect) -> Refusal? {
    if effect == .flushAll { return flush { _ in true } }
    if effect == .flush { return flush { $0.database == command.database } }
    guard let first = command.words.first else { return .badArguments }
    let key = number(first, command.database)
    switch effect {
    case .read: read(key, command.database)
    case .readAll:
      for word in command.words { read(number(word, command.database), command.database) }
    case .change: change(key, command.database)
    case .delete: for word in command.words { delete(number(word, command.database)) }
    case .readAndDelete:
      read(key, command.database)
      delete(key)
    case .set: return set(command, SetOptions(command, from: 2))
    case .setIfMissing: return set(command, SetOptions(ifMissing: true), words: 2)
    case .readAndSet: return set(command, SetOptions(reads: true), words: 2)
    case .setExpiring(let unit):
      return set(command, command.expiry(1, unit).map { SetOptions(end: $0) }, value: 2, words: 3)
    case .setMany(let ifMissing): return setMany(command, ifMissing: ifMissing)
    case .readAndExpire: return readAndExpire(command, key)
    case .expire(let unit): return expire(command, key, unit)
    case .persist:
      guard let entry = entry(key) else { return .missingKey }
      if entry.expires == 0 { return .nothingToDo }
      setExpiry(key, 0)
    case .rename: return rename(command, key)
    case .flush, .flushAll: break
    }
    return nil
  }

  // MARK: Commands

  /// Options of SET.
  fileprivate struct SetOptions {
    var ifMissing = false
    var ifThere = false
    var keeps = false
    var reads = false
    var refusal: Refusal?
    /// Expiry in milliseconds since 1970.
    var end: Int64?
  }

  private mutating func set(
    _ command: RedisCommand, _ options: SetOptions?, value: Int = 1, words: Int? = nil
  ) -> Refusal? {
    guard let options, command.words.count == words ?? max(2, command.words.count) else {
      return .badArguments
    }
    if let refusal = options.refusal { return refusal }
    let key = number(command.words[0], command.database)
    let isMissing = options.ifThere && entry(key) == nil
    let isTaken = options.ifMissing && entry(key)?.isStored == true
    if options.reads { read(key, command.database, isOpen: false) }
    if isMissing || isTaken { return .unmetCondition }
    let kept = options.keeps ? entry(key)?.expires ?? 0 : 0
    let expires = options.end.map(microseconds) ?? kept
    if expires != 0, expires <= now {
      delete(key)
      return nil
    }
    // An update of a value that the server has.
    if options.ifThere || options.keeps { entries[key]?.reader = nil }
    store(command.words[0], command.words[value], command.database, expires)
    return nil
  }

  private mutating func setMany(_ command: RedisCommand, ifMissing: Bool) -> Refusal? {
    guard command.words.count % 2 == 0 else { return .badArguments }
    let pairs = stride(from: 0, to: command.words.count, by: 2)
    for pair in pairs where ifMissing {
      if entry(number(command.words[pair], command.database))?.isStored == true {
        return .unmetCondition
      }
    }
    for pair in pairs { store(command.words[pair], command.words[pair + 1], command.database, 0) }
    return nil
  }

  private mutating func readAndExpire(_ command: RedisCommand, _ key: UInt64) -> Refusal? {
    var end: Int64?
    switch command.words.count {
    case 1: break
    case 2: guard command.option(1) == "PERSIST" else { return .badArguments }
    case 3:
      end = RedisCommand.Expiry(rawValue: command.option(1)).flatMap { command.expiry(2, $0) }
      if end == nil { return .badArguments }
    default: return .badArguments
    }
    read(key, command.database)
    if let end {
      setExpiry(key, microseconds(end))
    } else if command.words.count == 2, entry(key)?.expires ?? 0 != 0 {
      setExpiry(key, 0)
    }
    return nil
  }

  private mutating func expire(
    _ command: RedisCommand, _ key: UInt64, _ unit: RedisCommand.Expiry
  ) -> Refusal? {
    guard let end = command.deadline(1, unit) else { return .badArguments }
    let options = Set(command.words.indices.dropFirst(2).map(command.option))
    guard options.isSubset(of: ["NX", "XX", "GT", "LT"]) else { return .unknownOption }
    if options.contains("NX") && options.count > 1 || options.isSuperset(of: ["GT", "LT"]) {
      return .badArguments
    }
    guard let entry = entry(key) else { return .missingKey }
    let expires = microseconds(end)
    // No expiry is later than any other.
    let old = entry.expires == 0 ? UInt64.max : entry.expires
    let isUnmet =
      options.contains("NX") && entry.expires != 0 || options.contains("XX") && entry.expires == 0
      || options.contains("GT") && expires <= old || options.contains("LT") && expires >= old
    if isUnmet { return .unmetCondition }
    setExpiry(key, expires)
    return nil
  }

  private mutating func rename(_ command: RedisCommand, _ key: UInt64) -> Refusal? {
    guard command.words.count == 2 else { return .badArguments }
    let target = number(command.words[1], command.database)
    guard var entry = entry(key) else { return .missingKey }
    if key == target { return .nothingToDo }
    if command.name == "RENAMENX", self.entry(target)?.isStored == true { return .unmetCondition }
    delete(key)
    (entry.reader, entry.isStored) = (nil, true)
    storedKeys.add(RedisCommand.length(command.words[1]))
    append(target, entry)
    return nil
  }

  private mutating func flush(_ isFlushed: (Entry) -> Bool) -> Refusal? {
    for key in entries.filter({ isFlushed($0.value) }).keys.sorted() { delete(key) }
    return records.isEmpty ? .nothingToDo : nil
  }

  // MARK: Keys and requests

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
  private mutating func entry(_ key: UInt64) -> Entry? {
    guard let entry = entries[key] else { return nil }
    guard entry.expires != 0, entry.expires <= now else { return entry }
    entries[key] = nil
    if now - entry.expires < 1_001_000 { records.append(record(key, .delete)) }
    return nil
  }

  /// Adds a get, which a set may end unless `isOpen` is false.
  private mutating func read(_ key: UInt64, _ database: UInt64, isOpen: Bool = true) {
    var entry = entry(key) ?? Entry(database: database)
    // A cache that no longer has it stores it until the server's expiry.
    records.append(record(key, .get, expires: entry.expires))
    entry.reader = isOpen ? client : nil
    entries[key] = entry
  }

  private mutating func change(_ key: UInt64, _ database: UInt64) {
    var entry = entry(key) ?? Entry(database: database)
    records.append(record(key, .set, expires: entry.expires))
    if entry.reader == client, !entry.isStored { markFill() }
    (entry.length, entry.isStored, entry.reader) = (nil, true, nil)
    entries[key] = entry
  }

  private mutating func delete(_ key: UInt64) {
    records.append(record(key, .delete))
    entries[key] = nil
  }

  private mutating func store(
    _ word: TextField, _ value: TextField, _ database: UInt64, _ expires: UInt64
  ) {
    let key = number(word, database)
    let length = UInt32(clamping: RedisCommand.length(value))
    let old = entries[key]
    storedKeys.add(RedisCommand.length(word))
    append(key, Entry(database: database, expires: expires, length: length, isStored: true))
    guard let old, let reader = old.reader, old.expires == 0 || old.expires > now else { return }
    if !old.isStored || reader == client && old.length == length { markFill() }
  }

  private mutating func append(_ key: UInt64, _ entry: Entry) {
    var record = record(key, .set, expires: entry.expires)
    (record.size, record.isSizeKnown) = (entry.length ?? 0, entry.length != nil)
    records.append(record)
    entries[key] = entry
  }

  /// Marks the last request as the end of the last get of its key.
  private mutating func markFill() {
    guard marksFills else { return }
    records[records.count - 1].outcome = .fill
    fills += 1
  }

  /// Changes the expiry of an existing key, 0 for none; a past expiry deletes it.
  private mutating func setExpiry(_ key: UInt64, _ expires: UInt64) {
    if expires != 0, expires <= now { return delete(key) }
    records.append(record(key, .expire, expires: expires))
    entries[key]?.expires = expires
  }

  /// Returns a request of unknown size.
  private func record(
    _ key: UInt64, _ operation: Operation, expires: UInt64 = 0
  ) -> TraceRecord {
    let left = expires > now ? expires - now : 0
    return TraceRecord(
      key: key, time: now, size: 0,
      ttl: UInt32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1)),
      operation: operation, isSizeKnown: false)
  }

  /// Converts milliseconds since 1970 to microseconds, at least 1.
  private func microseconds(_ milliseconds: Int64) -> UInt64 {
    guard milliseconds > 0 else { return 1 }
    let (product, overflows) = UInt64(milliseconds).multipliedReportingOverflow(by: 1000)
    return overflows ? .max : product
  }
}

extension RedisKeyspace.SetOptions {
  init(_ command: RedisCommand, from start: Int) {
    self.init()
    var words = (start..<max(start, command.words.count)).makeIterator()
    while let place = words.next() {
      switch command.option(place) {
      case "NX": ifMissing = true
      case "XX": ifThere = true
      case "KEEPTTL": keeps = true
      case "GET": reads = true
      case let option:
        guard let unit = RedisCommand.Expiry(rawValue: option) else {
          refusal = .unknownOption
          return
        }
        let isSecond = end != nil
        end = words.next().flatMap { command.expiry($0, unit) }
        if isSecond || end == nil { refusal = .badArguments }
      }
    }
    if ifMissing && ifThere || keeps && end != nil { refusal = .badArguments }
  }
}

/// Effect of a command on keys. Commands without one here are skipped and counted by name.
enum RedisEffect: Equatable {
  case read, readAll, change, delete, readAndDelete
  case set, setIfMissing, readAndSet, readAndExpire, persist, rename, flush, flushAll
  case setExpiring(RedisCommand.Expiry)
  case setMany(ifMissing: Bool)
  case expire(RedisCommand.Expiry)

  static let all: [String: RedisEffect] = {
    var all: [String: RedisEffect] = [
      "MGET": .readAll, "SET": .set, "SETEX": .setExpiring(.seconds),
      "PSETEX": .setExpiring(.milliseconds), "SETNX": .setIfMissing, "GETSET": .readAndSet,
      "MSET": .setMany(ifMissing: false), "MSETNX": .setMany(ifMissing: true), "DEL": .delete,
      "UNLINK": .delete, "GETDEL": .readAndDelete, "GETEX": .readAndExpire,
      "EXPIRE": .expire(.seconds), "PEXPIRE": .expire(.milliseconds),
      "EXPIREAT": .expire(.secondsSince1970), "PEXPIREAT": .expire(.millisecondsSince1970),
      "PERSIST": .persist, "RENAME": .rename, "RENAMENX": .rename, "FLUSHDB": .flush,
      "FLUSHALL": .flushAll,
    ]
    let reads = """
      GET GETRANGE SUBSTR STRLEN GETBIT BITCOUNT HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS
      HSCAN LRANGE LINDEX LLEN SMEMBERS SISMEMBER SMISMEMBER SCARD SRANDMEMBER SSCAN ZRANGE
      ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZRANGEBYLEX ZSCORE ZMSCORE ZRANK ZREVRANK ZCARD
      ZCOUNT ZSCAN XRANGE XREVRANGE XLEN PFCOUNT GEOPOS GEODIST JSON.GET DIGEST HGETEX
      """
    let changes = """
      APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY SETRANGE SETBIT HSET HMSET HSETNX HINCRBY
      HINCRBYFLOAT HDEL LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LSET LREM LTRIM LINSERT SADD SREM SPOP
      ZADD ZINCRBY ZREM ZPOPMIN ZPOPMAX XADD XTRIM PFADD GEOADD JSON.SET HSETEX HGETDEL
      """
    for name in reads.split(whereSeparator: \.isWhitespace) { all[String(name)] = .read }
    for name in changes.split(whereSeparator: \.isWhitespace) { all[String(name)] = .change }
    return all
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
