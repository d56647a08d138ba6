import LarderEngine
import Synchronization

protocol WebLayout: Sendable {
  var roles: Set<WebRole> { get }
  var understanding: [String] { get }
  associatedtype Reader: WebLineReader
  func reader() -> Reader
}

extension WebLayout {
  func fitting(_ lines: [ArraySlice<UInt8>]) -> (requests: Int, skipped: Int) {
    let fields = WebLine()
    let times = WebRole.times.filter { roles.contains($0) }
    var lineReader = reader()
    var counts = (requests: 0, skipped: 0)
    for line in lines {
      line.withTextField { line in
        switch lineReader.read(line, into: fields) {
        case .request:
          let isTimed = times.allSatisfy { WebMapper.time($0, fields) != nil }
          let isNumbered = fields[.status].isNothing || fields[.status].isNumber
          let isSized = fields[.bytes].isNothing || fields[.bytes].isNumber
          if isTimed, isNumbered, isSized { counts.requests += 1 }
        case .skipped: counts.skipped += 1
        case .none, .bad: break
        }
      }
    }
    return counts
  }

  func fits(_ lines: [ArraySlice<UInt8>]) -> Bool {
    let counts = fitting(lines)
    return counts.requests > 0 && (counts.requests + counts.skipped) * 10 >= lines.count * 9
  }
}

protocol WebLineReader {
  mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind
  func problem(_ line: TextField) -> String
  var kinds: [(text: String, lines: Int)] { get }
  var remarks: [String] { get }
}

extension WebLineReader {
  var kinds: [(text: String, lines: Int)] { [] }
  var remarks: [String] { [] }
}

enum WebLineKind {
  case request
  /// A comment or empty line.
  case none
  case skipped(StaticString)
  case bad
}

struct WebDecoder<Layout: WebLayout>: TraceDecoder {
  let layout: Layout
  let options: WebOptions

  var columns: TraceColumns { WebMapper.columns(of: layout.roles) }
  var sizeRule: SizeRule { .lastFull }
  var sortsTimes: Bool { true }
  var understanding: [String] {
    layout.understanding + (layout.roles.contains(.operation) ? [] : options.understanding)
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    let mapper = WebMapper(options, roles: layout.roles)
    let fields = WebLine()
    var lines = layout.reader()
    let hasTotals = layout.roles.contains(.totalBytes)
    var headers = (bytes: UInt64(0), responses: UInt64(0))
    try reader.forEachLine(telling: batch) { line, number in
      switch lines.read(line, into: fields) {
      case .none: return true
      case .skipped(let reason):
        batch.skip("\(reason)")
        return true
      case .bad:
        try batch.bad(TraceError(lines.problem(line), in: reader.path, at: .line(number)))
        return true
      case .request: break
      }
      switch mapper.record(fields) {
      case .record(var record):
        if record.outcome != .unknown { batch.note(record.outcome) }
        record.outcome = .unknown
        if hasTotals, record.isSizeKnown, let total = UInt64(fields[.totalBytes].text),
          total >= record.size
        {
          headers.bytes = headers.bytes.addingSaturated(total - UInt64(record.size))
          headers.responses += 1
        }
        return try batch.append(record)
      case .skipped(let reason): batch.skip(reason, line: line)
      case .bad(let role):
        let problem = WebDecoder.problem(role, fields)
        try batch.bad(TraceError(problem, in: reader.path, at: .line(number)))
      }
      return true
    }
    for remark in lines.remarks { batch.note(remark) }
    if headers.responses > 0 {
      let mean = headers.bytes.addingSaturated(headers.responses / 2) / headers.responses
      batch.note("Headers take \(mean) bytes of a response on average: varnish:key=\(mean).")
    }
    if let hint = mapper.queryHint {
      batch.note(hint.text)
      batch.noteKeyOption(hint.option)
    }
    for kind in lines.kinds { batch.note(kind.text, lines: kind.lines) }
    _ = try batch.flush()
  }

  private static func problem(_ role: WebRole, _ fields: borrowing WebLine) -> String {
    switch role {
    case .status: "expected a status such as 200, found \(fields[.status].quoted)"
    case .bytes, .objectBytes: "expected a number of bytes or -, found \(fields[role].quoted)"
    case .date:
      "expected a date and a time, found \(fields[.date].quoted) and "
        + fields[.timeOfDay].quoted
    case .time: "expected a date with a time, found \(fields[.time].quoted)"
    case .timestamp:
      "expected a date with a time or a number since 1970, found \(fields[.timestamp].quoted)"
    default:
      role.timeUnit?.problem(fields[role]) ?? "cannot read \(fields[role].quoted)"
    }
  }
}

/// Meaning of a web log's field, for all formats; `WebMapper` interprets the fields.
enum WebRole: Int, CaseIterable, Sendable {
  /// Method, target and protocol: `GET /a?b HTTP/1.1`.
  case request
  case method
  case target
  case path
  case query
  case host
  case status
  case bytes
  /// Bytes of the complete object, even if the response had only a part of it.
  case objectBytes
  /// Bytes of the response with its headers, next to `bytes` without them.
  case totalBytes
  /// Not empty if the response was cut off.
  case cutOff
  /// A date with a time, as `LogTime` reads it.
  case time
  /// A date with a time, or a number since 1970 whose magnitude gives its unit.
  case timestamp
  /// A date without a time, and a time without a date.
  case date, timeOfDay
  /// Numbers since 1970.
  case seconds, milliseconds, microseconds, nanoseconds
  case cacheControl, expires
  /// TTL in seconds.
  case ttl
  case operation
  case originSeconds, originMilliseconds, originMicroseconds, originNanoseconds
  /// Total response time, used if the origin's time is not logged.
  case totalSeconds, totalMilliseconds, totalMicroseconds, totalNanoseconds
  /// Outcome in the cache that wrote the log: `HIT`, `TCP_MEM_HIT`, `RefreshHit`, `MISS`.
  case cacheStatus

  /// Unit of a time since 1970.
  var timeUnit: TimeUnit? { unit(from: .seconds) }
  var costUnit: TimeUnit? { unit(from: .originSeconds) ?? unit(from: .totalSeconds) }

  /// Unit of one of the four roles from `first` on.
  private func unit(from first: WebRole) -> TimeUnit? {
    let place = rawValue - first.rawValue
    return place >= 0 && place < 4 ? WebRole.units[place] : nil
  }

  /// The one of the four roles from `first` on that has a unit.
  static func role(_ first: WebRole, in unit: TimeUnit) -> WebRole {
    WebRole(rawValue: first.rawValue + (units.firstIndex(of: unit) ?? 0)) ?? first
  }

  private static let units = TimeUnit.allCases

  /// True for roles whose values begin with a digit or a sign.
  var isNumber: Bool {
    switch self {
    case .status, .bytes, .objectBytes, .totalBytes, .time, .timestamp, .date: true
    default: timeUnit != nil || costUnit != nil
    }
  }

  static let times: [WebRole] = [.time, .timestamp, .date] + allCases.filter { $0.timeUnit != nil }
  static let costs: [WebRole] = allCases.filter { $0.costUnit != nil }
}

/// Fields of one line by role. A missing field is empty.
struct WebLine: ~Copyable {
  private let fields: UnsafeMutablePointer<TextField>
  nonisolated(unsafe) private static let nothing: UnsafeMutablePointer<UInt8> = {
    let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return byte
  }()

  init() {
    fields = .allocate(capacity: WebRole.allCases.count)
    clear()
  }

  deinit { fields.deallocate() }

  @inline(__always) func clear() {
    let nothing = UnsafePointer(WebLine.nothing)
    fields.update(repeating: TextField(nothing, nothing), count: WebRole.allCases.count)
  }

  @inline(__always) subscript(role: WebRole) -> TextField {
    get { fields[role.rawValue] }
    nonmutating set { fields[role.rawValue] = newValue }
  }
}

struct WebOptions: Sendable {
  enum Query: Sendable, Equatable {
    case keep, drop
    case only([[UInt8]])
  }

  enum Writes: String, CaseIterable, Sendable {
    case pass, invalidate, skip
  }

  enum Case: String, CaseIterable, Sendable {
    case keep, ignore
  }

  var reads: [[UInt8]] = ["GET", "HEAD"].map { Array($0.utf8) }
  var writes = Writes.pass
  var cacheable: Set<Int> = [200, 203, 206, 301, 304, 404, 410]
  var query = Query.keep
  var hasHost = true
  var ignoresCase = false

  /// Parameters of a format whose `size` option is called `sizeName`.
  static func parameters(sizeName: String = "size") -> [Parameter] {
    [
      Parameter("methods", default: "GET,HEAD", "cacheable methods"),
      Parameter(
        "writes", default: "pass",
        """
        PUT, POST, PATCH and DELETE: pass (bypass the cache), invalidate (a successful one, or a \
        PURGE or BAN, removes the object) or skip
        """),
      Parameter(
        "cacheable", default: "200,203,206,301,304,404,410",
        "cacheable status codes; other responses bypass the cache"),
      Parameter("query", default: "keep", "query string in the key: keep or drop"),
      Parameter("only", default: "", "query parameters in the key; all others are dropped"),
      Parameter("host", default: "true", "false excludes the host from the key"),
      Parameter("case", default: "keep", "ignore: keys are case-insensitive"),
      .size(.lastFull, named: sizeName), .maxBad,
    ]
  }

  init(_ options: ParameterReader) throws(ComponentError) {
    if let methods = options.words("methods") {
      reads = methods.map { Array($0.uppercased().utf8) }
      if reads.isEmpty { throw options.wrong("methods", expected: "methods such as GET,HEAD") }
    }
    writes = try options.choice("writes", of: Writes.self) ?? .pass
    if let codes = options.words("cacheable") {
      let numbers = codes.compactMap { Int($0) }.filter { (100...999).contains($0) }
      guard numbers.count == codes.count, !numbers.isEmpty else {
        throw options.wrong("cacheable", expected: "status codes such as 200,404")
      }
      cacheable = Set(numbers)
    }
    switch options.text("query")?.lowercased() {
    case nil, "keep": query = .keep
    case "drop": query = .drop
    default: throw options.wrong("query", expected: "keep or drop; only=a,b keeps some")
    }
    if let names = options.text("only") {
      let list = names.split(separator: ",").map { Array($0.utf8) }
      guard !list.isEmpty, options.text("query") == nil else {
        throw options.wrong(
          "only", expected: "names of query parameters such as a,b, and no query=")
      }
      query = .only(list)
    }
    hasHost = try options.flag("host") ?? true
    ignoresCase = try options.choice("case", of: Case.self) == .ignore
  }

  var understanding: [String] {
    let methods = reads.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
    let codes = cacheable.sorted().map { "\($0)" }.joined(separator: ", ")
    let text =
      switch query {
      case .keep: "with its query"
      case .drop: "without its query"
      case .only(let names):
        "with " + names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
          + " of its query"
      }
    return [
      "key: the path \(text)\(hasHost ? ", after the host if it is logged" : "")",
      "cacheable methods: \(methods), cacheable status codes: \(codes); writes: \(writes.rawValue)",
    ]
  }
}

struct WebMapper {
  enum Outcome {
    case record(TraceRecord)
    case skipped(String)
    case bad(WebRole)
  }

  private let options: WebOptions
  private let timeRole: WebRole?
  /// The surest cost, and its milliseconds.
  private let cost: (role: WebRole, scale: Double)?
  private let hasLifetimes: Bool
  private let hasObjectBytes: Bool
  private let hasCacheStatus: Bool
  private let readsGet: Bool
  private let isCacheable: [Bool]
  private let isCacheLog: Bool
  private let text = KeyText()
  private let parameters = QueryParameters()

  init(_ options: WebOptions, roles: Set<WebRole>) {
    self.options = options
    readsGet = options.reads.contains(Array("GET".utf8))
    isCacheable = (0..<1000).map { options.cacheable.contains($0) }
    timeRole = WebRole.times.first { roles.contains($0) }
    cost = WebRole.costs.first { roles.contains($0) }.map { ($0, $0.costUnit?.milliseconds ?? 1) }
    hasLifetimes = !roles.isDisjoint(with: [.cacheControl, .expires, .ttl])
    hasObjectBytes = roles.contains(.objectBytes)
    hasCacheStatus = roles.contains(.cacheStatus)
    isCacheLog = roles.contains(.operation)
  }

  var queryHint: (text: String, option: String?)? { options.query == .keep ? parameters.hint : nil }

  static func columns(of roles: Set<WebRole>) -> TraceColumns {
    var columns: TraceColumns = [.operation]
    if roles.contains(.bytes) { columns.insert(.size) }
    if !roles.isDisjoint(with: WebRole.times) { columns.insert(.time) }
    if !roles.isDisjoint(with: [.cacheControl, .expires, .ttl]) { columns.insert(.ttl) }
    if !roles.isDisjoint(with: WebRole.costs) { columns.insert(.cost) }
    return columns
  }

  @inline(__always) func record(_ line: borrowing WebLine) -> Outcome {
    var (method, target) = (line[.method], line[.target])
    if target.isEmpty { target = line[.path] }
    if target.isEmpty {
      guard let request = RequestLine(line[.request]) else {
        return .skipped("they have no method and path")
      }
      (method, target) = (request.method, request.target)
    } else if method.isEmpty, !line[.request].isEmpty, let request = RequestLine(line[.request]) {
      method = request.method
    }
    var record = TraceRecord(key: 0)
    if let timeRole {
      guard let time = WebMapper.time(timeRole, line) else { return .bad(timeRole) }
      record.time = time
    }
    if isCacheLog { return cacheRecord(line, record) }
    guard let status = WebMapper.status(line[.status]) else { return .bad(.status) }
    guard let operation = operation(method, status) else {
      return .skipped(
        WebMapper.isPurge(method)
          ? "purges are no clients' requests (writes=invalidate applies successful ones)"
          : "they write (writes=skip)")
    }
    record.key = key(target, line)
    let isHead = method.count == 4 && method.next.pointee | 0x20 == 0x68
    record.operation = operation.rawValue
    guard setSize(line[.bytes], status, isHead: isHead, operation, &record) else {
      return .bad(.bytes)
    }
    if !line[.cutOff].isEmpty { record.isSizeKnown = false }
    if hasObjectBytes, operation != .bypass, !line[.objectBytes].isNothing {
      guard setSize(line[.objectBytes], 200, isHead: false, operation, &record) else {
        return .bad(.objectBytes)
      }
    }
    if hasLifetimes, operation == .get { setLifetime(line, &record) }
    setCost(line, &record)
    if hasCacheStatus, operation == .get || operation == .bypass {
      record.outcome = WebMapper.outcome(line[.cacheStatus])
    }
    return .record(record)
  }

  private static let hits = ["STALE", "UPDATING", "REVALIDATED", "TCP_REFRESH_UNMODIFIED", "1"]
    .map { Array($0.utf8) }

  private static func outcome(_ status: TextField) -> TraceRecord.Outcome {
    if status.isNothing { return .unknown }
    let isHit =
      (0..<max(0, status.count - 2)).contains { start in
        let end = status.next + start
        return end[0] | 0x20 == 0x68 && end[1] | 0x20 == 0x69 && end[2] | 0x20 == 0x74
      } || hits.contains { status.equals(upperCase: $0) }
    return isHit ? .hit : .miss
  }

  /// Request of a cache's own log: operations by words, and a TTL of 0 for none, as in tables.
  private func cacheRecord(_ line: borrowing WebLine, _ timed: TraceRecord) -> Outcome {
    var record = timed
    if !line[.operation].isNothing {
      guard case .operation(let known) = CsvOperations.all.meaning(of: line[.operation].text) else {
        return .skipped("unknown operation \(line[.operation].quoted)")
      }
      record.operation = known.rawValue
    }
    record.key = key(line[.target], line)
    guard setSize(line[.bytes], 200, isHead: false, .get, &record) else { return .bad(.bytes) }
    var ttl = line[.ttl]
    record.ttl = UInt32(clamping: ttl.takeInteger() ?? 0)
    setCost(line, &record)
    return .record(record)
  }

  @inline(__always) private func setCost(_ line: borrowing WebLine, _ record: inout TraceRecord) {
    guard let cost else { return }
    record.cost = CostField.sum(line[cost.role], times: cost.scale) ?? TraceRecord.unknownCost
  }

  @inline(__always) static func time(_ role: WebRole, _ line: borrowing WebLine) -> UInt64? {
    if let unit = role.timeUnit { return unit.microseconds(line[role]) }
    if role == .timestamp { return LogTime.microseconds(dateOrNumber: line[role]) }
    guard role == .date else { return LogTime.microseconds(line[.time]) }
    guard let day = LogTime.microseconds(line[.date]) else { return nil }
    var clock = DateText(line[.timeOfDay])
    guard let seconds = clock.clock(), let fraction = clock.fraction() else { return nil }
    return day + UInt64(seconds) * 1_000_000 + UInt64(fraction)
  }

  /// Status; 200 if none is logged, 0 for `-`, `-1` or 000, which mean that no response was sent.
  @inline(__always) private static func status(_ field: TextField) -> Int? {
    if field.isEmpty { return 200 }
    var rest = field
    if field.next.pointee == 0x2D { return 0 }
    guard field.count <= 3, let number = rest.takeInteger(), rest.isEmpty, number < 1000 else {
      return nil
    }
    return Int(number)
  }

  @inline(__always) private func operation(_ method: TextField, _ status: Int) -> Operation? {
    let isGet = method.isEmpty || (method.count == 3 && method.next.pointee | 0x20 == 0x67)
    let isRead = isGet ? readsGet : options.reads.contains { method.equals(upperCase: $0) }
    if isRead { return isCacheable[status] ? .get : .bypass }
    if WebMapper.isPurge(method) {
      return options.writes == .invalidate && (200..<400).contains(status) ? .delete : nil
    }
    let isWrite = WebMapper.writes.contains { method.equals(upperCase: $0) }
    guard isWrite else { return .bypass }
    switch options.writes {
    case .pass: return .bypass
    case .skip: return nil
    case .invalidate: return (200..<400).contains(status) ? .delete : .bypass
    }
  }

  private static let writes = ["PUT", "POST", "PATCH", "DELETE"].map { Array($0.utf8) }
  private static let purges = ["PURGE", "BAN", "FASTLYPURGE"].map { Array($0.utf8) }

  private static func isPurge(_ method: TextField) -> Bool {
    purges.contains { method.equals(upperCase: $0) }
  }

  /// A 200 or 203 with its body has the size of the complete object. The size of a partial or other
  /// response is used only for objects without another size; a 304 and the response to a HEAD have
  /// no size.
  @inline(__always) private func setSize(
    _ field: TextField, _ status: Int, isHead: Bool, _ operation: Operation,
    _ record: inout TraceRecord
  ) -> Bool {
    var rest = field
    let isNone = field.isEmpty || (field.count == 1 && field.next.pointee == 0x2D)
    var bytes: UInt32 = 0
    if !isNone {
      guard let number = rest.takeInteger(), rest.isEmpty else { return false }
      bytes = UInt32(clamping: number)
    }
    record.size = bytes
    if operation == .bypass { return true }
    // The response to a removal is not the object.
    let isBodiless = status == 304 || isHead || operation == .delete
    record.isSizeKnown = !isNone && (status == 200 || status == 203) && !isBodiless
    if isBodiless { record.size = 0 }
    return true
  }

  /// Sets the TTL from the response headers; a response that must not be stored bypasses the cache.
  private func setLifetime(_ line: borrowing WebLine, _ record: inout TraceRecord) {
    let control = CacheControl(line[.cacheControl])
    var seconds: UInt64?
    if control.forbids {
      seconds = 0
    } else if let age = control.seconds {
      seconds = age
    } else if !line[.expires].isNothing {
      let end = LogTime.microseconds(line[.expires]) ?? 0
      seconds = end > record.time ? (end - record.time) / 1_000_000 : 0
    } else {
      var rest = line[.ttl]
      seconds = rest.takeInteger()
    }
    guard let seconds else { return }
    if seconds == 0 { record.operation = Operation.bypass.rawValue }
    record.ttl = UInt32(clamping: seconds)
  }

  @inline(__always) private func key(_ target: TextField, _ line: borrowing WebLine) -> UInt64 {
    let host = options.hasHost ? line[.host] : TextField(target.end, target.end)
    var query = line[.query]
    if !query.isEmpty, query.next.pointee == 0x3F { query.skip() }
    if parameters.isOpen { parameters.add(target, query, host) }
    let server = WebMapper.server(of: target)
    let isPlain = host.isNothing && query.isNothing && server.isEmpty
    let showsParts = KeyTexts.isOn.load(ordering: .relaxed)
    if isPlain, options.query == .keep, !options.ignoresCase, !showsParts {
      return KeyHash.key(target)
    }
    text.clear()
    if !host.isNothing { text.append(host, lowercased: true) }
    text.append(server, lowercased: true)
    let mark = target.find(0x3F)
    let path = TextField(server.end, mark ?? target.end)
    text.append(path, lowercased: options.ignoresCase)
    if let mark, mark + 1 < target.end || query.isNothing {
      query = TextField(mark + 1, target.end)
    }
    text.append(query, by: options.query, lowercased: options.ignoresCase)
    let key = text.key
    if showsParts {
      let whole = TextField(target.next, path.end)
      KeyTexts.add(key, parts: ["host": host, "path": whole, "query": query])
    }
    return key
  }
}

extension WebMapper {
  /// Scheme and host of a whole URL with upper-case letters, which do not matter; empty for others.
  @inline(__always) fileprivate static func server(of target: TextField) -> TextField {
    let none = TextField(target.next, target.next)
    guard !target.isEmpty, target.next.pointee != 0x2F, let colon = target.find(0x3A),
      target.end - colon > 3, colon[1] == 0x2F, colon[2] == 0x2F
    else { return none }
    let rest = TextField(colon + 3, target.end)
    let server = TextField(target.next, rest.find(0x2F) ?? rest.find(0x3F) ?? rest.end)
    let hasUpperCase = (0..<server.count).contains { server.next[$0] &- 0x41 < 26 }
    return hasUpperCase ? server : none
  }
}

/// Request line of HTTP: `GET /a?b HTTP/1.1`.
struct RequestLine {
  let method: TextField
  let target: TextField

  /// Nil without method and target, as when a client sent nothing or something other than HTTP.
  @inline(__always) init?(_ line: TextField) {
    guard let blank = line.find(0x20) else { return nil }
    method = TextField(line.next, blank)
    guard !method.isEmpty, method.next.pointee &- 0x41 < 26 else { return nil }
    var end = line.end
    let start = blank + 1
    // The protocol follows the last blank. A target that contains blanks keeps them.
    var last = end
    while last > start, last[-1] != 0x20 { last -= 1 }
    if last > start, line.end - last >= 4, last[0] == 0x48, last[1] == 0x54 { end = last - 1 }
    guard end > start else { return nil }
    target = TextField(start, end)
  }
}

/// `Cache-Control` header of a response, from the view of a shared cache (RFC 9111).
struct CacheControl {
  /// True if the response must not be stored, or not be used without revalidation.
  private(set) var forbids = false
  /// Freshness lifetime in seconds: `s-maxage`, or else `max-age`.
  private(set) var seconds: UInt64?

  private static let forbidding: [StaticString] = ["no-store", "private", "no-cache"]

  init(_ header: TextField) {
    var rest = header
    var isShared = false
    while !rest.isEmpty {
      let directive = CacheControl.takeDirective(&rest)
      let equals = directive.find(0x3D)
      let name = TextField(directive.next, equals ?? directive.end)
      if CacheControl.forbidding.contains(where: { name.equals(anyCase: $0) }) {
        // `private="name"` forbids only a header.
        if equals == nil { forbids = true }
      } else if let equals, name.equals(anyCase: "s-maxage") {
        seconds = CacheControl.number(TextField(equals + 1, directive.end)) ?? seconds
        isShared = true
      } else if let equals, !isShared, name.equals(anyCase: "max-age") {
        seconds = CacheControl.number(TextField(equals + 1, directive.end)) ?? seconds
      }
    }
  }

  /// Consumes a directive and its comma; a quoted argument may contain commas.
  private static func takeDirective(_ rest: inout TextField) -> TextField {
    let start = rest.next
    var isQuoted = false
    while let byte = rest.takeByte() {
      if byte == 0x22 { isQuoted.toggle() }
      if byte == 0x2C, !isQuoted { return TextField(start, rest.next - 1).trimmed }
    }
    return TextField(start, rest.next).trimmed
  }

  private static func number(_ field: TextField) -> UInt64? {
    var rest = field
    if !rest.isEmpty, rest.next.pointee == 0x22 { rest.skip() }
    return rest.takeInteger()
  }
}
