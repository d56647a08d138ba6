import Foundation
import LarderSupport
import LarderTraces

/// Records what the clients of a server do, for a time or a number of requests.
struct ServerRecording {
  let server: RecordedServer
  let address: ServerAddress
  let login: RecordedServer.Login?
  /// For how long; nil until a number of requests.
  let duration: Duration?
  /// How many requests; nil until the time is over.
  let requestsMax: Int?
  let cancellation: Cancellation
  /// Told how many requests there are.
  let progress: (Int) -> Void

  /// What was recorded.
  struct Outcome {
    var requests: Int
    var facts: ReadingFacts
  }

  /// Records into a trace without values and with hashes in place of keys.
  ///
  /// - Throws: `ServerError`; `TraceError` for the file.
  func record(to path: String, sampling: Double) throws -> Outcome {
    let connection = try begin()
    let file = try RecordedTraceFile(path: path, sampling: sampling)
    let end = duration.map { ContinuousClock.now + $0 }
    var lost: String?
    var lastFlush = ContinuousClock.now
    let noticing = { (facts: ReadingFacts) in file.lost = facts.eventsSkipped }
    let facts = try LiveTrace.decode(
      format: server.format, from: connection.name, noticing: noticing
    ) { (space) throws(TraceError) in
      let count = connection.takeLines(into: space)
      if count > 0 { return count }
      // Nothing is at hand: what has come so far goes to the file, now and then.
      if ContinuousClock.now - lastFlush > .seconds(1) {
        try file.flush()
        lastFlush = ContinuousClock.now
      }
      return Self.nextLines(connection, into: space, until: end, &lost)
    } into: { records in
      let left = requestsMax.map { max(0, $0 - file.requests) } ?? Int.max
      if sampling >= 1 {
        try file.add(records.prefix(left))
      } else {
        for record in records where file.requests < requestsMax ?? .max { try file.add([record]) }
      }
      progress(file.requests)
      return file.requests < requestsMax ?? .max
    }
    file.lost = facts.eventsSkipped
    try file.finish()
    if let lost {
      throw ServerError.lost(
        connection.name, reason: lost, requests: file.requests, file: path)
    }
    return Outcome(requests: file.requests, facts: facts)
  }

  /// Records the server's own lines, with all keys and values.
  ///
  /// - Throws: as `record`.
  func recordLines(to path: String) throws -> Outcome {
    let connection = try begin()
    let file = try RawLinesFile(path: path)
    let end = duration.map { ContinuousClock.now + $0 }
    var lost: String?
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
    defer { space.deallocate() }
    while file.lines < requestsMax ?? .max {
      var count = connection.takeLines(into: space)
      if count == 0 { count = Self.nextLines(connection, into: space, until: end, &lost) }
      if count == 0 { break }
      try file.add(
        UnsafeRawBufferPointer(rebasing: space[..<count]), linesMax: requestsMax ?? .max)
      progress(file.lines)
    }
    try file.finish()
    if let lost {
      throw ServerError.lost(connection.name, reason: lost, requests: file.lines, file: path)
    }
    return Outcome(requests: file.lines, facts: ReadingFacts())
  }

  private func begin() throws(ServerError) -> ServerConnection {
    let connection = try ServerConnection(address, port: server.port, cancellation)
    try server.begin(connection, login)
    return connection
  }

  /// Waits for whole lines; 0 when there are no more.
  private static func nextLines(
    _ connection: ServerConnection, into space: UnsafeMutableRawBufferPointer,
    until end: ContinuousClock.Instant?, _ lost: inout String?
  ) -> Int {
    while true {
      switch connection.receive(until: end) {
      case .bytes:
        let count = connection.takeLines(into: space)
        if count > 0 { return count }
      case .stopped: return 0
      case .closed(let reason):
        lost = reason
        return 0
      }
    }
  }
}

/// A server that tells what its clients do, and how it is asked for that.
enum RecordedServer: Sendable {
  /// Redis or Valkey, by MONITOR.
  case redis
  /// memcached, by `watch`.
  case memcached

  /// The port that it has where nobody says otherwise.
  var port: UInt16 { self == .redis ? 6379 : 11211 }

  /// The format of the lines that it writes.
  var format: String { self == .redis ? "redis-monitor" : "memcached-watch" }

  /// User and password.
  struct Login: Sendable {
    var user: String?
    var password: String
  }

  /// Asks a server to tell, from the next line on.
  ///
  /// - Throws: `ServerError`.
  func begin(_ connection: ServerConnection, _ login: Login?) throws(ServerError) {
    switch self {
    case .redis: try beginRedis(connection, login)
    case .memcached: try beginMemcached(connection, login)
    }
  }

  private func beginRedis(_ connection: ServerConnection, _ login: Login?) throws(ServerError) {
    if let login {
      let words = ["AUTH"] + [login.user, login.password].compactMap { $0 }
      let parts = words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
      try connection.send("*\(words.count)\r\n\(parts)")
      let answer = try connection.line()
      guard answer == "+OK" else {
        throw answer.hasPrefix("-")
          ? .refused(connection.name, answer: String(answer.dropFirst()))
          : .unexpected(connection.name, answer: answer)
      }
    }
    try connection.send("MONITOR\r\n")
    let answer = try connection.line()
    if answer.hasPrefix("-NOAUTH") { throw .needsPassword(connection.name) }
    guard answer == "+OK" else { throw .unexpected(connection.name, answer: answer) }
  }

  private func beginMemcached(
    _ connection: ServerConnection, _ login: Login?
  ) throws(ServerError) {
    if let login {
      let text = "\(login.user ?? "") \(login.password)"
      try connection.send("set login 0 0 \(text.utf8.count)\r\n\(text)\r\n")
      let answer = try connection.line()
      guard answer == "STORED" else { throw .refused(connection.name, answer: answer) }
    }
    try connection.send("watch fetchers mutations deletions evictions\r\n")
    var answer = try connection.line()
    if answer == "ERROR" {
      // Before 1.6.19 there are no deletions to watch.
      try connection.send("watch fetchers mutations evictions\r\n")
      answer = try connection.line()
    }
    if answer.hasPrefix("CLIENT_ERROR unauthenticated") { throw .needsPassword(connection.name) }
    guard answer == "OK" else { throw .unexpected(connection.name, answer: answer) }
  }
}

/// A file of lines as they come from a server, which only its owner may read.
final class RawLinesFile {
  private let path: String
  private let file: Int32
  private var isClosed = false
  /// Lines written.
  private(set) var lines = 0

  /// Makes a file where none is.
  ///
  /// - Throws: when there is one, or it cannot be made.
  init(path: String) throws(TraceError) {
    self.path = path
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw TraceError(
        errno == EEXIST
          ? "exists; a recording never writes over a file"
          : "cannot be written: \(String(cString: strerror(errno)))", in: path)
    }
  }

  deinit { if !isClosed { close(file) } }

  /// Adds bytes, of as many lines as may be.
  ///
  /// - Throws: when the disk is full or fails.
  func add(_ bytes: UnsafeRawBufferPointer, linesMax: Int) throws(TraceError) {
    var end = 0
    while end < bytes.count, lines < linesMax {
      if bytes[end] == 0x0A { lines += 1 }
      end += 1
    }
    do throws(FileFault) {
      try SystemFiles().writeAll(UnsafeRawBufferPointer(rebasing: bytes[..<end]), to: file)
    } catch {
      throw TraceError(
        "writing failed: \(error.reason)", in: path,
        advice: "what was written before can be read")
    }
  }

  /// Puts everything on the disk.
  ///
  /// - Throws: as `add`.
  func finish() throws(TraceError) {
    isClosed = true
    let failed = fsync(file) != 0
    let reason = errno
    close(file)
    if failed { throw TraceError("writing failed: \(String(cString: strerror(reason)))", in: path) }
  }
}
