import LarderEngine
import LarderPolicies
import Testing

@testable import LarderTraces

/// Commands that depend on existing keys, as Redis 7 documents them.
@Suite struct RedisKeyspaceTests {
  /// Lines of MONITOR: `10.5:2 EXPIRE a 10` is a command at 10.5 s in database 2; the default is 0.
  /// `10@8 GET a` is a command of client 8.
  private static func lines(_ commands: String) -> [String] {
    commands.split(separator: ";").map { command in
      var words = command.split(separator: " ")
      let origin = words.removeFirst().split(separator: "@")
      let clock = origin[0].split(separator: ":")
      let client = origin.count > 1 ? origin[1] : "5"
      let quoted = words.map { "\"\($0)\"" }.joined(separator: " ")
      return "\(clock[0]) [\(clock.count > 1 ? clock[1] : "0") 127.0.0.1:\(client)] \(quoted)"
    }
  }

  /// Requests of commands: operation, key with its database, and TTL.
  private static func requests(_ commands: String) throws -> [String] {
    var names: [UInt64: String] = [:]
    for name in ["a", "b", "c", "23", "123"] {
      names[KeyHash.hash(name)] = name
      if let number = UInt64(name) { names[number] = name }
      for database in 1...3 { names[KeyHash.hash("\(database)\"\(name)")] = "\(database):\(name)" }
    }
    var keyspace = RedisKeyspace()
    var requests: [String] = []
    for line in lines(commands) {
      try TextField.with(line) { field in
        _ = try keyspace.apply(try #require(RedisCommand(field)), in: "log")
      }
      requests += keyspace.records.map { record in
        let operation = Operation(rawValue: record.operation).map { "\($0)" } ?? "?"
        let life = record.ttl > 0 ? " \(record.ttl)" : ""
        return "\(operation) \(names[record.key] ?? "?")\(life)"
      }
    }
    return requests
  }

  private static let cases: [(String, String)] = [
    ("0 SET a v;1 EXPIRE a 10", "set a, expire a 10"),
    ("0 SET a v;1 PEXPIRE a 2500", "set a, expire a 3"),
    ("100 SET a v;100 EXPIREAT a 110", "set a, expire a 10"),
    ("100 SET a v;100 PEXPIREAT a 110000", "set a, expire a 10"),
    ("0 EXPIRE a 10", ""),
    ("0 SET a v;1 EXPIRE a 0", "set a, delete a"),
    ("0 SET a v;1 EXPIRE a -5;2 EXPIRE a 9", "set a, delete a"),
    ("100 SET a v;100 EXPIREAT a 99", "set a, delete a"),
    ("0 SET a v;1 EXPIRE a 9223372036854775807;2 PEXPIRE a 9223372036854775808", "set a"),
    ("0 SET a v;0 EXPIRE a 10 XX;0 EXPIRE a 10 GT", "set a"),
    ("0 SET a v;0 EXPIRE a 10 NX;0 EXPIRE a 20 NX", "set a, expire a 10"),
    ("0 SET a v EX 10;0 EXPIRE a 20 XX", "set a 10, expire a 20"),
    ("0 SET a v EX 10;0 EXPIRE a 9 GT;0 EXPIRE a 11 LT", "set a 10"),
    ("0 SET a v EX 10;0 EXPIRE a 11 GT;0 EXPIRE a 9 LT", "set a 10, expire a 11, expire a 9"),
    ("0 SET a v;0 EXPIRE a 9 LT;0 EXPIRE a 5 NX GT", "set a, expire a 9"),
    ("0 SET a v EX 10;1 PERSIST a;2 PERSIST a;3 PERSIST b", "set a 10, expire a"),
    ("0 SET a v EX 10;4 SET a w KEEPTTL", "set a 10, set a 6"),
    ("0 SET a v EX 10;4 SET a w", "set a 10, set a"),
    ("0 SET a v EX 10;4 INCR a;5 GETSET a w", "set a 10, set a 6, get a 5, set a"),
    ("0 SET a v NX;1 SET a w NX EX 5;2 SETNX a w;3 SETNX b w", "set a, set b"),
    ("0 GET a;1 SET a v NX PX 1000", "get a, set a 1"),
    ("0 SET a v XX;1 SET a v;2 SET a w XX GET", "set a, get a, set a"),
    ("100 SET a v EXAT 110;100 SET b v PXAT 99000", "set a 10, delete b"),
    ("0 SET a v PX 18446744073709551615;1 SET a v EX 0;2 SET a v EX -1;3 SET a v EX x", ""),
    ("0 SETEX a 9223372036854775807 v;1 PSETEX a 0 v;2 SETEX a 7 v", "set a 7"),
    ("0 SET a v EX 5 PX 5;1 SET a v NX XX;2 SET a v EX 5 KEEPTTL;3 SET a v IFEQ w;4 COPY a b", ""),
    ("0 SET a v;1 MSETNX a v b v;2 MSETNX b v c v;3 MSET a v b", "set a, set b, set c"),
    (
      "0 SET a v;1 GETEX a EX 10;2 GETEX a PERSIST;3 GETEX a;4 GETEX a EX 0",
      "set a, get a, expire a 10, get a 9, expire a, get a"
    ),
    ("0 SET a v;1 GETDEL a;2 UNLINK a b", "set a, get a, delete a, delete a, delete b"),
    ("0 SET a v PX 1500;1.6 GET a", "set a 2, delete a, get a"),
    ("0 SET a v PX 1500;4 GET a", "set a 2, get a"),
    ("0 SET a v EX 10;4 RENAME a b;5 GET b", "set a 10, delete a, set b 6, get b 5"),
    ("0 RENAME a b;1 SET a v;2 RENAME a a;3 SET b v;4 RENAMENX a b", "set a, set b"),
    ("0 SET a v;1 RENAMENX a b;2 EXPIRE a 5", "set a, delete a, set b"),
    (
      "0:1 SET a v;0:2 GET b;1:1 FLUSHDB;2:1 FLUSHDB ASYNC;3 FLUSHALL",
      "set 1:a, get 2:b, delete 1:a, delete 2:b"
    ),
    ("0:1 SET 23 v;1 GET 123", "set 1:23, get 123"),
  ]

  @Test(arguments: cases.indices) func commandsDependOnExistingKeys(_ index: Int) throws {
    let (commands, expected) = Self.cases[index]
    #expect(try Self.requests(commands).joined(separator: ", ") == expected, "\(commands)")
  }

  private static func trace(_ commands: String) throws -> PreparedTrace {
    let folder = try TestFolder()
    let text = lines(commands).map { $0 + "\n" }.joined()
    return try PreparedTrace.load(path: try folder.write(text, to: "log.redis"))
  }

  private static func hits(_ commands: String, _ arrangement: Arrangement) throws -> UInt64 {
    let trace = try trace(commands)
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(arrangement: arrangement, unit: .objects), over: trace.requests)
    _ = simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
    return simulation.counts.hits
  }

  /// Read at 5 s and at 20 s: the second read misses.
  @Test(arguments: [
    "EXPIRE k 10", "PEXPIRE k 10000", "EXPIREAT k 110", "PEXPIREAT k 110000", "GETEX k EX 10",
  ])
  func expiryEndsHits(_ command: String) throws {
    let tier = TierSetup(policy: try PolicySpec(parsing: "lru"), capacity: 10)
    let rules = HybridRules()
    let isRead = command.hasPrefix("GETEX")
    let text = "100 SET k v;100 \(command);105 GET k;120 GET k"
    for arrangement in [
      Arrangement.memory(tier), .disk(tier), .hybrid(memory: tier, disk: tier, rules: rules),
    ] {
      #expect(try Self.hits(text, arrangement) == (isRead ? 2 : 1))
    }
  }

  @Test(arguments: ["FLUSHALL", "FLUSHDB", "DEL k", "UNLINK k", "RENAME k l"])
  func removedKeyIsMissing(_ command: String) throws {
    let tier = TierSetup(policy: try PolicySpec(parsing: "lru"), capacity: 10)
    #expect(try Self.hits("100 SET k v;101 \(command);102 GET k", .memory(tier)) == 0)
  }

  /// EXPIRE does not count as an access, and does not restore evicted objects.
  @Test func expiryIsNotAnAccess() throws {
    let tier = TierSetup(policy: try PolicySpec(parsing: "lru"), capacity: 2)
    let text = "1 SET a v;2 SET b v;3 EXPIRE a 100;4 SET c v;5 EXPIRE a 90;6 GET b;7 GET a"
    #expect(try Self.hits(text, .memory(tier)) == 1)
  }

  @Test func sizesMoveWithTheirValues() throws {
    let trace = try Self.trace("1 SET a value;2 RENAME a longer;3 GET longer")
    #expect((0..<4).map { trace.requests.sizes?[$0] } == [5, 5, 5, 5])
  }

  /// Requests, objects and one-hit wonders of logs in which sets are the end of gets.
  private static let fills: [(String, String)] = [
    // A key that was never stored: the set of any client, however much later.
    ("1 GET a;2 SET a v;3@8 GET b;90@9 SET b v", "2/2/2"),
    // Deleted and expired keys.
    ("1 SET a v EX 5;2 DEL a;3@8 GET a;4@9 SET a v", "3/1/0"),
    ("1 SET a v EX 5;9@8 GET a;10@9 SET a w EX 5", "2/1/0"),
    // A stored key: only the same client with the same length had a miss, of an evicted key.
    ("1 SET a v;2 GET a;3 SET a w", "2/1/0"),
    ("1 SET a v;2@8 GET a;3@9 SET a v", "3/1/0"),
    ("1 SET a v;2 GET a;3 SET a longer", "3/1/0"),
    ("1 SET a v;2 GET a;3@9 SET a x;4 SET a w", "4/1/0"),
    // Every other way to store a value, and hashes.
    ("1 MGET a b;2 MSET a v b w;3 GET c;4 SETEX c 9 v;5 GET d;6 SET d v NX", "4/4/4"),
    ("1 HGETALL a;2 HSET a f v;3 HSET a g v", "2/1/0"),
    // One get, one set; updates.
    ("1 GET a;2 SET a v;3 SET a v", "2/1/0"),
    ("1 GETSET a v;2 SET b v GET", "4/2/0"),
    ("1 SET a v;2 GET a;3 SET a w XX", "3/1/0"),
  ]

  @Test(arguments: fills.indices) func setAfterAMissIsPartOfTheGet(_ index: Int) throws {
    let (commands, expected) = Self.fills[index]
    let facts = TraceAnalysis(try Self.trace(commands))
    #expect(
      "\(facts.requests)/\(facts.objects)/\(facts.oneHitWonders)" == expected, "\(commands)")
  }

  /// The size and TTL of the set belong to the get; a note has the guess and its option.
  @Test func getHasTheSizeOfItsSet() throws {
    let text = "1 GET a;2 SET a value EX 30;3 GET a"
    let trace = try Self.trace(text)
    #expect(trace.requests.count == 2 && trace.requests.sizes?[0] == 5)
    #expect(trace.requests.ttls?[0] == 30 && trace.requests.ttls?[1] == 29)
    let notes = trace.notes.joined(separator: "\n")
    #expect(notes.contains("1 set that followed a get of the same key is counted as a part"))
    #expect(notes.contains("about 50.0 %: 1 of 2 gets") && notes.contains("1 byte on average"))
    let folder = try TestFolder()
    let lines = Self.lines(text).map { $0 + "\n" }.joined()
    let plain = try PreparedTrace.load(
      path: try folder.write(lines, to: "log.redis"),
      format: ComponentSpec(parsing: "redis-monitor:fills=false"))
    #expect(plain.requests.count == 3 && !plain.notes.contains { $0.contains("hit ratio") })
  }

  @Test func recordingHasTheRequestsOfItsLog() throws {
    let folder = try TestFolder()
    let text = "1 GET a;2 GET b;3 SET a v;4 GET a;5 SET b w;6 SET b x"
    let log = try folder.write(Self.lines(text).map { $0 + "\n" }.joined(), to: "log.redis")
    let path = folder.path("a.recorded")
    let file = try RecordedTraceFile(path: path)
    try FileSource(path: log).withoutFolding.records {
      try file.add($0)
      return true
    }
    try file.finish()
    let (expected, read) = (try PreparedTrace.load(path: log), try PreparedTrace.load(path: path))
    #expect(read.requests.count == 4 && expected.requests.count == 4)
    #expect(read.reading.outcomes == expected.reading.outcomes)
    for index in 0..<4 {
      #expect(read.requests.operations?[index] == expected.requests.operations?[index])
      #expect(read.requests.sizes?[index] == expected.requests.sizes?[index])
    }
  }

  @Test func skippedCommandsAreReported() throws {
    let notes = try Self.trace(
      "0 SET a v;1 PING;2 SORT a STORE b;3 EXPIRE b 5;4 SET a v EX 0;5 GET a"
    ).notes.joined(separator: "\n")
    for text in [
      "the command PING does not read, write or delete keys",
      "the command SORT, whose effect on keys is not simulated",
      "EXPIRE without effect: the key does not exist",
      "SET without effect: the server rejects its arguments",
    ] { #expect(notes.contains(text), "\(notes)") }
  }
}
