import Larder
import LarderEngine
import LarderPolicies

/// Random configurations and calls: mostly ordinary numbers, and some nonsensical ones.
/// Deterministic for a seed.
struct RandomSettings {
  private var state: UInt64
  /// Share of nonsensical numbers; differs from seed to seed, so that many configurations are
  /// valid.
  private var strangeness = 0.0

  init(seed: UInt64) {
    state = seed
    strangeness = pick([0, 0, 0.01, 0.03, 0.1, 0.5])
  }

  /// The next number of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func chance(_ share: Double) -> Bool { Double(next() >> 11) * 0x1p-53 < share }

  mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }

  /// Returns the result of `draw`, or nil.
  mutating func maybe<Drawn>(
    _ share: Double = 0.5, _ draw: (inout RandomSettings) -> Drawn
  ) -> Drawn? {
    chance(share) ? draw(&self) : nil
  }

  /// Switches to the share of nonsensical numbers for calls, which accept any.
  mutating func goOnWithCalls() { strangeness = 0.15 }

  // MARK: Numbers

  mutating func integer(_ ordinary: ClosedRange<Int>) -> Int {
    guard chance(strangeness) else { return ordinary.lowerBound + below(ordinary.count) }
    return pick([
      0, -1, .min, .min + 1, .max, .max - 1, 1, 2, 3, 1 << 31, 1 << 32, 1 << 50, (1 << 50) + 1,
      1 << 62, -(1 << 40),
    ])
  }

  mutating func unsigned(_ ordinary: ClosedRange<Int>) -> UInt64 {
    guard chance(strangeness) else {
      return UInt64(ordinary.lowerBound + below(ordinary.count))
    }
    return pick([0, 1, .max, .max - 1, 1 << 31, 1 << 32, 1 << 50, (1 << 50) + 1, 1 << 63])
  }

  /// Draws a share from 0 to 1, or a nonsensical one.
  mutating func share() -> Double {
    guard chance(strangeness) else { return Double(below(101)) / 100 }
    return pick([
      -0.0, -1, 2, .nan, .infinity, -.infinity, 1e308, -1e308, .leastNonzeroMagnitude,
      .signalingNaN,
    ])
  }

  mutating func cost() -> Float {
    guard chance(strangeness) else { return Float(below(1000)) / 10 }
    return pick([
      -0.0, -1, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      -.greatestFiniteMagnitude,
    ])
  }

  /// Draws a duration of up to `seconds`, or a nonsensical one.
  mutating func duration(seconds: Int) -> Duration {
    guard chance(strangeness) else { return .milliseconds(1 + below(seconds * 1000)) }
    return pick([
      .zero, .seconds(-1), .nanoseconds(1), .microseconds(1),
      Duration(
        secondsComponent: 0, attosecondsComponent: 1), .seconds(Int64.max),
      .seconds(Int64.max) * 8, .seconds(Int64.min), .seconds(Int64.max / 1_000_000),
      .seconds(Int64.min) * 8, .seconds(1 << 40),
    ])
  }

  // MARK: Policies

  mutating func policy() -> String {
    let description = pick(PolicyRegistry.all).description
    return description.name + parameters(description.parameters)
  }

  /// Draws an admission filter, sometimes with parameters; often none.
  mutating func admission() -> String? {
    guard chance(0.4) else { return nil }
    let description = pick(AdmissionRegistry.all).description
    return description.name + parameters(description.parameters)
  }

  private mutating func parameters(_ known: [PolicyParameter]) -> String {
    var text = ""
    for parameter in known where chance(0.4) { text += ":\(parameter.name)=\(value(parameter))" }
    return text
  }

  private mutating func value(_ parameter: PolicyParameter) -> String {
    if chance(strangeness) {
      return pick([
        "0", "-0", "-1", "nan", "inf", "-inf", "1e308", "1e-320", "", " 1", "0x10", "1e9",
        "9223372036854775807", "99999999999999999999", "1000000000", "\u{663}",
      ])
    }
    switch parameter.name {
    case "policies": return pick(["lru/lfu/s3-fifo", "arc/mq(life=8;queues=4)", "gdsf", "lru/ttl"])
    case "shadow": return "\(1 + below(20))"
    default: break
    }
    guard let number = Double(parameter.defaultValue) else {
      return pick(["true", "false", parameter.defaultValue])
    }
    // Integers stay integers.
    if number == number.rounded(), number >= 1 {
      return "\(max(1, Int(number) / (1 + below(4)) * (1 + below(3))))"
    }
    return pick([parameter.defaultValue, "0.3", "0.5", "1"])
  }
}
