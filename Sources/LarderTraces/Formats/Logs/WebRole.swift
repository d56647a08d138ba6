/// What a field of a web log is to a trace. Formats say which of their fields has which role; what
/// the fields mean together is the same for all of them (`WebMapper`).
enum WebRole: Int, CaseIterable, Sendable {
  /// Method, target and protocol: `GET /a?b HTTP/1.1`.
  case request
  /// `GET`.
  case method
  /// Path with query, or a whole URL.
  case target
  /// Path without query.
  case path
  /// Query without question mark.
  case query
  /// Name of the server that was asked.
  case host
  /// Status of the answer.
  case status
  /// Bytes of the answer's body.
  case bytes
  /// Bytes of the whole object, whatever part of it the answer had.
  case objectBytes
  /// Anything where the answer was cut off.
  case cutOff
  /// A date with a time, as `LogTime` reads it.
  case time
  /// A date with a time, or a number since 1970 whose size tells its unit.
  case timestamp
  /// A date without a time, and a time without a date.
  case date, timeOfDay
  /// Numbers since 1970.
  case seconds, milliseconds, microseconds, nanoseconds
  /// The headers of the answer.
  case cacheControl, expires
  /// Seconds to live.
  case ttl
  /// What the origin took.
  case originSeconds, originMilliseconds, originMicroseconds, originNanoseconds
  /// What the whole answer took: stands in where the origin's time is not logged.
  case totalSeconds, totalMilliseconds, totalMicroseconds, totalNanoseconds

  /// The unit of a time since 1970.
  var timeUnit: TimeUnit? {
    switch self {
    case .seconds: .seconds
    case .milliseconds: .milliseconds
    case .microseconds: .microseconds
    case .nanoseconds: .nanoseconds
    default: nil
    }
  }

  /// How many milliseconds its unit is, for a role that is a cost.
  var costMilliseconds: Double? {
    switch self {
    case .originSeconds, .totalSeconds: 1000
    case .originMilliseconds, .totalMilliseconds: 1
    case .originMicroseconds, .totalMicroseconds: 0.001
    case .originNanoseconds, .totalNanoseconds: 0.000_001
    default: nil
    }
  }

  /// The roles that tell when a request was, surest first.
  static let times: [WebRole] = [
    .time, .timestamp, .date, .seconds, .milliseconds, .microseconds, .nanoseconds,
  ]

  /// The roles that tell what a fetch costs, surest first.
  static let costs: [WebRole] = [
    .originSeconds, .originMilliseconds, .originMicroseconds, .originNanoseconds, .totalSeconds,
    .totalMilliseconds, .totalMicroseconds, .totalNanoseconds,
  ]
}

/// The fields of one line by their roles. A role that the line does not have is empty.
struct WebLine: ~Copyable {
  private let fields: UnsafeMutablePointer<TextField>
  nonisolated(unsafe) private static let nothing: UnsafeMutablePointer<UInt8> = {
    let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return byte
  }()

  /// A line without fields.
  init() {
    fields = .allocate(capacity: WebRole.allCases.count)
    clear()
  }

  deinit { fields.deallocate() }

  /// Empties all fields.
  @inline(__always)
  func clear() {
    let nothing = UnsafePointer(WebLine.nothing)
    fields.update(repeating: TextField(nothing, nothing), count: WebRole.allCases.count)
  }

  /// The field of a role.
  @inline(__always)
  subscript(role: WebRole) -> TextField {
    get { fields[role.rawValue] }
    nonmutating set { fields[role.rawValue] = newValue }
  }
}
