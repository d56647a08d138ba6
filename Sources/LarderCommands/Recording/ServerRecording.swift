import Foundation
import LarderSystem
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
