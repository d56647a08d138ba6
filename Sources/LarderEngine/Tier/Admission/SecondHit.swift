/// Admits an object at its second request: objects requested once never take room.
final class SecondHit: AdmissionFilter {
  static let description = AdmissionDescription(
    name: "second-hit",
    summary: "Stores an object that was requested before, as remembered by two alternating Bloom "
      + "filters: each is cleared when the other is full.",
    parameters: [
      PolicyParameter(
        "window", default: "1000000", searched: ["10000", "1000000"], isCount: true,
        "objects remembered, up to twice as many; 1 to 10^8"),
      PolicyParameter(
        "error", default: "0.01", "false-positive probability of the filters"),
    ],
    paper: "Maggs and Sitaraman, Algorithmic nuggets in content delivery, SIGCOMM CCR 2015")

  private var current: BloomFilter
  private var previous: BloomFilter

  init(_ setup: AdmissionSetup) throws(PolicyError) {
    let objects = try setup.spec.integer("window", default: 1_000_000, in: 1...100_000_000)
    let window = max(1, objects / setup.parts)
    let error = try setup.spec.number("error", default: 0.01, in: 1e-9...0.5)
    // Both filters are queried, so each may have half the error rate.
    current = BloomFilter(capacity: window, error: error / 2)
    previous = BloomFilter(capacity: window, error: error / 2)
  }

  func admits(_ request: Request, victim: UInt32?) -> Bool {
    let isKnown = previous.contains(request.fingerprint)
    let isNew = current.insert(request.fingerprint)
    if current.count >= current.capacity {
      swap(&current, &previous)
      current.clear()
    }
    return isKnown || !isNew
  }

  var stateBytes: Int { current.bytes + previous.bytes }
}
