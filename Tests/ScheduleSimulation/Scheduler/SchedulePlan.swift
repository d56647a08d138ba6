import DiskSimulation

package enum SchedulePlan: Sendable, CustomStringConvertible {
  /// At each step, with probability 1 / `switchesOneIn`, another strand is chosen uniformly.
  case random(switchesOneIn: Int)
  /// The strand with the highest priority runs, and at some steps, whose numbers are drawn
  /// beforehand, the running one gets the lowest: few switches at critical points. (Burckhardt,
  /// Kothari, Musuvathi and Nagarakatte, A randomized scheduler with probabilistic guarantees of
  /// finding bugs, ASPLOS 2010.)
  case priorities(changes: [Int])

  static func draw(_ random: inout SimulationRandom) -> SchedulePlan {
    if random.oneIn(3) {
      let steps = random.pick([30, 100, 300, 1000])
      let depth = 1 + random.below(5)
      return .priorities(changes: (0..<depth).map { _ in random.below(steps) }.sorted())
    }
    return .random(switchesOneIn: random.pick([1, 1, 2, 4, 10]))
  }

  package var description: String {
    switch self {
    case .random(let times): "random, a switch in \(times) steps"
    case .priorities(let changes): "priorities, changed at steps \(changes)"
    }
  }
}
