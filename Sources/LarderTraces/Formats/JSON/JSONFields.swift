import LarderEngine
internal import LarderSupport

/// Roles of the keys of a log in JSON lines.
struct JSONFields: Sendable {
  /// A key, with dots into inner objects, and its role.
  struct Field: Sendable, Equatable {
    var name: String
    var key: JSONRole
    var role: WebRole
  }

  private(set) var fields: [Field] = []
  /// Usual names of roles that no key of the first lines has; the first one to appear is read.
  private(set) var late: [Field] = []
  /// True if names that differ by case, `-` and `_` are different.
  private(set) var isExact = false
  /// True if a URL, a request line or a key given by the user is the requested object.
  private(set) var isSure = false
  private(set) var understanding: [String] = []
  /// True for a cache's own log, whose keys mean what they mean as columns of a table.
  private(set) var isCacheLog = false

  /// Object that holds the keys, with a trailing dot; empty for the outermost one.
  private var prefix = ""
  private var costUnit: TimeUnit?
  private var findings: [String] = []

  /// Fields given by the user, or those with usual names in the first lines.
  ///
  /// - Throws: when no field identifies the requested object.
  init(options given: ParameterReader, keys: JSONKeys, path: String) throws {
    costUnit = try given.choice("cost-unit", of: TimeUnit.self)
    let timeUnit = try given.choice(Parameter.timeUnit.name, of: TimeUnit.self)
    var names: [JSONRole: String] = [:]
    for role in JSONRole.allCases { names[role] = given.text(role.rawValue) }
    addTarget(keys, names)
    guard keys.objects * 2 >= keys.lines,
      fields.contains(where: { $0.key == .id || $0.key == .request })
    else {
      throw JSONFields.error(keys, path)
    }
    isCacheLog = isOwnLog(keys, names)
    for role in JSONRole.allCases where isRead(role) && ![.id, .request].contains(role) {
      if let name = names[role] {
        if name != "-" { fields.append(named(name, role, keys)) }
      } else if role == .cost {
        addCost(keys)
      } else if let key = choose(role, keys) {
        fields.append(Field(name: key.name, key: role, role: role.webRole))
      }
    }
    addRequestLine(keys, names)
    splitDate(keys, names)
    if let timeUnit {
      for index in fields.indices where fields[index].role == .timestamp {
        fields[index].role = JSONFields.role(of: timeUnit)
      }
    }
    let read = Set(fields.map(\.name))
    isExact = fields.contains { keys.keys(named: $0.name).count > 1 }
    // Keys that have values already and were not chosen mean something else.
    addLate(names, read.union(keys.all.filter { !$0.values.isEmpty }.map(\.name)))
    understanding = sentences(keys, names, read)
  }

  /// Error for lines without usable keys.
  private static func error(_ keys: JSONKeys, _ path: String) -> TraceError {
    let advice = "name it, as in --format json-lines:id=url:time=ts:status=code:size=bytes"
    guard keys.objects > 0, keys.objects * 2 >= keys.lines else {
      return TraceError(
        "expected a JSON object in each line", in: path, at: .line(1),
        advice: "convert an object with jq -c, a list of them with jq -c '.[]'")
    }
    return TraceError(
      "JSON lines without a known key for a path, URL or id; keys: "
        + JSONKeys.list(keys.all.map(\.name), limit: 40),
      in: path, at: .line(1), advice: advice)
  }

  /// Chooses the requested object: a URL, a request line, a path, or an id.
  private mutating func addTarget(_ keys: JSONKeys, _ names: [JSONRole: String]) {
    if let name = names[.id], name != "-" {
      fields.append(named(name, .id, keys))
      isSure = true
      return
    }
    if let name = names[.request], name != "-" {
      fields.append(named(name, .request, keys))
      isSure = true
      return
    }
    let sure =
      JSONRole.urls.map { ($0, JSONRole.id) } + JSONRole.requestLines.map { ($0, .request) }
    let all = sure + JSONRole.paths.map { ($0, .id) }
    for prefix in [""] + keys.prefixes {
      self.prefix = prefix
      let found = candidates(all, keys)
      guard let first = found.first else { continue }
      // An inner object may be anything; a request also has a method or a status.
      guard
        prefix.isEmpty || choose(.method, keys, inside: true) != nil
          || choose(.status, keys, inside: true) != nil
      else { continue }
      fields.append(Field(name: first.key.name, key: first.role, role: first.role.webRole))
      isSure = first.rank < sure.count
      return
    }
    prefix = ""
    addID(keys, JSONRole.ids)
  }

  private mutating func addID(_ keys: JSONKeys, _ names: [String]) {
    let found = candidates(names.map { ($0, .id) }, keys)
    let chosen = ObjectColumn.choose(found.map(\.key.values))
    guard let key = chosen.map({ found[$0].key }) else { return }
    if let first = found.first?.key, first.name != key.name {
      findings.append(ObjectColumn.note(first.name, key.name, count: first.values.count))
    }
    fields.append(Field(name: key.name, key: .id, role: .target))
  }

  /// True for gets, sets and deletes of keys by words that tables have as well, without a status.
  private func isOwnLog(_ keys: JSONKeys, _ names: [JSONRole: String]) -> Bool {
    if let name = names[.operation] { return name != "-" }
    guard names[.status] == nil, names[.method] == nil, choose(.status, keys) == nil else {
      return false
    }
    let target = fields.first.map { JSONNameTree.folded($0.name) }
    if JSONRole.ids.contains(where: { JSONNameTree.folded($0) == target }) { return true }
    let methods = JSONRole.methods.map(JSONNameTree.folded)
    return choose(.operation, keys).map { !methods.contains($0.folded) } ?? false
  }

  /// True for roles that the log has: a cache's own log has no hosts and no statuses.
  private func isRead(_ role: JSONRole) -> Bool {
    isCacheLog ? CsvRole(rawValue: role.rawValue) != nil : role != .operation
  }

  /// Keys with these names whose values fit, surest first, without rare ones.
  private func candidates(
    _ names: [(name: String, role: JSONRole)], _ keys: JSONKeys
  ) -> [(key: JSONKeys.Key, role: JSONRole, rank: Int)] {
    var found: [(key: JSONKeys.Key, role: JSONRole, rank: Int)] = []
    for (rank, (name, role)) in names.enumerated() {
      for key in keys.keys(named: prefix + name) where !key.values.isEmpty {
        let fitting = key.count { value in
          guard role == .id, name == "request" else { return role.accepts(value) }
          return value.find(0x20) == nil && value.find(0x2F) != nil
        }
        if fitting * 2 > key.values.count { found.append((key, role, rank)) }
      }
    }
    let most = found.map(\.key.values.count).max() ?? 0
    return found.filter { $0.key.values.count * 2 >= most }
  }

  /// Surest key of a role whose values fit.
  ///
  /// - Parameter inside: only keys of the object that holds the requested URL or id.
  private func choose(_ role: JSONRole, _ keys: JSONKeys, inside: Bool = false) -> JSONKeys.Key? {
    let places = prefix.isEmpty || inside ? [prefix] : [prefix, ""]
    var present: [JSONKeys.Key] = []
    // A cache's own log may have the names of a table.
    let more = isCacheLog ? CsvRole(rawValue: role.rawValue)?.usualNames ?? [] : []
    for place in places {
      present += (role.names + more).flatMap { keys.keys(named: place + $0) }
    }
    present.removeAll { key in fields.contains { $0.name == key.name } }
    let fitting = present.filter { key in
      key.count(where: role.accepts) * 2 > key.values.count
    }
    let most = fitting.map(\.count).max() ?? 0
    if let key = fitting.first(where: { $0.count * 2 >= most }) { return key }
    // An unreadable time or status is an error at its line, not a missing field.
    let named = present.first { key in
      role == .status
        ? key.folded.hasSuffix("status")
        : role == .time && ["ts", "time", "timestamp", "@timestamp"].contains(key.folded)
    }
    return inside || named?.values.isEmpty == true ? nil : named
  }

  private func named(_ name: String, _ role: JSONRole, _ keys: JSONKeys) -> Field {
    let found = keys.key(name)
    var web = role.webRole
    if role == .cost {
      let folded = JSONNameTree.folded(name)
      let known = JSONCost.known(folded) ?? JSONCost.known(folded.lastPart)
      let unit = costUnit ?? known?.unit ?? .milliseconds
      web = JSONCost.role(isOrigin: true, unit)
    }
    return Field(name: found?.name ?? name, key: role, role: web)
  }

  /// Takes the method from the request line if no key has it.
  private mutating func addRequestLine(_ keys: JSONKeys, _ names: [JSONRole: String]) {
    guard names[.request] == nil, !isCacheLog,
      !fields.contains(where: { [.method, .request].contains($0.key) }),
      let line = candidates(JSONRole.requestLines.map { ($0, .request) }, keys).first
    else { return }
    if !fields.contains(where: { $0.name == line.key.name }) {
      fields.append(Field(name: line.key.name, key: .request, role: .request))
    }
  }

  private mutating func splitDate(_ keys: JSONKeys, _ names: [JSONRole: String]) {
    guard names[.time] == nil, let index = fields.firstIndex(where: { $0.role == .timestamp }),
      let day = keys.key(prefix + "date"), let clock = keys.key(prefix + "time"),
      fields[index].name == day.name || fields[index].name == clock.name,
      clock.count(where: { $0.find(0x3A) == $0.next + 2 }) * 2 > clock.values.count
    else { return }
    fields[index] = Field(name: day.name, key: .time, role: .date)
    fields.append(Field(name: clock.name, key: .time, role: .timeOfDay))
  }

  private static func role(of unit: TimeUnit) -> WebRole {
    switch unit {
    case .seconds: .seconds
    case .milliseconds: .milliseconds
    case .microseconds: .microseconds
    case .nanoseconds: .nanoseconds
    }
  }
}

extension JSONFields {
  private mutating func addCost(_ keys: JSONKeys) {
    typealias Found = (rank: Int, key: JSONKeys.Key, cost: JSONCost, unit: TimeUnit?)
    var found: [Found] = []
    for key in keys.all where !fields.contains(where: { $0.name == key.name }) {
      var name = key.folded
      let start = JSONNameTree.folded(prefix)
      if !start.isEmpty, name.hasPrefix(start) { name.removeFirst(start.count) }
      guard let known = JSONCost.known(name) else { continue }
      let fitting = key.count(where: JSONRole.cost.accepts)
      // The origin's time may be missing in all of the first lines, if they are hits.
      guard fitting * 2 > key.values.count || (key.values.isEmpty && known.cost.isOrigin) else {
        continue
      }
      found.append((known.rank, key, known.cost, known.unit))
    }
    let isOrigin = found.contains { $0.cost.isOrigin }
    found.removeAll { $0.cost.isOrigin != isOrigin }
    let most = found.map(\.key.count).max() ?? 0
    let best = found.filter { $0.key.count * 2 >= most }.min { $0.rank < $1.rank }
    guard let best else { return }
    let unit = costUnit ?? best.unit ?? guessedUnit(of: best.key, keys)
    fields.append(
      Field(name: best.key.name, key: .cost, role: JSONCost.role(isOrigin: isOrigin, unit)))
  }

  /// Unit of a duration whose name does not give it.
  private func guessedUnit(of key: JSONKeys.Key, _ keys: JSONKeys) -> TimeUnit {
    let name = key.folded.lastPart
    let isDecimal = key.values.contains { $0.contains(0x2E) || $0.contains(0x65) }
    if name == "duration" {
      if keys.key("DownstreamStatus") != nil || keys.key("OriginStatus") != nil {
        return .nanoseconds
      }
      // Envoy uses milliseconds where Caddy uses seconds.
      if keys.key("response_code") != nil { return .milliseconds }
    }
    if name == "timetaken", keys.key("x-edge-location") != nil { return .seconds }
    // Next to nginx's own time, the upstream time is in nginx's unit; Node writes milliseconds.
    if name == "responsetime" {
      let isNginx = keys.key("request_time")?.values.contains { $0.contains(0x2E) } ?? false
      return isNginx ? .seconds : .milliseconds
    }
    if isDecimal { return .seconds }
    let isLarge = key.values.contains { $0.withField { ($0.text.asNumber ?? 0) >= 10 } }
    return isLarge || name == "timetaken" ? .milliseconds : .seconds
  }

  /// Adds names of roles that the first lines do not have.
  private mutating func addLate(_ names: [JSONRole: String], _ read: Set<String>) {
    let roles: [JSONRole] = [
      .method, .host, .query, .status, .size, .cacheControl, .expires, .ttl, .cost, .cacheStatus,
      .operation,
    ].filter(isRead)
    let known = Set(read.map(JSONNameTree.folded))
    let hasLine = fields.contains { $0.key == .request }
    for role in roles where names[role] == nil && !fields.contains(where: { $0.key == role }) {
      if role == .method, hasLine { continue }
      var found: [Field] = []
      if role == .cost {
        found = lateCosts
      } else {
        found = role.names.map { Field(name: prefix + $0, key: role, role: role.webRole) }
        if !prefix.isEmpty {
          found += role.names.map { Field(name: $0, key: role, role: role.webRole) }
        }
      }
      late += found.filter { !known.contains(JSONNameTree.folded($0.name)) }
    }
  }

  private var lateCosts: [Field] {
    let endings = ["ms", "us", "ns", "s", "sec", "msec", "usec", "seconds"]
    return JSONCost.all.flatMap { cost -> [Field] in
      ([""] + endings).compactMap { ending in
        let name = cost.name + ending
        guard let known = JSONCost.known(JSONNameTree.folded(name)) else { return nil }
        let unit = costUnit ?? known.unit ?? .milliseconds
        return Field(
          name: prefix + name, key: .cost, role: JSONCost.role(isOrigin: cost.isOrigin, unit))
      }
    }
  }

  private func sentences(
    _ keys: JSONKeys, _ names: [JSONRole: String], _ read: Set<String>
  ) -> [String] {
    var sentences = findings + ["keys read: " + fields.map(\.text).joined(separator: ", ")]
    let ids = JSONRole.ids.map(JSONNameTree.folded)
    let isID = fields.contains { field in
      field.key == .id && names[.id] == nil && ids.contains(JSONNameTree.folded(field.name))
    }
    for role in JSONRole.allCases {
      guard let absence = role.absence, !fields.contains(where: { $0.key == role }),
        names[role] == nil
      else { continue }
      if role == .method, fields.contains(where: { $0.key == .request }) { continue }
      if isID || isCacheLog, ![.time, .size].contains(role) { continue }
      if role == .host, hasWholeURLs(keys) { continue }
      if role == .query, hasQueries(keys) { continue }
      var text = "\(absence); name its key with json-lines:\(role.rawValue)=KEY"
      let wrong = role.names.lazy.flatMap { keys.keys(named: prefix + $0) }
        .first { !$0.values.isEmpty && !read.contains($0.name) }
      if let wrong, let value = wrong.values.first {
        text += " (\(wrong.name) is ignored because of its value \(TextField.quote(value)))"
      }
      sentences.append(text)
    }
    let unused = keys.all.map(\.name).filter { !read.contains($0) }
    if !unused.isEmpty { sentences.append("keys not used: \(JSONKeys.list(unused))") }
    if !unused.isEmpty, isID, let id = fields.first.flatMap({ keys.key($0.name) }),
      let doubt = ObjectColumn.doubt(id.name, id.values)
    {
      sentences.append("\(doubt) with json-lines:id=KEY")
    }
    return sentences
  }

  private func hasWholeURLs(_ keys: JSONKeys) -> Bool {
    targets(keys).contains { $0.withField { $0.find(Array("://".utf8)) != nil } }
  }

  private func hasQueries(_ keys: JSONKeys) -> Bool { targets(keys).contains { $0.contains(0x3F) } }

  private func targets(_ keys: JSONKeys) -> [[UInt8]] {
    fields.first { $0.role == .target || $0.role == .request }.flatMap { keys.key($0.name) }?
      .values ?? []
  }
}

extension JSONFields.Field {
  /// True for a TTL, or a header that contains one.
  var isLifetime: Bool { [.cacheControl, .expires, .ttl].contains(key) }

  /// `cost=duration (s)`.
  var text: String {
    let unit: String? =
      switch role {
      case .originSeconds, .totalSeconds, .seconds: "s"
      case .originMilliseconds, .totalMilliseconds, .milliseconds: "ms"
      case .originMicroseconds, .totalMicroseconds, .microseconds: "us"
      case .originNanoseconds, .totalNanoseconds, .nanoseconds: "ns"
      default: nil
      }
    return "\(key.rawValue)=\(JSONKeys.list([name]))" + (unit.map { " (\($0))" } ?? "")
  }
}

extension String {
  /// Part after the last dot.
  fileprivate var lastPart: String { split(separator: ".").last.map { String($0) } ?? self }
  fileprivate var asNumber: Double? { Double(self) }
}

extension JSONFields: WebLayout {
  /// Late lifetimes are read only if there are others: a trace either has TTLs or does not.
  var roles: Set<WebRole> {
    let others = late.filter { readsLifetimes || !$0.isLifetime }
    return Set((fields + others).map(\.role) + (isCacheLog ? [.operation] : []))
  }

  /// True if the first lines have a TTL or a header that contains one.
  var readsLifetimes: Bool { fields.contains(where: \.isLifetime) }

  var takesAnyCost: Bool { !fields.contains { $0.key == .cost } }

  func reader() -> Reader { Reader(self) }
}

extension JSONFields {
  struct Reader: WebLineReader {
    private let layout: JSONFields
    private let fields: [Field]
    private let scanner: JSONLineScanner
    /// Roles that are cleared before each line.
    private let roles: [WebRole]
    /// Index of the field that is read, by role; -1 if none is yet.
    private var chosen: [Int]
    private var pending: [Int]
    private let places: [Int]
    private let copies: [(index: Int, original: Int)]
    private let isLate: [Bool]
    private let status: Int
    private var count = 0
    private var notes: [String] = []
    private var withoutStatus = 0

    init(_ layout: JSONFields) {
      self.layout = layout
      fields = layout.fields + layout.late
      scanner = JSONLineScanner(fields.map(\.name), isExact: layout.isExact)
      roles = Array(layout.roles).sorted { $0.rawValue < $1.rawValue }
      places = fields.map { JSONRole.allCases.firstIndex(of: $0.key) ?? 0 }
      isLate = fields.indices.map { $0 >= layout.fields.count }
      copies = layout.fields.indices.compactMap { [fields] index in
        let original = fields.firstIndex { $0.name == fields[index].name } ?? index
        return original < index ? (index, original) : nil
      }
      status = JSONRole.allCases.firstIndex(of: .status) ?? 0
      chosen = Array(repeating: -1, count: JSONRole.allCases.count)
      pending = chosen
      for index in layout.fields.indices { chosen[places[index]] = index }
    }

    mutating func read(_ line: TextField, into values: borrowing WebLine) -> WebLineKind {
      count += 1
      if line.trimmed.isEmpty { return .none }
      guard scanner.scan(line) else { return .bad }
      for role in roles { values[role] = TextField(line.end, line.end) }
      var hasPending = false
      for index in scanner.found {
        let value = scanner.value(index)
        if value.isEmpty { continue }
        let place = places[index]
        if !isLate[index] || chosen[place] == index {
          put(value, of: index, into: values)
        } else if chosen[place] < 0, pending[place] < 0 || index < pending[place],
          !value.isNothing, fields[index].key.accepts(value)
        {
          pending[place] = index
          hasPending = true
        }
      }
      for copy in copies { put(scanner.value(copy.original), of: copy.index, into: values) }
      if hasPending { choosePending(values) }
      if chosen[status] >= 0, values[.status].isEmpty,
        !values[.target].isEmpty || !values[.request].isEmpty
      {
        withoutStatus += 1
      }
      return .request
    }

    private mutating func choosePending(_ values: borrowing WebLine) {
      for place in pending.indices where pending[place] >= 0 {
        let index = pending[place]
        chosen[place] = index
        pending[place] = -1
        let field = fields[index]
        if field.isLifetime, !layout.readsLifetimes {
          notes.append(
            "\(JSONKeys.list([field.name])) first appears in line \(count) and is ignored; to "
              + "read it, use json-lines:\(field.key.rawValue)=KEY")
          continue
        }
        put(scanner.value(index), of: index, into: values)
        notes.append("\(field.text) is read from line \(count) on, where it first appears")
      }
    }

    @inline(__always) private func put(
      _ value: TextField, of index: Int, into values: borrowing WebLine
    ) {
      let role = fields[index].role
      switch role {
      case .status, .bytes: values[role] = Reader.whole(value)
      case .target, .request, .method, .host, .cacheControl, .expires:
        if !value.isNothing { values[role] = value }
      default: values[role] = value
      }
    }

    /// The whole part: `200` of `200.0`.
    @inline(__always) private static func whole(_ value: TextField) -> TextField {
      guard value.count > 2, value.end[-1] == 0x30, let point = value.find(0x2E),
        TextField(point, value.end).isZeroFraction
      else { return value }
      return TextField(value.next, point)
    }

    func problem(_ line: TextField) -> String {
      "expected a JSON object in one line, found \(line.quoted)"
    }

    var remarks: [String] {
      var all = layout.understanding.filter { sentence in
        // A key that first appeared later is not missing.
        !JSONRole.allCases.contains { role in
          guard let absence = role.absence, chosen[places(of: role)] >= 0 else { return false }
          return sentence.hasPrefix(absence)
        }
      }
      all += notes
      if withoutStatus > 0, let field = fields.first(where: { $0.key == .status }) {
        let name = chosen[status] >= 0 ? fields[chosen[status]].name : field.name
        all.append(
          "\(NumberText.counted(withoutStatus, "line")) without \(name) "
            + (withoutStatus == 1 ? "counts as 200" : "count as 200"))
      }
      return all.map { "JSON lines: \($0)." }
    }

    private func places(of role: JSONRole) -> Int { JSONRole.allCases.firstIndex(of: role) ?? 0 }
  }
}
