import Foundation
import Larder
import LarderHTTP
import Synchronization

/// A clock that only moves when it is told to.
public final class CaseClock: CacheClock {
  private let time: Mutex<CacheInstant>

  /// Creates a clock; by default in September 2026.
  public init(_ now: CacheInstant = CacheInstant(.seconds(1_790_000_000))) { time = Mutex(now) }

  /// The time.
  public var now: CacheInstant { time.withLock { $0 } }

  /// The time in whole seconds since 1970.
  public var seconds: Int64 { CacheInstant(.zero).duration(to: now).components.seconds }

  /// Lets time pass.
  public func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

/// The origin of all cases: answers each request as its entry says, and remembers what it got.
final class CaseOrigin: Sendable {
  /// A request that reached the origin, and the fields of its answer.
  struct Record: Sendable {
    var number: Int
    var request: LoopbackRequest
    var sent: [(name: String, value: String, isCompared: Bool)]
  }

  private struct State {
    var requests: [JSONValue] = []
    var records: [Record] = []
  }

  private let clock: CaseClock
  private let states = Mutex<[String: State]>([:])

  init(_ clock: CaseClock) { self.clock = clock }

  func expect(_ requests: [JSONValue], at uuid: String) {
    states.withLock { $0[uuid] = State(requests: requests) }
  }

  /// The requests that the origin got for a case; the origin forgets them.
  func end(_ uuid: String) -> [Record] {
    states.withLock { $0.removeValue(forKey: uuid)?.records ?? [] }
  }

  func answer(_ request: LoopbackRequest) -> LoopbackReply {
    let uuid =
      request.target.split(separator: "/").dropFirst().first
      .map { String($0.prefix { $0 != "?" }) } ?? ""
    let number = request["Req-Num"].flatMap { Int($0) } ?? 0
    let known = states.withLock { states -> (JSONValue, JSONValue?, [Record])? in
      guard let state = states[uuid], state.requests.indices.contains(number - 1) else {
        return nil
      }
      let previous = number > 1 ? state.requests[number - 2] : nil
      return (state.requests[number - 1], previous, state.records)
    }
    guard let (entry, previous, records) = known else { return LoopbackReply(500, "Unknown case") }
    if let pause = entry["response_pause"]?.integer { clock.advance(by: .seconds(pause)) }
    var reply = reply(to: request, entry, uuid)
    let configured = entry.fields("response_headers").map(\.isCompared)
    let sent = zip(reply.fields, configured).map {
      (name: $0.name, value: $0.value, isCompared: $1)
    }
    let count = records.count + 1
    reply.fields += [
      ("Server-Request-Count", "\(count)"), ("Client-Request-Count", "\(number)"),
      ("Server-Now", CaseDate.text(clock.seconds)),
      ("Server-Base-Url", "/test/\(uuid)"),
    ]
    if entry["expected_type"]?.string?.hasSuffix("validated") ?? false {
      let isCurrent = isCurrent(request, previous, records)
      reply.status = isCurrent ? (304, "Not Modified") : (999, "304 Not Generated")
      if isCurrent { reply.body = nil }
    }
    states.withLock { states in
      states[uuid]?.records.append(Record(number: number, request: request, sent: sent))
    }
    return reply
  }

  private func reply(
    to request: LoopbackRequest, _ entry: JSONValue, _ uuid: String
  ) -> LoopbackReply {
    var reply = LoopbackReply()
    if let status = entry["response_status"]?.array, status.count == 2 {
      reply.status = (Int(status[0].integer ?? 200), status[1].string ?? "")
    }
    let isMagic = entry["magic_locations"]?.bool ?? false
    let old = (entry["rfc850date"]?.array ?? []).compactMap { $0.string?.lowercased() }
    reply.fields = entry.fields("response_headers").map { field in
      let name = field.name.lowercased()
      if isMagic, ["location", "content-location"].contains(name) {
        let text = field.text ?? ""
        return (field.name, "/test/\(uuid)" + (text.isEmpty ? "" : "/\(text)"))
      }
      return (field.name, CaseDate.value(field, from: clock.seconds, isOld: old.contains(name)))
    }
    switch entry["response_body"] {
    case .string(let text)?: reply.body = Data(text.utf8)
    case .null?: reply.body = Data()
    default: reply.body = Data(uuid.utf8)
    }
    for interim in entry["interim_responses"]?.array ?? [] {
      let parts = interim.array ?? []
      let fields = parts.dropFirst().first?.array?.compactMap {
        pair -> (name: String, value: String)? in
        guard let pair = pair.array, pair.count == 2 else { return nil }
        return (pair[0].string ?? "", pair[1].string ?? "")
      }
      reply.interim.append((Int(parts.first?.integer ?? 100), fields ?? []))
    }
    reply.disconnects = entry["disconnect"]?.bool ?? false
    return reply
  }

  /// True if a request asks whether the representation of the previous entry is still current.
  private func isCurrent(
    _ request: LoopbackRequest, _ previous: JSONValue?, _ records: [Record]
  ) -> Bool {
    for (field, condition) in [
      ("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since"),
    ] {
      let configured = previous?.fields("response_headers").first {
        $0.name.lowercased() == field.lowercased()
      }
      // A date was counted from the time when it was sent.
      let sent = records.last?.sent.first { $0.name.lowercased() == field.lowercased() }?.value
      guard let validator = configured?.text ?? sent else { continue }
      if request[condition] == validator { return true }
    }
    return false
  }
}

/// Dates in the fields of cases.
enum CaseDate {
  static func text(_ seconds: Int64) -> String { HTTPFormats.date(seconds) }

  /// Text of a field; a number is seconds from `now`.
  static func value(_ field: HTTPCase.Field, from now: Int64, isOld: Bool = false) -> String {
    guard let number = field.number else { return field.text ?? "" }
    return isOld ? HTTPFormats.oldDate(now + number) : HTTPFormats.date(now + number)
  }
}

/// Formats of dates, written independently of the library that is tested.
enum HTTPFormats {
  private static func text(_ seconds: Int64, _ format: String) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = format
    return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
  }

  static func date(_ seconds: Int64) -> String { text(seconds, "EEE, dd MMM yyyy HH:mm:ss 'GMT'") }

  /// The format of RFC 850.
  static func oldDate(_ seconds: Int64) -> String {
    text(seconds, "EEEE, dd-MMM-yy HH:mm:ss 'GMT'")
  }
}
