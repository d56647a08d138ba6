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

  private let capacity: Double
  private let interval: Int
  private var random: SeededGenerator
  private var scale: Double
  private var untilSearch: Int
  // Of each object seen: requests since the last search, weighted requests before, and its size.
  private var table = FingerprintTable(capacity: 1024)
  private var fingerprints: [UInt32] = []
  private var recent: [Float] = []
  private var before: [Float] = []
  private var sizes: [UInt32] = []
  private var sizeSum = 0.0

  init(_ setup: AdmissionSetup) throws(PolicyError) {
    capacity = Double(setup.capacity)
    let interval = try setup.spec.integer(
      "interval", default: 250_000, in: 1000...1_000_000_000)
    self.interval = max(1, interval / setup.parts)
    random = SeededGenerator(seed: setup.seed ^ 0x6164_6170)
    // Nearly everything is stored until the first search.
    scale = max(1, capacity)
    untilSearch = self.interval
  }

  func requested(_ request: Request) {
    note(request)
    untilSearch -= 1
    guard untilSearch <= 0 else { return }
    guard sizeSum > capacity * 3 else {
      untilSearch = max(1, interval / 50)
      return
    }
    search()
    untilSearch = interval
  }

  func admits(_ request: Request, victim: UInt32?) -> Bool {
    random.nextUnit() < DeterministicMath.exp(-Double(request.size) / scale)
  }

  var stateBytes: Int { table.bytes + fingerprints.capacity * 16 }

  private func note(_ request: Request) {
    let place = table.place(request.fingerprint)
    if place == recent.count {
      fingerprints.append(request.fingerprint)
      recent.append(0)
      before.append(0)
      sizes.append(request.size)
      sizeSum += Double(request.size)
    }
    recent[place] += 1
    // A hit may say another size than the object's; what was asked for last counts.
    sizeSum += Double(request.size) - Double(sizes[place])
    sizes[place] = request.size
  }

  private func search() {
    age()
    let model = AdaptSizeModel(
      capacity: capacity, rates: before.map(Double.init), sizes: sizes.map(Double.init))
    scale = DeterministicMath.pow(2, model.bestExponent())
  }

  /// Moves the counts on and forgets what was hardly requested.
  private func age() {
    var kept = 0
    table = FingerprintTable(capacity: fingerprints.count)
    sizeSum = 0
    for place in fingerprints.indices {
      let weighted =
        before[place] == 0 ? recent[place] : before[place] * 0.3 + recent[place] * 0.7
      guard weighted >= 0.1 else { continue }
      _ = table.place(fingerprints[place])
      fingerprints[kept] = fingerprints[place]
      before[kept] = weighted
      recent[kept] = 0
      sizes[kept] = sizes[place]
      sizeSum += Double(sizes[place])
      kept += 1
    }
    fingerprints.removeLast(fingerprints.count - kept)
    recent.removeLast(recent.count - kept)
    before.removeLast(before.count - kept)
    sizes.removeLast(sizes.count - kept)
  }
}
