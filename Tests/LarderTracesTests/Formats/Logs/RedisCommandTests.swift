import LarderEngine
import Testing

@testable import LarderTraces

/// Lines of MONITOR, as Redis 7.0.15 writes them.
@Suite struct RedisCommandTests {
  private func records(_ line: String) -> [TraceRecord]? {
    TextField.with(line) { field in
      guard let command = RedisCommand(field) else { return nil }
      var keyspace = RedisKeyspace()
      _ = try? keyspace.apply(command, in: "log")
      return keyspace.records
    }
  }

  /// Clients by IPv4, IPv6 and a Unix socket, and a script.
  @Test(arguments: ["127.0.0.1:48538", "[::1]:43848", "unix:/run/redis/redis.sock", "lua"])
  func clientsHaveAddressesOfAllKinds(_ address: String) throws {
    let found = try #require(records(#"1795735158.294936 [0 \#(address)] "set" "a" "b""#))
    #expect(found.map(\.key) == [KeyHash.hash("a")])
    #expect(found.map(\.operation) == [Operation.set.rawValue])
    #expect(found.map(\.size) == [1])
    #expect(found.map(\.time) == [1_795_735_158_294_936])
    let other = try #require(records(#"1795735158.294936 [3 \#(address)] "get" "a""#))
    #expect(other.map(\.key) == [KeyHash.hash(#"3"a"#)])
  }

  @Test func namespacesAreDatabases() throws {
    let first = try #require(records(#"1795735158.294936 [__namespace 127.0.0.1:5] "get" "a""#))
    #expect(first.map(\.key) == [KeyHash.hash("a")])
    let other = try #require(records(#"1795735158.294936 [shop 127.0.0.1:5] "get" "a""#))
    let third = try #require(records(#"1795735158.294936 [blog 127.0.0.1:5] "get" "a""#))
    #expect(Set((first + other + third).map(\.key)).count == 3)
  }

  /// Brackets in keys do not end an address.
  @Test func bracketsInKeysDoNotEndAddresses() throws {
    let found = try #require(records(#"1795735158.294936 [0 [::1]:43848] "get" "a] b""#))
    #expect(found.map(\.key) == [KeyHash.hash("a] b")])
  }

  @Test(arguments: [
    #"1795735158.294936 [0 [::1]:43848 "get" "a""#, #"1795735158.294936 [0 lua]"get" "a""#,
    #"1795735158.294936 0 lua] "get" "a""#, #"1795735158.294936 [0 lua] get a"#,
    #"1795735158.294936 [0 lua] "get" "a"#,
  ])
  func otherLinesAreNotCommands(_ line: String) { #expect(records(line) == nil) }
}
