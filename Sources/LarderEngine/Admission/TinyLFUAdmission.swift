/// Stores what was requested more often than what would be evicted for it.
final class TinyLFUAdmission: AdmissionFilter {
  static let description = AdmissionDescription(
    name: "tinylfu",
    summary: "Stores a missing object if a sketch of the last requests says that it was requested "
      + "more often than the object that the policy would evict for it.",
    parameters: [
      PolicyParameter(
        "objects", default: "0",
        "objects that the sketch is for; 0 for the capacity, or 65536 where that is bytes")
    ],
    comparesVictims: true, watchesHits: true,
    paper: "Einziger, Friedman and Manes, TinyLFU: a highly efficient cache admission policy, ACM "
      + "ToS 2017")

  private var sketch: FrequencySketch

  init(_ setup: AdmissionSetup) throws(PolicyError) {
    let given = try setup.spec.integer("objects", default: 0, in: 0...1_000_000_000)
    let usual = setup.unit == .objects ? Int(clamping: setup.capacity) : (1 << 16) / setup.parts
    sketch = FrequencySketch(
      objects: max(1, given > 0 ? given / setup.parts : min(usual, 1 << 27)))
  }

  func requested(_ request: Request) { _ = sketch.increment(request.fingerprint) }

  func admits(_ request: Request, victim: UInt32?) -> Bool {
    guard let victim else { return true }
    return sketch.estimate(request.fingerprint) > sketch.estimate(victim)
  }

  var stateBytes: Int { sketch.bytes }
}
