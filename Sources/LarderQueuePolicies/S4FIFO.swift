import LarderEngine

extension RegisteredPolicy {
  package static let s4FIFO = RegisteredPolicy(S4FIFO.self)
}

/// S3-FIFO with its queues, thresholds and ghosts as parameters, to be fitted to a workload.
/// Objects that are not smaller than the small queue are rejected. With the defaults, a cache of
/// fewer than 20 objects therefore stores nothing; real caches do not reject objects.
struct S4FIFO: EvictionPolicy, FillingQueuePolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "s4-fifo", family: .queue,
    summary: "S3-FIFO with tunable queues: which hits in the small FIFO count, how many move an "
      + "object to the main FIFO, and whether ghosts do. Rejects objects as large as the small "
      + "FIFO.",
    parameters: [
      PolicyParameter("small", default: "0.1", "share of the small queue, above 0 and below 1"),
      PolicyParameter(
        "threshold", default: "2", "hits in the small queue that move an object to main, 1 to 3"),
      PolicyParameter(
        "ghost-to-main", default: "0",
        "0: a miss on a ghost enters main; 1: ghosts have no "
          + "effect"),
      PolicyParameter(
        "ghost", default: "0.9", "size of the ghost queue, share of the capacity"),
      PolicyParameter(
        "skip", default: "0",
        "the newest part of the small queue in which hits do not count, share of its objects"),
      largeParameter,
    ],
    configurations: configurations,
    paper: "Learning-augmented heuristics, OSDI 2026; the rule of libCacheSim's S4FIFO without its "
      + "model")

  /// The paper's 18 configurations: small, threshold, ghost-to-main, ghost.
  private static var configurations: [String] {
    [
      ("0.2", 1, 0, "3"), ("0.05", 1, 0, "0.9"), ("0.5", 1, 0, "0.9"), ("0.2", 1, 0, "0.9"),
      ("0.05", 2, 0, "6"), ("0.1", 2, 1, "3"), ("0.3", 2, 0, "3"), ("0.05", 2, 0, "3"),
      ("0.1", 2, 0, "0.9"), ("0.7", 1, 1, "0.9"), ("0.2", 1, 1, "0.9"), ("0.05", 1, 1, "0.9"),
      ("0.3", 1, 0, "6"), ("0.2", 2, 0, "0.9"), ("0.9", 2, 0, "3"), ("0.1", 2, 0, "6"),
      ("0.3", 2, 1, "3"), ("0.05", 2, 0, "0.9"),
    ].map { small, threshold, ghostToMain, ghost in
      "small=\(small):threshold=\(threshold):ghost-to-main=\(ghostToMain):ghost=\(ghost):skip=0.25"
    }
  }

  var queues: ThreeQueues
  var missedGhost = false
  var admissions: AdmissionLog
  var hasEvicted = false
  let promotesGhosts: Bool
  let refusesLarge: Bool
  var owed: UInt64 = 0
  private let countsAll: Bool
  private let skip: DecimalShare
  let highestLeaving: UInt32

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let small = try spec.share("small", default: 0.1, in: 0.0001...0.9999)
    let ghost = try spec.number("ghost", default: 0.9, in: 0...100)
    let hasGhosts = try spec.integer("ghost-to-main", default: 0, in: 0...1) == 0
    let threshold = try spec.integer("threshold", default: 2, in: 1...3)
    let skip = try spec.share("skip", default: 0, in: 0...1)
    let refusesLarge = try spec.flag("refuse-large", default: true)
    queues = try ThreeQueues(
      setup, small: small.of(setup.capacity),
      ghosts: hasGhosts ? DecimalShare(ghost).of(setup.capacity) : 0,
      ghostsPerResident: GhostLimit.usualPerResident * max(1, Int(ghost.rounded(.up))))
    countsAll = skip == DecimalShare(0)
    admissions = AdmissionLog(objects: setup.objects, keeps: skip != DecimalShare(0))
    highestLeaving = UInt32(threshold - 1)
    self.skip = skip
    self.refusesLarge = refusesLarge
    promotesGhosts = hasGhosts
  }

  static var resetsMain: Bool { false }

  func amount(of size: UInt32) -> UInt64 { 1 }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    if !countsAll, queues.isInSmall(request.id) {
      // The object's own admission counts.
      let age = admissions.later(than: request.id) + 1
      if age < skip.of(UInt64(queues.smallCount)) { return }
    }
    queues.count(request.id)
  }

  var hitWords: HitWords? { countsAll ? queues.counting : nil }
}
