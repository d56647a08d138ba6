import LarderEngine

/// Turns the fields of a line of a web log into a request, by the options that all web logs share.
struct WebMapper {
  /// What a line comes to.
  enum Outcome {
    case record(TraceRecord)
    /// Left out on purpose, for this reason.
    case skipped(String)
    /// The field of the role cannot be read.
    case bad(WebRole)
  }

  private let options: WebOptions
  private let timeRole: WebRole?
  /// The first of these that a line has is its cost.
  private let costs: [(role: WebRole, scale: Double)]
  private let hasLifetimes: Bool
  private let hasObjectBytes: Bool
  private let readsGet: Bool
  /// By status.
  private let isCacheable: [Bool]
  private let text = KeyText()

  /// A mapper for lines with these roles.
  ///
  /// - Parameter takesAnyCost: each line has one of several costs; otherwise the surest of the
  ///   roles is the cost of all lines.
  init(_ options: WebOptions, roles: Set<WebRole>, takesAnyCost: Bool = false) {
    self.options = options
    readsGet = options.reads.contains(Array("GET".utf8))
    isCacheable = (0..<1000).map { options.cacheable.contains($0) }
    timeRole = WebRole.times.first { roles.contains($0) }
    let costs = WebRole.costs.filter { roles.contains($0) }.map { role in
      (role: role, scale: role.costMilliseconds ?? 0)
    }
    self.costs = takesAnyCost ? costs : Array(costs.prefix(1))
    hasLifetimes = !roles.isDisjoint(with: [.cacheControl, .expires, .ttl])
    hasObjectBytes = roles.contains(.objectBytes)
  }

  /// The columns that lines with these roles fill.
  static func columns(of roles: Set<WebRole>) -> TraceColumns {
    var columns: TraceColumns = [.operation]
    if roles.contains(.bytes) { columns.insert(.size) }
    if !roles.isDisjoint(with: WebRole.times) { columns.insert(.time) }
    if !roles.isDisjoint(with: [.cacheControl, .expires, .ttl]) { columns.insert(.ttl) }
    if !roles.isDisjoint(with: WebRole.costs) { columns.insert(.cost) }
    return columns
  }

  /// The request that a line tells of.
  @inline(__always)
  func record(_ line: borrowing WebLine) -> Outcome {
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
      guard let time = time(timeRole, line) else { return .bad(timeRole) }
      record.time = time
    }
    guard let status = WebMapper.status(line[.status]) else { return .bad(.status) }
    guard let operation = operation(method, status) else {
      return .skipped("they write (writes=skip)")
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
    if !costs.isEmpty { record.cost = cost(line) }
    return .record(record)
  }

  @inline(__always)
  private func cost(_ line: borrowing WebLine) -> Float {
    for cost in costs where !line[cost.role].isEmpty {
      return CostField.sum(line[cost.role], times: cost.scale) ?? TraceRecord.unknownCost
    }
    return TraceRecord.unknownCost
  }

  @inline(__always)
  private func time(_ role: WebRole, _ line: borrowing WebLine) -> UInt64? {
    if let unit = role.timeUnit { return unit.microseconds(line[role]) }
    if role == .timestamp { return LogTime.microseconds(dateOrNumber: line[role]) }
    guard role == .date else { return LogTime.microseconds(line[.time]) }
    guard let day = LogTime.microseconds(line[.date]) else { return nil }
    var clock = DateText(line[.timeOfDay])
    guard let seconds = clock.clock(), let fraction = clock.fraction() else { return nil }
    return day + UInt64(seconds) * 1_000_000 + UInt64(fraction)
  }

  /// The status; 200 where none is logged, 0 for `-` or 000, which an answer that never was has.
  @inline(__always)
  private static func status(_ field: TextField) -> Int? {
    if field.isEmpty { return 200 }
    var rest = field
    if field.count == 1, field.next.pointee == 0x2D { return 0 }
    guard field.count <= 3, let number = rest.takeInteger(), rest.isEmpty, number < 1000 else {
      return nil
    }
    return Int(number)
  }

  /// What a request does; nil when it is left out.
  @inline(__always)
  private func operation(_ method: TextField, _ status: Int) -> Operation? {
    let isGet = method.isEmpty || (method.count == 3 && method.next.pointee | 0x20 == 0x67)
    let isRead = isGet ? readsGet : options.reads.contains { method.equals(upperCase: $0) }
    if isRead { return isCacheable[status] ? .get : .bypass }
    let isWrite = WebMapper.writes.contains { method.equals(upperCase: $0) }
    guard isWrite else { return .bypass }
    switch options.writes {
    case .pass: return .bypass
    case .skip: return nil
    case .invalidate: return (200..<400).contains(status) ? .delete : .bypass
    }
  }

  private static let writes = ["PUT", "POST", "PATCH", "DELETE"].map { Array($0.utf8) }

  /// The size of a whole object is that of a 200 or 203 with its body. What a part or another
  /// answer has stands in where an object has no other; a 304 and the answer to a HEAD say nothing.
  @inline(__always)
  private func setSize(
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
    record.isSizeKnown = !isNone && (status == 200 || status == 203) && !isHead
    if status == 304 || isHead { record.size = 0 }
    return true
  }

  /// Seconds to live by the headers of the answer; an answer that may not be kept passes.
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

  /// The key of what was asked for.
  @inline(__always)
  private func key(_ target: TextField, _ line: borrowing WebLine) -> UInt64 {
    let host = options.hasHost ? line[.host] : TextField(target.end, target.end)
    var query = line[.query]
    if !query.isEmpty, query.next.pointee == 0x3F { query.skip() }
    if host.isNothing, query.isNothing, options.query == .keep, !options.ignoresCase {
      return KeyHash.key(target)
    }
    text.clear()
    if !host.isNothing { text.append(host, lowercased: true) }
    let mark = target.find(0x3F)
    let path = TextField(target.next, mark ?? target.end)
    text.append(path, lowercased: options.ignoresCase)
    let inner = mark.map { TextField($0 + 1, target.end) }
    text.append(
      inner.map { $0.isEmpty ? query : $0 } ?? query, by: options.query,
      lowercased: options.ignoresCase)
    return text.key
  }
}
