import Foundation
import LarderExperiments
import LarderSupport

/// A thread's connection to a server.
protocol ServerConnection: AnyObject, Sendable {
  /// Waits for the first answer of a server that has been started.
  func greet() throws(ProcessCacheError)

  func get(_ key: String) throws(ProcessCacheError) -> Data?

  /// Stores the value after a miss, or a new one; returns false if the server refuses it.
  func set(
    _ value: Data, for key: String, microseconds: UInt64
  ) throws(ProcessCacheError) -> Bool

  func remove(_ key: String) throws(ProcessCacheError)

  /// The server's own statistics.
  func state() throws(ProcessCacheError) -> ServerState
}

/// Redis's protocol (RESP 2), one request at a time.
final class RedisConnection: ServerConnection {
  private let lines: ProcessConnection
  private let policy: String
  private var peer: any ProcessPeer { lines.peer }

  init(_ lines: ProcessConnection, policy: String) { (self.lines, self.policy) = (lines, policy) }

  private func command(
    _ words: String..., value: Data? = nil
  ) throws(ProcessCacheError) -> Substring {
    var text = "*\(words.count + (value == nil ? 0 : 1))"
    for word in words { text += "\r\n$\(word.utf8.count)\r\n\(word)" }
    if let value { text += "\r\n$\(value.count)" }
    let answer = try lines.ask(text, value)
    guard answer.hasPrefix("-") else { return answer }
    let reason = "it refused \(words[0]): \(answer.dropFirst().prefix(200))"
    guard answer.hasPrefix("-OOM") else { throw .system(what: peer.name, reason: reason) }
    throw .system(
      what: peer.name,
      reason: reason + " It evicts nothing, or its capacity is below the 1 MiB of an empty server.")
  }

  private func bulk(
    _ line: Substring, of request: String
  ) throws(ProcessCacheError) -> Data? {
    if line == "$-1" { return nil }
    guard line.hasPrefix("$"), let count = Int(line.dropFirst()),
      (0...Int(UInt32.max)).contains(count)
    else { throw peer.answered(line, to: request) }
    return try lines.block(count)
  }

  func greet() throws(ProcessCacheError) {
    let answer = try command("PING")
    guard answer == "+PONG" else { throw peer.answered(answer, to: "PING") }
  }

  func get(_ key: String) throws(ProcessCacheError) -> Data? {
    try bulk(try command("GET", key), of: "GET \(key)")
  }

  func set(
    _ value: Data, for key: String, microseconds: UInt64
  ) throws(ProcessCacheError) -> Bool {
    // Redis refuses times beyond its 64 bits.
    let milliseconds = min(microseconds / 1000 + (microseconds % 1000 == 0 ? 0 : 1), 1 << 53)
    let answer =
      milliseconds == 0
      ? try command("SET", key, value: value)
      : try command("PSETEX", key, "\(milliseconds)", value: value)
    guard answer == "+OK" else { throw peer.answered(answer, to: "SET \(key)") }
    return true
  }

  func remove(_ key: String) throws(ProcessCacheError) {
    let answer = try command("DEL", key)
    guard answer == ":0" || answer == ":1" else { throw peer.answered(answer, to: "DEL \(key)") }
  }

  func state() throws(ProcessCacheError) -> ServerState {
    let text = try bulk(try command("INFO"), of: "INFO") ?? Data()
    let facts = ServerFacts(String(decoding: text, as: UTF8.self), separator: ":")
    if let own = facts["maxmemory_policy"], own != policy {
      throw .system(
        what: peer.name,
        reason: "Redis is set to 'maxmemory-policy \(own)', and this configuration has "
          + "'policy: \(policy)'")
    }
    // db0:keys=7,expires=0,avg_ttl=0
    let counts = facts.all(where: { $0.hasPrefix("db") }).compactMap {
      $0.split(separator: ",").first?.split(separator: "=").last.flatMap { UInt64($0) }
    }
    return try ServerFacts.state(
      facts["redis_version"].map { "Redis \($0)" }, "\(counts.reduce(0, &+))", facts["used_memory"],
      facts["keyspace_hits"], facts["evicted_keys"], facts["maxmemory"], of: peer, "INFO")
  }
}

/// memcached's text protocol.
final class MemcachedConnection: ServerConnection {
  private let lines: ProcessConnection

  init(_ lines: ProcessConnection) { self.lines = lines }

  func greet() throws(ProcessCacheError) { _ = try lines.greet() }
  func get(_ key: String) throws(ProcessCacheError) -> Data? { try lines.get(key) }
  func remove(_ key: String) throws(ProcessCacheError) { try lines.remove(key) }

  func set(
    _ value: Data, for key: String, microseconds: UInt64
  ) throws(ProcessCacheError) -> Bool {
    try lines.set(value, for: key, seconds: ProcessCache.seconds(microseconds))
  }

  func state() throws(ProcessCacheError) -> ServerState {
    var text = ""
    var line = try lines.ask("stats")
    while line != "END" {
      guard line.hasPrefix("STAT ") else { throw lines.peer.answered(line, to: "stats") }
      text += line.dropFirst("STAT ".count) + "\n"
      line = try lines.line()
    }
    let facts = ServerFacts(text, separator: " ")
    return try ServerFacts.state(
      facts["version"].map { "memcached \($0)" }, facts["curr_items"], facts["bytes"],
      facts["get_hits"], facts["evictions"], facts["limit_maxbytes"], of: lines.peer, "stats")
  }
}

/// A caching proxy over HTTP, and the origin behind it: the thread that waits for the answer to its
/// request answers the proxy's own, too. The proxy's request is a miss.
final class ProxyConnection: ServerConnection, @unchecked Sendable {
  private let peer: ServerPeer
  private let address: String
  private let origin: Int32
  private var client: ProcessConnection?
  // The proxy's request for a value, from the miss to `set`.
  private var fetch: ProcessConnection?

  init(
    _ client: ProcessConnection, at address: String, origin: Int32, of peer: ServerPeer
  ) {
    (self.client, self.address, self.origin, self.peer) = (client, address, origin, peer)
  }

  private struct Head {
    var first: Substring = ""
    var fields: [String: Substring] = [:]
    var closes: Bool { fields["connection"]?.lowercased() == "close" }
  }

  func greet() throws(ProcessCacheError) {
    // Configured to answer this alone by itself.
    let head = try ask("/")
    guard head.first.contains(" 204") else { throw peer.answered(head.first, to: "GET /") }
  }

  func get(_ key: String) throws(ProcessCacheError) -> Data? {
    let client = try connected()
    try client.send(head: "GET /\(key) HTTP/1.1\r\nHost: larder")
    while try !isReadable(client.descriptor, or: origin) {
      let descriptor = accept(origin, nil, nil)
      guard descriptor >= 0 else { continue }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let asked = ProcessConnection(descriptor, of: peer)
      let words = try head(of: asked).first.split(separator: " ")
      if words.count == 3, words[0] == "GET", words[1] == "/\(key)" {
        fetch = asked
        return nil
      }
      // A health check.
      try asked.send(head: Self.answer("204 No Content", bytes: 0, control: "no-store"))
    }
    return try answer(of: client, to: key)
  }

  func set(
    _ value: Data, for key: String, microseconds: UInt64
  ) throws(ProcessCacheError) -> Bool {
    guard let fetch = fetch.take(), let client else {
      throw .system(what: peer.name, reason: "an HTTP cache is not written to: use a trace of gets")
    }
    let life = microseconds == 0 ? 31_536_000 : ProcessCache.seconds(microseconds, most: .max)
    try fetch.send(
      head: Self.answer("200 OK", bytes: value.count, control: "max-age=\(life)"), body: value)
    let found = try answer(of: client, to: key)
    guard found == value else {
      throw peer.answered("\(found.count) bytes that differ from its origin's", to: "GET /\(key)")
    }
    return true
  }

  func remove(_ key: String) throws(ProcessCacheError) {
    throw .system(what: peer.name, reason: "an HTTP cache is not written to: use a trace of gets")
  }

  func state() throws(ProcessCacheError) -> ServerState { try peer.proxyState() }

  /// An origin's head, of which 130 bytes are stored.
  private static func answer(_ status: String, bytes: Int, control: String) -> String {
    """
    HTTP/1.1 \(status)\r
    Content-Type: text/html\r
    Content-Length: \(bytes)\r
    Cache-Control: \(control)\r
    Connection: close
    """
  }

  /// True if the client's answer has come, false if the proxy asks its origin.
  private func isReadable(
    _ client: Int32, or origin: Int32
  ) throws(ProcessCacheError) -> Bool {
    var ends = [client, origin].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let count = poll(&ends, 2, Int32(clamping: UInt64(peer.timeoutSeconds) * 1000))
      if count > 0 { return ends[0].revents != 0 }
      guard count < 0, errno == EINTR else { throw peer.silent("answer") }
    }
  }

  /// The connection, or a new one if the proxy has closed it.
  private func connected() throws(ProcessCacheError) -> ProcessConnection {
    if let client {
      var end = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&end, 1, 0) == 0 { return client }
    }
    guard let descriptor = try LocalSocket.connected(to: address) else { throw peer.ended() }
    let client = ProcessConnection(descriptor, of: peer)
    self.client = client
    return client
  }

  private func head(of connection: ProcessConnection) throws(ProcessCacheError) -> Head {
    var head = Head(first: try connection.line())
    while case let line = try connection.line(), !line.isEmpty {
      let words = line.split(separator: ":", maxSplits: 1)
      guard words.count == 2 else { throw peer.answered(line, to: "a request") }
      head.fields[words[0].lowercased()] = words[1].drop { $0 == " " }
    }
    return head
  }

  private func ask(_ path: String) throws(ProcessCacheError) -> Head {
    let client = try connected()
    try client.send(head: "GET \(path) HTTP/1.1\r\nHost: larder")
    return try head(of: client)
  }

  private func answer(
    of client: ProcessConnection, to key: String
  ) throws(ProcessCacheError) -> Data {
    let head = try head(of: client)
    let words = head.first.split(separator: " ")
    guard words.count > 1, words[0].hasPrefix("HTTP/1."), words[1] == "200",
      let count = head.fields["content-length"].flatMap({ Int($0) }),
      (0...Int(UInt32.max)).contains(count)
    else { throw peer.answered(head.first, to: "GET /\(key)") }
    let body = try client.body(count)
    if head.closes { self.client = nil }
    peer.note(head.fields)
    return body
  }
}

/// A server's statistics by name.
struct ServerFacts {
  private let words: [Substring: Substring]

  /// Lines of a name, a separator and a value.
  init(_ text: String, separator: Character) {
    let pairs = text.split(whereSeparator: \.isNewline).map {
      $0.split(separator: separator, maxSplits: 1)
    }
    words = Dictionary(
      pairs.filter { $0.count == 2 }.map { ($0[0], $0[1].drop { $0 == " " }) },
      uniquingKeysWith: { first, _ in first })
  }

  subscript(_ name: Substring) -> Substring? { words[name] }

  func all(where isMeant: (Substring) -> Bool) -> [Substring] {
    words.filter { isMeant($0.key) }.map(\.value)
  }

  static func state(
    _ version: String?, _ entries: Substring?, _ bytes: Substring?, _ hits: Substring?,
    _ evictions: Substring?, _ capacity: Substring?, of peer: any ProcessPeer, _ request: String
  ) throws(ProcessCacheError) -> ServerState {
    let numbers = [entries, bytes, hits, evictions, capacity].map { $0.flatMap { UInt64($0) } }
    guard let version, !numbers.contains(nil) else {
      throw peer.answered("statistics without the usual numbers", to: request)
    }
    return ServerState(
      version: version, entries: numbers[0], bytes: numbers[1], hits: numbers[2],
      evictions: numbers[3], capacity: numbers[4])
  }
}
