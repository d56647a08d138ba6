import LarderEngine
internal import LarderSupport

/// The keys of a server as far as its log shows, starting from an empty server, and the conversion
/// of its commands to requests.
///
/// Commands that depend on existing keys (SET NX, EXPIRE GT, RENAME, FLUSHALL ...) become the
/// requests that change a cache as they changed the server. O(1) per command, except for FLUSHDB
/// and FLUSHALL, which delete each existing key, and 48 bytes per key.
struct RedisKeyspace {
  /// Known state of a key.
  private struct Entry {
    /// Microseconds since 1970; 0 for never.
    var expires: UInt64 = 0
    /// Hash of the value; meaningless if its length is unknown.
    var value: UInt64 = 0
    /// Bytes of the value; nil if unknown.
    var length: UInt32?
    /// Client of the last get since the last write.
    var reader: UInt32?
    /// True once it was stored. A key that was only read may or may not exist.
    var isStored = false

    /// The entry under another key, which nobody has read.
    var moved: Entry {
      var entry = self
      (entry.reader, entry.isStored) = (nil, true)
      return entry
    }
  }

  /// Reason why a command is not a request.
  enum Refusal: String, Error {
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
  private var growth = GrowthLimit("the keys of a server", bytesEach: 48)
  private let text = KeyText()
  /// True to mark the sets that are the end of a get.
  private let marksFills: Bool
  private var fills = 0
  /// Number of conditions on unknown values.
  private var assumptions = 0
  private var storedKeys = KeyLengths()
  private(set) var records: [TraceRecord] = []
  private var now: UInt64 = 0
  private var client: UInt32 = 0

  /// A server without keys.
  init(marksFills: Bool = true) { self.marksFills = marksFills }

  var notes: [String] {
    var notes = [storedKeys.note].compactMap { $0 }
    if fills > 0 {
      notes.append(
        "\(NumberText.counted(fills, "set")) that followed a get of the same key "
          + "\(fills == 1 ? "is" : "are") counted as a part of that get; redis-monitor:fills=false "
          + "counts every set as a request.")
    }
    if assumptions > 0 {
      notes.append(
        "\(NumberText.counted(assumptions, "condition")) on values that the log does not show "
          + "\(assumptions == 1 ? "was" : "were") taken as met (IFEQ, IFDEQ ...).")
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
    case .deleteIf: return deleteIf(command, database)
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
      read(first, database, isOpen: false)
      store(first, database, value: command.words[1], expires: 0)
    case .setMany(let ifMissing):
      return setMany(command.words[...], database, SetOptions(ifMissing: ifMissing))
    case .setManyExpiring: return setManyExpiring(command, database)
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

  /// Options of SET and MSETEX.
  private struct SetOptions {
    var ifMissing = false
    var ifThere = false
    var keeps = false
    var reads = false
    /// Expiry in milliseconds since 1970.
    var end: Int64?
    var condition: Int?
  }

  private func options(
    _ command: RedisCommand, from start: Int
  ) -> Result<SetOptions, Refusal> {
    var options = SetOptions()
    var place = start
    while place < command.words.count {
      switch command.option(place) {
      case "NX": options.ifMissing = true
      case "XX": options.ifThere = true
      case "KEEPTTL": options.keeps = true
      case "GET": options.reads = true
      case "IFEQ", "IFNE", "IFDEQ", "IFDNE":
        guard options.condition == nil, place + 1 < command.words.count else {
          return .failure(.badArguments)
        }
        options.condition = place
        place += 1
      case let option:
        guard let unit = RedisCommand.Expiry(rawValue: option) else {
          return .failure(.unknownOption)
        }
        guard options.end == nil, let number = command.integer(place + 1), number > 0,
          let deadline = command.deadline(place + 1, unit)
        else { return .failure(.badArguments) }
        options.end = deadline
        place += 1
      }
      place += 1
    }
    let conditions = [options.ifMissing, options.ifThere, options.condition != nil]
    let isValid = conditions.count { $0 } <= 1 && !(options.keeps && options.end != nil)
    return isValid ? .success(options) : .failure(.badArguments)
  }

  private mutating func set(_ command: RedisCommand, _ database: UInt64) -> Refusal? {
    guard command.words.count >= 2 else { return .badArguments }
    let (key, value) = (command.words[0], command.words[1])
    let options: SetOptions
    switch self.options(command, from: 2) {
    case .success(let valid): options = valid
    case .failure(let refusal): return refusal
    }
    let isMissing = options.ifThere && entry(key, database) == nil
    let isTaken = options.ifMissing && isStored(key, database)
    let isMet = options.condition.map { holds(command, $0, entry(key, database)) } ?? true
    if options.reads { read(key, database, isOpen: false) }
    if isMissing || isTaken || !isMet { return .unmetCondition }
    store(key, database, value: value, options)
    return nil
  }

  /// Evaluates the condition on a value at an index. A condition on an unknown value, or on a
  /// digest, counts as met.
  private mutating func holds(_ command: RedisCommand, _ place: Int, _ entry: Entry?) -> Bool {
    let name = command.option(place)
    guard let entry else { return name.hasSuffix("NE") }
    guard !name.hasPrefix("IFD"), entry.length != nil else {
      assumptions += 1
      return true
    }
    return (KeyHash.key(command.words[place + 1]) == entry.value) == (name == "IFEQ")
  }

  private mutating func deleteIf(_ command: RedisCommand, _ database: UInt64) -> Refusal? {
    let key = command.words[0]
    guard let entry = entry(key, database) else { return .missingKey }
    if command.name == "DELEX", command.words.count > 1 {
      guard command.words.count == 3 else { return .badArguments }
      guard ["IFEQ", "IFNE", "IFDEQ", "IFDNE"].contains(command.option(1)) else {
        return .unknownOption
      }
      guard holds(command, 1, entry) else { return .unmetCondition }
    } else if command.name == "DELIFEQ" {
      guard command.words.count == 2 else { return .badArguments }
      if entry.length == nil { assumptions += 1 }
      guard entry.length == nil || KeyHash.key(command.words[1]) == entry.value else {
        return .unmetCondition
      }
    }
    delete(key, database)
    return nil
  }

  private mutating func setMany(
    _ words: ArraySlice<TextField>, _ database: UInt64, _ options: SetOptions
  ) -> Refusal? {
    guard words.count % 2 == 0 else { return .badArguments }
    let places = stride(from: words.startIndex, to: words.endIndex, by: 2)
    for place in places {
      if options.ifMissing, isStored(words[place], database) { return .unmetCondition }
      if options.ifThere, entry(words[place], database) == nil { return .unmetCondition }
    }
    for place in places { store(words[place], database, value: words[place + 1], options) }
    return nil
  }

  /// Applies MSETEX: the number of keys, keys and values, options.
  private mutating func setManyExpiring(
    _ command: RedisCommand, _ database: UInt64
  ) -> Refusal? {
    guard let count = command.integer(0), count > 0,
      count <= (command.words.count - 1) / 2
    else { return .badArguments }
    let end = 1 + 2 * Int(count)
    switch options(command, from: end) {
    case .success(let options) where options.reads || options.condition != nil:
      return .unknownOption
    case .success(let options): return setMany(command.words[1..<end], database, options)
    case .failure(let refusal): return refusal
    }
  }

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
    store(to, database, entry.moved)
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
    store(to, target, entry.moved)
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
    store(key, other, entry.moved)
    return nil
  }

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

  /// Adds a get, which a set may end unless `isOpen` is false.
  private mutating func read(_ key: TextField, _ database: UInt64, isOpen: Bool = true) {
    var entry = entry(key, database) ?? Entry()
    let number = number(key, database)
    // A cache that no longer has it stores it until the server's expiry.
    records.append(record(number, .get, expires: entry.expires))
    entry.reader = isOpen ? client : nil
    keep(entry, number, database)
  }

  private mutating func change(_ key: TextField, _ database: UInt64) {
    var entry = entry(key, database) ?? Entry()
    let number = number(key, database)
    records.append(record(number, .set, expires: entry.expires))
    if entry.reader == client, !entry.isStored { markFill() }
    (entry.length, entry.isStored, entry.reader) = (nil, true, nil)
    keep(entry, number, database)
  }

  private mutating func delete(_ key: TextField, _ database: UInt64) {
    let number = number(key, database)
    records.append(record(number, .delete))
    if databases[database]?.removeValue(forKey: number) != nil { keys -= 1 }
  }

  private mutating func store(
    _ key: TextField, _ database: UInt64, value: TextField, _ options: SetOptions
  ) {
    let kept = options.keeps ? entry(key, database)?.expires ?? 0 : 0
    let expires = options.end.map(microseconds) ?? kept
    if expires != 0, expires <= now { return delete(key, database) }
    if options.ifThere || options.keeps || options.condition != nil {
      // An update of a value that the server has.
      let number = number(key, database)
      databases[database]?[number]?.reader = nil
    }
    store(key, database, value: value, expires: expires)
  }

  private mutating func store(
    _ key: TextField, _ database: UInt64, value: TextField, expires: UInt64
  ) {
    let new = Entry(
      expires: expires, value: KeyHash.key(value),
      length: UInt32(clamping: RedisCommand.length(value)), isStored: true)
    let old = databases[database]?[number(key, database)]
    store(key, database, new)
    guard let old, let reader = old.reader, old.expires == 0 || old.expires > now else { return }
    if !old.isStored || reader == client && old.length == new.length { markFill() }
  }

  private mutating func store(_ key: TextField, _ database: UInt64, _ new: Entry) {
    let number = number(key, database)
    storedKeys.add(RedisCommand.length(key))
    var record = record(number, .set, expires: new.expires)
    if let length = new.length {
      record.size = length
      record.isSizeKnown = true
    }
    records.append(record)
    keep(new, number, database)
  }

  /// Marks the last request as the end of the last get of its key.
  private mutating func markFill() {
    guard marksFills else { return }
    records[records.count - 1].outcome = .fill
    fills += 1
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
  case deleteIf
  case readAndDelete
  case set
  case setExpiring(RedisCommand.Expiry)
  case setIfMissing
  case readAndSet
  case setMany(ifMissing: Bool)
  case setManyExpiring
  case readAndExpire
  case expire(RedisCommand.Expiry)
  case persist
  case rename(ifMissing: Bool)
  case copy
  case move
  case flush
  case flushAll
  case swap

  static let kinds: [String: RedisKind] = {
    var kinds: [String: RedisKind] = [
      "MGET": .readAll, "SET": .set, "SETEX": .setExpiring(.seconds),
      "PSETEX": .setExpiring(.milliseconds), "SETNX": .setIfMissing, "GETSET": .readAndSet,
      "MSET": .setMany(ifMissing: false), "MSETNX": .setMany(ifMissing: true),
      "MSETEX": .setManyExpiring, "DEL": .delete, "UNLINK": .delete, "DELIFEQ": .deleteIf,
      "DELEX": .deleteIf, "GETDEL": .readAndDelete, "GETEX": .readAndExpire,
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
      ZCOUNT ZSCAN XRANGE XREVRANGE XLEN PFCOUNT GEOPOS GEODIST JSON.GET DIGEST HGETEX
      """
    let changes = """
      APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY SETRANGE SETBIT HSET HMSET HSETNX HINCRBY
      HINCRBYFLOAT HDEL LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LSET LREM LTRIM LINSERT SADD SREM SPOP
      ZADD ZINCRBY ZREM ZPOPMIN ZPOPMAX XADD XTRIM PFADD GEOADD JSON.SET HSETEX HGETDEL
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
