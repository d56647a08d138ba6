import LarderEngine
internal import LarderSupport

/// Query parameters of the first requests, for a hint at those that make many objects of one.
final class QueryParameters {
  private struct Uses {
    var count = 0
    var values: Set<UInt64> = []
    var tokens = 0

    mutating func add(_ hash: UInt64, _ value: TextField) {
      count += 1
      values.insert(hash)
      let hasDigit = (0..<value.count).contains { value.next[$0] &- 0x30 <= 9 }
      if value.count >= 10, hasDigit { tokens += 1 }
    }
  }

  private var uses: [String: Uses] = [:]
  private var objects: Set<UInt64> = []
  private var paths: Set<UInt64> = []
  private var requests = 0
  private var hasMore = false

  private static let requestsMaximum = 20_000
  private static let namesMaximum = 64
  private static let nameless = "(no name)"
  private static let usesMinimum = 50

  var isOpen: Bool { requests < Self.requestsMaximum }

  func add(_ target: TextField, _ separate: TextField, _ host: TextField) {
    let mark = target.find(0x3F)
    var query = mark.map { TextField($0 + 1, target.end) } ?? separate
    guard !query.isNothing else { return }
    requests += 1
    let place = Self.hash(host) &* 31 ^ Self.hash(TextField(target.next, mark ?? target.end))
    paths.insert(place)
    objects.insert(place &* 31 ^ Self.hash(query))
    while !query.isEmpty {
      let end = query.find(0x26) ?? query.end
      let parameter = TextField(query.next, end)
      let equals = parameter.find(0x3D)
      let name = equals.map { TextField(query.next, $0).text } ?? Self.nameless
      let value = TextField(equals.map { $0 + 1 } ?? query.next, end)
      if uses[name] != nil || uses.count < Self.namesMaximum {
        uses[name, default: Uses()].add(Self.hash(value), value)
      } else {
        hasMore = true
      }
      query = TextField(min(end + 1, query.end), query.end)
    }
  }

  private static func hash(_ field: TextField) -> UInt64 {
    KeyHash.hash(UnsafeBufferPointer(start: field.next, count: field.count))
  }

  /// Names that identify a visit and not a page, in lower case without `_` and `-`.
  private static let names: Set = [
    "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "ttclid",
    "twclid", "igshid", "igsh", "mccid", "mceid", "ga", "gl", "hsenc", "hsmi", "sessionid",
    "session", "sid", "phpsessid", "jsessionid", "aspsessionid", "sessid", "token", "timestamp",
    "ts", "time", "cb", "cachebuster", "cachebust", "nocache", "rand", "random", "rnd", "",
    "requestid", "visitorid", "clientid", "trackingid",
  ]

  private func isSuspect(_ name: String, _ uses: Uses) -> Bool {
    let plain = name.lowercased().filter { $0 != "_" && $0 != "-" }
    if plain.hasPrefix("utm") || Self.names.contains(plain) { return true }
    let areTokens = uses.count >= Self.usesMinimum && uses.tokens * 10 >= uses.count * 9
    return areTokens && uses.values.count * 10 >= uses.count * 9 && paths.count * 2 < objects.count
  }

  /// Advice in words, and the option if it names all parameters to keep; nil without suspects.
  var hint: (text: String, option: String?)? {
    let found = uses.filter { isSuspect($0.key, $0.value) }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    guard found.contains(where: { $0.value.values.count > 1 }), objects.count > paths.count
    else { return nil }
    let others = uses.keys.filter { name in
      name != Self.nameless && !found.contains { $0.key == name }
    }.sorted()
    let option =
      others.isEmpty && !hasMore
      ? "query=drop" : "only=\(others.prefix(8).joined(separator: ","))"
    let list = found.prefix(5).map { name, uses in
      "\(TextField.quote(Array(name.utf8))) (\(NumberText.counted(uses.values.count, "value")) in "
        + "\(NumberText.counted(uses.count, "request")))"
    }
    let names = list.joined(separator: ", ")
    let isPart = others.count > 8 || hasMore
    let text =
      "Query parameters may make many objects of one: \(names). Where they do not change the "
      + "response, --format auto:\(option) drops them from the key"
      + "\(isPart ? " and keeps those that you name." : ".")"
    return (text, isPart ? nil : option)
  }
}
