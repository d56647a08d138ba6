/// How much is replayed: levels of a search by successive halving (Jamieson and Talwalkar,
/// Non-stochastic best arm identification and hyperparameter optimization, AISTATS 2016), from a
/// small sample for all candidates to the whole trace for a few. A function of counts alone, so
/// that it is the same on every machine.
struct Effort: Sendable, Hashable {
  /// A step of the search.
  struct Level: Sendable, Hashable {
    /// How many candidates are replayed.
    var candidates: Int
    /// The share of the trace's requests that each of them replays.
    var share: Double
  }

  /// The levels; the last one replays the whole trace.
  let levels: [Level]

  /// What a machine is assumed to replay in a second, over two cores: a budget of time is a number
  /// of requests by this speed.
  static let requestsPerSecond = 20_000_000.0
  /// What a search at each of some capacities may replay where nothing else is said: 4 s for one,
  /// and at most 12 s for all of them together.
  static func standard(capacities: Int) -> Double {
    4 * requestsPerSecond * min(1, 3 / Double(max(1, capacities)))
  }
  /// By what the candidates are divided from a level to the next.
  private static let factor = 4.0
  /// What part of a search confirms finalists.
  private static let confirming = 0.35
  private static let finalistsRange = 3.0...32.0

  /// The levels for a trace.
  ///
  /// - Parameters:
  ///   - candidates: how many there are.
  ///   - requests: how many the trace has.
  ///   - budget: how many may be replayed at one capacity, in all.
  ///   - repeated: how often a candidate replays a sample: once for each capacity looked at.
  init(candidates: Int, requests: Int, budget: Double, repeated: Int) {
    let all = Double(max(1, requests))
    let count = Double(candidates)
    if count * all * Double(repeated) <= budget {
      levels = [Level(candidates: candidates, share: 1)]
      return
    }
    let affordable = (Self.confirming * budget / all).rounded(.down)
    let finalists = min(
      count, min(max(affordable, Self.finalistsRange.lowerBound), Self.finalistsRange.upperBound))
    let left = max(budget - finalists * all, budget * (1 - Self.confirming))
    var steps = 1
    while finalists * Self.power(steps) < count { steps += 1 }
    var levels: [Level] = []
    for step in 0..<steps {
      let survivors = min(count, (finalists * Self.power(steps - step)).rounded())
      let share = left / Double(steps) / (survivors * all * Double(repeated))
      levels.append(
        Level(candidates: step == 0 ? candidates : Int(survivors), share: min(1, share)))
    }
    self.levels = levels + [Level(candidates: Int(finalists), share: 1)]
  }

  private static func power(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { power, _ in power * factor }
  }

  /// Whether every candidate replays the whole trace.
  var isExhaustive: Bool { levels.count == 1 }
}
