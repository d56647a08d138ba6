import LarderEngine
internal import LarderSupport

struct JSONFields: Sendable {
  /// A key, with dots into inner objects, and its role.
  struct Field: Sendable, Equatable {
    var name: String
    var key: JSONRole
    var role: WebRole

    init(_ name: String, _ key: JSONRole, _ role: WebRole? = nil) {
      (self.name, self.key, self.role) = (name, key, role ?? key.row.web)
    }

    /// `cost=duration (s)`.
    var text: String {
      let unit = role.timeUnit ?? role.costUnit
      return "\(key.rawValue)=\(JSONKeys.list([name]))" + (unit.map { " (\($0.rawValue))" } ?? "")
    }
  }

  private(set) var fields: [Field] = []
  /// True if names that differ by case and signs are different.
  private(set) var isExact = false
  /// True if a URL, a request line or a key given by the user is the requested object.
  private(set) var isSure = false
  private(set) var understanding: [String] = []
  /// True for a cache's own log, whose keys mean what they mean as columns of a table.
  private(set) var isCacheLog = false

  private let keys: JSONKeys
  private let given: [JSONRole: String]
  /// Object that holds the keys, with a trailing dot; empty for the outermost one.
  private var prefix = ""
  private let costUnit: TimeUnit?

  init(options: ParameterReader, keys: JSONKeys, path: String) throws {
    self.keys = keys
    costUnit = try options.choice("cost-unit", of: TimeUnit.self)
    let timeUnit = try options.choice(Parameter.timeUnit.name, of: TimeUnit.self)
    var given: [JSONRole: String] = [:]
    for role in JSONRole.allCases { given[role] = options.text(role.rawValue) }
    self.given = given
    addTarget()
    guard keys.objects * 2 >= keys.lines, has(.id) || has(.request) else {
      throw JSONFields.error(keys, path)
    }
    isCacheLog = isOwnLog
    for role in JSONRole.allCases where isRead(role) && ![.id, .request].contains(role) {
      if let name = given[role] {
        if name != "-" { fields.append(named(name, role)) }
      } else if role == .cost {
        addCost()
      } else if let key = choose(role) {
        fields.append(Field(key.name, role))
      }
    }
    addRequestLine()
    splitDate()
    for index in fields.indices where fields[index].role == .timestamp {
      if let unit = timeUnit { fields[index].role = .role(.seconds, in: unit) }
    }
    isExact = fields.contains { keys.keys(named: $0.name).count > 1 }
    understanding += sentences
  }

  /// True if the requested object is a URL or path.
  var isURL: Bool {
    let ids = JSONRole.ids.map(JSONNameTree.folded)
    return !fields.contains { $0.key == .id && ids.contains(JSONNameTree.folded($0.name)) }
  }

  private static func error(_ keys: JSONKeys, _ path: String) -> TraceError {
    guard keys.objects > 0, keys.objects * 2 >= keys.lines else {
      return TraceError(
        "expected a JSON object in each line, logfmt, or a table with a header", in: path,
        at: .line(1),
        advice: "name another format with --format")
    }
    return TraceError(
      "JSON lines without a known key for a path, URL or id; keys: "
        + JSONKeys.list(keys.all.map(\.name), limit: 40),
      in: path, at: .line(1),
      advice: "name it, as in --format \(keys.format):id=url:time=ts:status=code:size=bytes")
  }

  private func has(_ role: JSONRole) -> Bool { fields.contains { $0.key == role } }

  /// Chooses the requested object: a URL, a request line, a path, or an id.
  private mutating func addTarget() {
    for role in [JSONRole.id, .request] {
      guard let name = given[role], name != "-" else { continue }
      fields.append(named(name, role))
      isSure = true
      return
    }
    let sure =
      JSONRole.urls.map { ($0, JSONRole.id) } + JSONRole.requestLines.map { ($0, .request) }
    let pages = keys.table == nil ? [] : ["page", "page_path", "resource", "document"]
    let all = sure + (JSONRole.paths + pages).map { ($0, .id) }
    for prefix in [""] + keys.prefixes {
      self.prefix = prefix
      // An inner object may be anything; a request also has a method or a status.
      guard let first = candidates(all).first,
        prefix.isEmpty || choose(.method, inside: true) != nil
          || choose(.status, inside: true) != nil
      else { continue }
      fields.append(Field(first.key.name, first.role))
      isSure = first.rank < sure.count
      return
    }
    prefix = ""
    let found = candidates(JSONRole.ids.map { ($0, .id) })
    guard let key = ObjectColumn.choose(found.map(\.key.values)).map({ found[$0].key }) else {
      return
    }
    if let first = found.first?.key, first.name != key.name {
      understanding.append(ObjectColumn.note(first.name, key.name, count: first.values.count))
    }
    fields.append(Field(key.name, .id))
  }

  /// True for gets, sets and deletes of keys by words that tables have as well, without a status.
  private var isOwnLog: Bool {
    if let name = given[.operation] { return name != "-" }
    guard given[.status] == nil, given[.method] == nil, choose(.status) == nil else { return false }
    let target = fields.first.map { JSONNameTree.folded($0.name) }
    if JSONRole.ids.contains(where: { JSONNameTree.folded($0) == target }) { return true }
    let methods = JSONRole.methods.map(JSONNameTree.folded)
    return choose(.operation).map { !methods.contains($0.folded.lastPart) } ?? false
  }

  private func isRead(_ role: JSONRole) -> Bool {
    isCacheLog ? CsvRole(rawValue: role.rawValue) != nil : role != .operation
  }

  /// Keys with these names whose values fit, surest first, without rare ones.
  private func candidates(
    _ names: [(name: String, role: JSONRole)]
  ) -> [(key: JSONKeys.Key, role: JSONRole, rank: Int)] {
    var found: [(key: JSONKeys.Key, role: JSONRole, rank: Int)] = []
    for (rank, (name, role)) in names.enumerated() {
      for key in keys.keys(named: prefix + name) where !key.values.isEmpty {
        let fitting = key.count { value in
          if role == .id, JSONRole.request.accepts(value) { return false }
          guard role == .id, name == "request" else { return role.accepts(value) }
          return value.find(0x20) == nil && value.find(0x2F) != nil
        }
        if fitting * 2 > key.values.count { found.append((key, role, rank)) }
      }
    }
    let most = found.map(\.key.values.count).max() ?? 0
    return found.filter { $0.key.values.count * 2 >= most }
  }

  /// Surest key of a role whose values fit; `inside` the object that holds the requested URL or id.
  private func choose(_ role: JSONRole, inside: Bool = false) -> JSONKeys.Key? {
    // A cache's own log may have the names of a table.
    let more = isCacheLog || keys.table != nil ? CsvRole(rawValue: role.rawValue) : nil
    let names = role.row.names + (more?.usualNames ?? [])
    var present = (prefix.isEmpty || inside ? [prefix] : [prefix, ""]).flatMap { place in
      names.flatMap { keys.keys(named: place + $0) }
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
        : role == .time && ["ts", "time", "timestamp"].contains(key.folded)
    }
    return inside || named?.values.isEmpty == true ? nil : named
  }

  private func named(_ name: String, _ role: JSONRole) -> Field {
    var web: WebRole?
    if role == .cost {
      let folded = JSONNameTree.folded(name)
      let known = JSONCost.known(folded) ?? JSONCost.known(folded.lastPart)
      web = JSONCost.role(isOrigin: true, costUnit ?? known?.unit ?? .milliseconds)
    }
    return Field(keys.key(name)?.name ?? name, role, web)
  }

  private mutating func addRequestLine() {
    guard given[.request] == nil, !isCacheLog, !has(.method), !has(.request),
      let line = candidates(JSONRole.requestLines.map { ($0, .request) }).first,
      !fields.contains(where: { $0.name == line.key.name })
    else { return }
    fields.append(Field(line.key.name, .request))
  }

  private mutating func splitDate() {
    guard given[.time] == nil, let index = fields.firstIndex(where: { $0.role == .timestamp }),
      let day = keys.key(prefix + "date"), let clock = keys.key(prefix + "time"),
      fields[index].name == day.name || fields[index].name == clock.name,
      clock.count(where: { $0.find(0x3A) == $0.next + 2 }) * 2 > clock.values.count
    else { return }
    fields[index] = Field(day.name, .time, .date)
    fields.append(Field(clock.name, .time, .timeOfDay))
  }

  private mutating func addCost() {
    var found: [(rank: Int, key: JSONKeys.Key, cost: JSONCost, unit: TimeUnit?)] = []
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
    let unit = costUnit ?? best.unit ?? guessedUnit(of: best.key)
    fields.append(Field(best.key.name, .cost, JSONCost.role(isOrigin: isOrigin, unit)))
  }

  private func guessedUnit(of key: JSONKeys.Key) -> TimeUnit {
    let name = key.folded.lastPart
    if name == "duration" {
      if keys.key("DownstreamStatus") != nil || keys.key("OriginStatus") != nil {
        return .nanoseconds
      }
      // Envoy and Rails use milliseconds where Caddy uses seconds.
      if keys.key("response_code") != nil || keys.key("controller") != nil { return .milliseconds }
    }
    if name == "timetaken", keys.key("x-edge-location") != nil { return .seconds }
    // Echo writes its latency twice.
    if name == "latency", keys.key("latency_human") != nil { return .nanoseconds }
    // Next to nginx's own time, the upstream time is in nginx's unit; Node writes milliseconds.
    if name == "responsetime" {
      let isNginx = keys.key("request_time")?.values.contains { $0.contains(0x2E) } ?? false
      return isNginx ? .seconds : .milliseconds
    }
    if key.values.contains(where: { $0.contains(0x2E) || $0.contains(0x65) }) { return .seconds }
    let isLarge = key.values.contains { (Double(String(decoding: $0, as: UTF8.self)) ?? 0) >= 10 }
    return isLarge || name == "timetaken" ? .milliseconds : .seconds
  }

  private var sentences: [String] {
    let read = Set(fields.map(\.name))
    var sentences = ["keys read: " + fields.map(\.text).joined(separator: ", ")]
    let ids = JSONRole.ids.map(JSONNameTree.folded)
    let isID = fields.contains { field in
      field.key == .id && given[.id] == nil && ids.contains(JSONNameTree.folded(field.name))
    }
    for role in JSONRole.allCases where !has(role) && given[role] == nil {
      guard let absence = role.row.absence, !(role == .method && has(.request)),
        !(isID || isCacheLog) || [.time, .size].contains(role),
        !(role == .host && targetContains("://")), !(role == .query && targetContains("?"))
      else { continue }
      var text = "\(absence); name its key with \(keys.format):\(role.rawValue)=KEY"
      let wrong = role.row.names.lazy.flatMap { keys.keys(named: prefix + $0) }
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
      sentences.append("\(doubt) with \(keys.format):id=KEY")
    }
    return sentences
  }

  private func targetContains(_ text: String) -> Bool {
    let target = fields.first { $0.role == .target || $0.role == .request }
    return target.flatMap { keys.key($0.name) }?.count { $0.find(Array(text.utf8)) != nil } ?? 0 > 0
  }
}

extension String {
  fileprivate var lastPart: String { split(separator: ".").last.map { String($0) } ?? self }
}

extension JSONFields: WebLayout {
  var roles: Set<WebRole> { Set(fields.map(\.role) + (isCacheLog ? [.operation] : [])) }

  func reader() -> Reader { Reader(self) }

  struct Reader: WebLineReader {
    private let layout: JSONFields
    private let fields: [Field]
    private let scanner: JSONLineScanner
    private let roles: [WebRole]
    /// Further roles of a key, and the field that has its value.
    private let copies: [(index: Int, original: Int)]
    private let status: Field?
    /// True if every fourth line or more has neither status nor size, but others have both.
    private let skipsStarts: Bool
    private var withoutStatus = 0

    init(_ layout: JSONFields) {
      self.layout = layout
      let fields = layout.fields
      self.fields = fields
      scanner = JSONLineScanner(
        fields.map(\.name), isExact: layout.isExact, table: layout.keys.table)
      roles = Array(layout.roles).sorted { $0.rawValue < $1.rawValue }
      copies = fields.indices.compactMap { index in
        let original = fields.firstIndex { $0.name == fields[index].name } ?? index
        return original < index ? (index, original) : nil
      }
      status = fields.first { $0.key == .status }
      let counts = fields.filter { [.status, .size].contains($0.key) }.compactMap {
        layout.keys.key($0.name)?.count
      }
      skipsStarts = counts.count == 2 && counts.allSatisfy { $0 * 4 <= layout.keys.objects * 3 }
    }

    mutating func read(_ line: TextField, into values: borrowing WebLine) -> WebLineKind {
      if line.trimmed.isEmpty { return .none }
      if let table = layout.keys.table, line.equals(table.line) { return .none }
      guard scanner.scan(line) else { return .bad }
      for role in roles { values[role] = TextField(line.end, line.end) }
      for index in scanner.found { put(scanner.value(index), of: index, into: values) }
      for copy in copies { put(scanner.value(copy.original), of: copy.index, into: values) }
      if status != nil, values[.status].isEmpty,
        !values[.target].isEmpty || !values[.request].isEmpty
      {
        if skipsStarts, values[.bytes].isEmpty {
          return .skipped("they have neither status nor size: requests before their response")
        }
        withoutStatus += 1
      }
      return .request
    }

    @inline(__always) private func put(
      _ value: TextField, of index: Int, into values: borrowing WebLine
    ) {
      if value.isEmpty { return }
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
      layout.keys.table == nil
        ? "expected a JSON object in one line, or logfmt, found \(line.quoted)"
        : "expected the columns of the header, found \(line.quoted)"
    }

    var remarks: [String] {
      var all = layout.understanding
      if withoutStatus > 0, let status {
        all.append(
          "\(NumberText.counted(withoutStatus, "line")) without \(status.name) "
            + (withoutStatus == 1 ? "counts as 200" : "count as 200"))
      }
      return all.map { "\(layout.keys.table == nil ? "JSON lines" : "Table"): \($0)." }
    }
  }
}
