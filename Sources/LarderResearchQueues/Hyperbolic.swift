import LarderEngine

extension RegisteredPolicy {
  package static let hyperbolic = RegisteredPolicy(Hyperbolic.self)
}

/// Evicts, among a few objects drawn at random, the one with the fewest requests for its time in
/// the cache, which counts requests. The paper's costs and classes are not modelled.
struct Hyperbolic: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "hyperbolic", family: .frequency,
    summary: "Priority requests / time since insertion; the lowest of a random sample is "
      + "evicted. O(samples) per eviction.",
    parameters: [
      PolicyParameter(
        "samples", default: "64", "objects sampled per eviction, with replacement, 1 to 1024"),
      PolicyParameter(
        "size", default: "false", searched: ["false", "true"],
        "true: divides the priority by the size"),
    ],
    isRandom: true,
    paper: "Blankstein, Sen and Freedman, Hyperbolic caching: flexible caching for web "
      + "applications, USENIX ATC 2017")

  struct Life: BitwiseCopyable {
    // The clock when the object was stored.
    var start: UInt64
    var requests: UInt32
  }

  private var residents: SampledSet<Life>
  private var random: SeededGenerator
  private let samples: Int
  private let dividesBySize: Bool
  private var clock = RequestClock()

  init(_ setup: PolicySetup) throws(PolicyError) {
    let samples = try setup.spec.integer("samples", default: 64, in: 1...1024)
    dividesBySize = try setup.spec.flag("size", default: false)
    self.samples = samples
    residents = SampledSet(objects: setup.objects, capacity: setup.expectedResidents)
    random = SeededGenerator(seed: setup.seed)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    clock.tick(request.id)
    residents[request.id].requests &+= 1
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    var lowest = Double.infinity
    var victim = ObjectID.none
    var numbers: UInt64 = 0
    for sample in 0..<samples {
      // Each random word is used twice.
      numbers = sample & 1 == 0 ? random.next() : numbers >> 32
      let candidate = residents.pick(UInt32(truncatingIfNeeded: numbers))
      let age = clock.now - candidate.value.start + 1
      var priority = Double(candidate.value.requests) / Double(age)
      if dividesBySize { priority /= Double(max(sizes[candidate.id], 1)) }
      if priority < lowest {
        lowest = priority
        victim = candidate.id
      }
    }
    residents.remove(victim)
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    clock.tick(request.id)
    residents.insert(request.id, Life(start: clock.now, requests: 1))
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    clock.retract(id)
    if contains(id) { residents.remove(id) }
  }

  mutating func reserve(objects: Int) { residents.reserve(objects: objects) }

  @inline(__always) func prefetch(_ id: ObjectID) { residents.prefetch(id) }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { residents.prefetchEntry(id) }

  var stateBytes: Int { residents.bytes }
}
