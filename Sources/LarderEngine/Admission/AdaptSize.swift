/// Stores by chance and size, and finds the size scale with the best hit ratio from a model of the
/// recent requests.
///
/// Follows the authors' program where the paper leaves details open: 250,000 requests or more
/// between two searches, until the objects seen are three times the capacity; exponentially
/// weighted request counts with a decay of 0.3; a coarse search over powers of two and then a
/// golden section.
final class AdaptSize: AdmissionFilter {
  static let description = AdmissionDescription(
    name: "adaptsize",
    summary: "Stores a missing object with probability e^(-size / c); c is tuned periodically with "
      + "a Markov model of the recent requests.",
    parameters: [
      PolicyParameter(
        "interval", default: "250000", isCount: true, "requests between two tunings of c")
    ],
    watchesHits: true, isRandom: true, comparesSizes: true,
    paper: "Berger, Sitaraman and Harchol-Balter, AdaptSize: orchestrating the hot object memory "
      + "cache in a content delivery network, NSDI 2017")

  /// A search that many objects wait for at most: sizes may be tiny beside the capacity.
  private static let objectsMax = 1 << 22

  private let capacity: Double
  private let interval: Int
  private var random: SeededGenerator
  private var scale: Double
  private var untilSearch: Int
  private let objectsMax: Int
  private var seen = AdaptSizeObjects()

  init(_ setup: AdmissionSetup) throws(PolicyError) {
    capacity = Double(setup.capacity)
    let interval = try setup.spec.integer(
      "interval", default: 250_000, in: 1000...1_000_000_000)
    self.interval = max(1, interval / setup.parts)
    objectsMax = Self.objectsMax / setup.parts
    random = SeededGenerator(seed: setup.seed ^ 0x6164_6170)
    // Nearly everything is stored until the first search.
    scale = max(1, capacity)
    untilSearch = self.interval
  }

  func requested(_ request: Request) {
    seen.note(request)
    untilSearch -= 1
    guard untilSearch <= 0 else { return }
    guard seen.sizeSum > capacity * 3 || seen.count > objectsMax else {
      untilSearch = max(1, interval / 50)
      return
    }
    seen.age()
    scale = DeterministicMath.pow(2, seen.model(capacity: capacity).bestExponent())
    untilSearch = interval
  }

  func prefetch(_ fingerprint: UInt32) { seen.prefetch(fingerprint) }

  func admits(_ request: Request, victim: UInt32?) -> Bool {
    random.nextUnit() < DeterministicMath.exp(-Double(request.size) / scale)
  }

  var stateBytes: Int { seen.bytes }
}
