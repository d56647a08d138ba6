/// Admits a missing object with a fixed probability.
final class ProbabilisticAdmission: AdmissionFilter {
  static let description = AdmissionDescription(
    name: "probabilistic",
    summary:
      "Stores a missing object with probability p, or p * e^(-size / scale): a popular "
      + "object is stored eventually.",
    parameters: [
      PolicyParameter(
        "p", default: "0.5", searched: ["0.5", "0.1"], "probability, above 0 up to 1"),
      PolicyParameter(
        "scale", default: "0", "size at which the probability is p/e; 0 ignores sizes"),
    ],
    isRandom: true,
    paper:
      "by size: Berger, Sitaraman and Harchol-Balter, AdaptSize, NSDI 2017 (Exp-LRU); the rule "
      + "without sizes is folklore")

  private let probability: Double
  private let scale: Double
  private var random: SeededGenerator

  init(_ setup: AdmissionSetup) throws(PolicyError) {
    probability = try setup.spec.number("p", default: 0.5, in: 1e-9...1)
    scale = try setup.spec.number("scale", default: 0, in: 0...1e18)
    random = SeededGenerator(seed: setup.seed ^ 0x7072_6f62)
  }

  func admits(_ request: Request, victim: UInt32?) -> Bool {
    let bySize = scale > 0 ? DeterministicMath.exp(-Double(request.size) / scale) : 1
    return random.nextUnit() < probability * bySize
  }
}
