import LarderEngine

/// The models of the rules of nginx, Varnish and memcached.
enum NaiveServers {
  static let names = ["nginx", "varnish", "memcached"]

  /// Specs that cover every parameter; the plain name is always the first. Servers' entries
  /// are larger than most caches here.
  static let specs = [
    "nginx": [
      "nginx", "nginx:inactive=9", "nginx:inactive=4:clock=requests:rate=2",
      "nginx:keys=6:inactive=0", "nginx:keys=17:inactive=30",
    ],
    "varnish": [
      "varnish", "varnish:interval=9:nuke-limit=2", "varnish:interval=0:nuke-limit=1",
      "varnish:interval=3:clock=requests:rate=1:nuke-limit=3",
    ],
    "memcached": [
      "memcached", "memcached:page=16:first=8", "memcached:page=32:first=8:factor=1.5:hot=30",
      "memcached:hot=0:warm=100:clock=requests:rate=1", "memcached:warm=10:hot-age=3:warm-age=0",
      "memcached:page=64:first=8:hot-age=0.5:warm-age=1",
    ],
  ].mapValues { [$0[0]] + $0.dropFirst().map { $0 + ":memory=values" } }

  static func make(
    _ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit
  ) -> (any NaivePolicy)? {
    switch spec.name {
    case "nginx": NaiveNginx(spec, capacity: capacity, unit: unit)
    case "varnish": NaiveVarnish(spec, capacity: capacity)
    case "memcached": NaiveMemcached(spec, capacity: capacity, unit: unit)
    default: nil
    }
  }
}

extension PolicySpec {
  func whole(_ name: String, _ fallback: Int) -> Int {
    values[name].flatMap { Int($0) } ?? fallback
  }
  func real(_ name: String, _ fallback: Double) -> Double {
    values[name].flatMap { Double($0) } ?? fallback
  }
}

/// The clock of the servers' rules.
struct NaiveClockTime {
  var microseconds = 0
  private var isTold = false
  private let followsTrace: Bool
  private let rate: Int

  init(_ spec: PolicySpec) {
    followsTrace = spec.values["clock"] != "requests"
    rate = spec.whole("rate", 1000)
  }

  var seconds: Int { microseconds / 1_000_000 }

  mutating func follow(_ now: UInt64) {
    guard followsTrace, now > 0 else { return }
    isTold = true
    microseconds = max(microseconds, Int(now))
  }

  mutating func tick() { if !isTold { microseconds += 1_000_000 / rate } }
}
