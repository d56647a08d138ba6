import LarderEngine
import LarderPolicies
import LarderSupport

/// The cache that runs today, from `redis:allkeys-lru:4GiB`: a server with its setting, or a policy
/// for a library, and a capacity.
package struct CurrentCache: Sendable, Hashable {
  package let text: String
  package let capacity: CapacitySpec
  let server: KnownServer?
  let design: ServerDesign

  package static let forms =
    "a server or policy and a size: redis:allkeys-lru:4GiB, memcached:64MiB, nginx:8GiB, lru:1GiB"

  package init(parsing text: String) throws {
    let words = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard words.count > 1, words.allSatisfy({ !$0.isEmpty }) else {
      throw AdviceError.current(text, "expected \(Self.forms)")
    }
    self.text = text
    server = KnownServer.all.first { $0.names.contains(words[0].lowercased()) }
    let size = words[words.count - 1]
    do { capacity = try CapacitySpec(parsing: server?.size(size) ?? size) } catch {
      throw AdviceError.current(text, "it ends with a size: \(error.message)")
    }
    if let server, case .bytes(let bytes) = capacity.amount, server.settable(bytes) != bytes {
      throw AdviceError.current(text, server.sizes)
    }
    var middle = words[1..<(words.count - 1)]
    guard let server else {
      guard middle.allSatisfy({ $0.contains("=") }) else {
        throw AdviceError.current(text, "no server '\(words[0])': expected \(Self.forms)")
      }
      let spec = try PolicySpec(parsing: words.dropLast().joined(separator: ":"))
      try PolicyRegistry.validate(spec)
      design = ServerDesign(spec.description, try PolicyRegistry.inRealCache(spec))
      return
    }
    var setting: String?
    if let first = middle.first, !first.contains("=") { setting = middle.removeFirst() }
    let parameters = middle.map { ":\($0)" }.joined()
    design = try server.design(setting, parameters, in: text)
  }
}

/// A design that a server can be set to, with the words of the server.
package struct ServerDesign: Sendable, Hashable {
  let words: String
  let candidate: Candidate

  init(_ words: String, _ policy: PolicySpec, admission: PolicySpec? = nil) {
    let candidate = Candidate(policy: policy, admission: admission, isServer: true)
    (self.words, self.candidate) = (words, candidate)
  }

  func scaled(by rate: Double) throws(PolicyError) -> ServerDesign {
    ServerDesign(words, try candidate.policy.scaled(by: rate), admission: candidate.admission)
  }
}

/// A cache server: its policies by their settings, and the designs it can be set to. One row each.
package struct KnownServer: Sendable, Hashable {
  package let names: [String]
  /// Policy of each setting; the first is used without a setting, unless it has to be named.
  private let settings: KeyValuePairs<String, String>
  private var isSet = false
  package var isDisk = false
  private var defaults: String?
  /// The least size in bytes; of Redis, that of an empty server.
  private var least: UInt64 = 0
  /// Other designs that the server can be set to, the simplest first.
  private var others: [(words: String, policy: String, admission: String?)] = []

  package static func == (one: Self, other: Self) -> Bool { one.names == other.names }
  package func hash(into hasher: inout Hasher) { hasher.combine(names) }

  static let all = [
    KnownServer(
      names: ["redis", "valkey"],
      settings: [
        "allkeys-lru": "redis-lru", "allkeys-lfu": "redis-lfu",
        "allkeys-random": "redis-lru:samples=1:pool=1", "volatile-lru": "redis-lru",
        "volatile-lfu": "redis-lfu", "volatile-random": "redis-lru:samples=1:pool=1",
        "volatile-ttl": "ttl",
      ], isSet: true, least: 951 << 10,
      others: [
        ("allkeys-lru", "redis-lru", nil), ("allkeys-lfu", "redis-lfu", nil),
        ("allkeys-lru, maxmemory-samples 10", "redis-lru:samples=10", nil),
        ("allkeys-lfu, lfu-decay-time 10", "redis-lfu:decay=10", nil),
        ("allkeys-lfu, lfu-decay-time 60", "redis-lfu:decay=60", nil),
      ]),
    KnownServer(
      names: ["memcached"], settings: ["segmented": "memcached"], least: 2 << 20,
      others: [
        ("segmented", "memcached:beyond=0", nil),
        ("segmented, -f 1.08", "memcached:factor=1.08:beyond=0", nil),
      ]),
    KnownServer(
      names: ["nginx"], settings: ["lru": "nginx"], isDisk: true, defaults: "inactive=10m",
      others: [
        ("inactive=1h", "nginx:inactive=3600", nil), ("inactive=1d", "nginx:inactive=86400", nil),
        ("inactive=30d", "nginx:inactive=2592000", nil),
        ("inactive=30d, proxy_cache_min_uses 2", "nginx:inactive=2592000", "second-hit"),
      ]),
    KnownServer(names: ["varnish"], settings: ["lru": "varnish"], least: 1 << 20),
    KnownServer(
      names: ["squid"], settings: ["lru": "lru", "heap-gdsf": "gdsf", "heap-lfuda": "lfuda"],
      isDisk: true,
      others: [("lru", "lru", nil), ("heap GDSF", "gdsf", nil), ("heap LFUDA", "lfuda", nil)]),
  ]

  func design(_ name: String?, _ parameters: String, in text: String) throws -> ServerDesign {
    let known = settings.map(\.key).joined(separator: ", ")
    guard name != nil || !isSet else {
      throw AdviceError.current(text, "\(names[0]) needs its policy, one of \(known)")
    }
    guard let setting = name.map({ name in settings.first { $0.key == name } }) ?? settings[0]
    else { throw AdviceError.current(text, "\(names[0]) evicts by one of \(known)") }
    let given = parameters.isEmpty ? defaults : String(parameters.dropFirst())
    let shown = [setting.key] + [given].compactMap { $0 }
    return try Self.design(shown.joined(separator: ", "), setting.value + parameters, nil)
  }

  /// A size as the server's own settings have it: they count in powers of 1024, Redis only with a
  /// 'b' behind the letter, which nginx does not take, memcached in MiB.
  fileprivate func size(_ text: String) -> String {
    let (number, unit) = Quantity.split(text)
    switch (names[0], unit.lowercased()) {
    case ("memcached", ""): return number + "MiB"
    case ("redis", "k"), ("redis", "m"), ("redis", "g"): return text + "B"
    case ("nginx", "kb"), ("nginx", "mb"), ("nginx", "gb"), ("nginx", "tb"): return text
    case (_, "k"), (_, "m"), (_, "g"), (_, "t"), (_, "kb"), (_, "mb"), (_, "gb"), (_, "tb"):
      return number + unit.prefix(1) + "iB"
    default: return text
    }
  }

  func settable(_ bytes: UInt64) -> UInt64? {
    let own = names[0] == "memcached" ? bytes - bytes % (1 << 20) : bytes
    return own >= max(1, least) ? own : nil
  }

  var sizes: String { "\(names[0]) needs at least \(least >> 10) KiB, memcached in whole MiB" }

  /// Today's design and the others, the simplest first.
  func designs(today: ServerDesign) throws -> [ServerDesign] {
    let others = try others.map { try Self.design($0.words, $0.policy, $0.admission) }
    return [today] + others.filter { $0.candidate != today.candidate }
  }

  private static func design(
    _ words: String, _ policy: String, _ admission: String?
  ) throws -> ServerDesign {
    var spec = try PolicySpec(parsing: policy)
    let parameters = try PolicyRegistry.policy(named: spec).description.parameters
    if spec.values["memory"] == nil, parameters.contains(where: { $0.name == "memory" }) {
      spec = try PolicySpec(parsing: spec.description + ":memory=server")
    }
    try PolicyRegistry.validate(spec)
    return ServerDesign(words, spec, admission: try admission.map { try PolicySpec(parsing: $0) })
  }
}
