/// Admits an object if it was requested more often than its victim.
final class TinyLFUAdmission: AdmissionFilter {
  static let description = AdmissionDescription(
    name: "tinylfu",
    summary: "Stores a missing object if a sketch of recent requests counts more for it than for "
      + "the object that the policy would evict.",
    parameters: [
      PolicyParameter(
        "objects", default: "0", isCount: true,
        "objects that the sketch is sized for, at most 2^27; 0 for the capacity, 65536 if that is "
          + "bytes")
    ],
    comparesVictims: true, watchesHits: true,
    paper: "Einziger, Friedman and Manes, TinyLFU: a highly efficient cache admission policy, ACM "
      + "ToS 2017")

  // 8 bytes for each: 1 GiB.
  private static var objectsMax: Int { 1 << 27 }
  // With more objects than this, the sketch starts at this size and doubles as needed.
  private static var objectsAtFirst: Int { 1 << 20 }

  private var sketch: FrequencySketch
  private let objects: Int
  private var admitted = 0

  init(_ setup: AdmissionSetup) throws(PolicyError) {
    let given = try setup.spec.integer("objects", default: 0, in: 0...Self.objectsMax)
    let whole = Self.objectsMax / setup.parts
    let usual =
      setup.unit == .objects
      ? Int(min(setup.capacity, UInt64(whole))) : (1 << 16) / setup.parts
    objects = max(1, given > 0 ? given / setup.parts : usual)
    sketch = FrequencySketch(
      objects: min(objects, Self.objectsAtFirst), period: UInt64(objects) * 10)
  }

  func requested(_ request: Request) { sketch.increment(request.fingerprint) }

  func prefetch(_ fingerprint: UInt32) { sketch.prefetch(fingerprint) }

  func admits(_ request: Request, victim: UInt32?) -> Bool {
    if let victim {
      guard sketch.estimate(request.fingerprint) > sketch.estimate(victim) else { return false }
    }
    admitted += 1
    if admitted > sketch.objects, sketch.objects < objects {
      sketch.reserve(objects: min(objects, sketch.objects * 2))
    }
    return true
  }

  var stateBytes: Int { sketch.bytes }
}
