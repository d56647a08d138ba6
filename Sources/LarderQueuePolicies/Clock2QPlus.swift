import LarderEngine

extension RegisteredPolicy {
  package static let clock2QPlus = RegisteredPolicy(Clock2QPlus.self)
}

/// S3-FIFO that ignores correlated references: hits soon after an object's admission do not count.
/// The paper defines the window in admissions of objects. With a capacity in bytes, the window is a
/// share of the small queue's bytes and admissions are counted in bytes.
struct Clock2QPlus: EvictionPolicy, FillingQueuePolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "clock2q-plus", family: .queue,
    summary: "As s4-fifo, with CLOCK as the main queue; a hit in the small FIFO counts only when a "
      + "window of other objects has entered it since. In bytes the window is in bytes.",
    parameters: [
      PolicyParameter("small", default: "0.1", "share of the small queue, above 0 and below 1"),
      PolicyParameter(
        "threshold", default: "1", "hits in the small queue that move an object to main, 1 to 3"),
      PolicyParameter(
        "ghost", default: "0.9", "size of the ghost queue, share of the capacity"),
      PolicyParameter(
        "window", default: "0.5",
        "share of the small queue that must enter after an object before its hits count"
      ),
      largeParameter,
    ],
    configurations: ["0.05", "0.1", "0.2", "0.4"].flatMap { small in
      ["0.25", "0.5", "0.75"].map { "small=\(small):window=\($0)" }
    },
    paper: "Clock2Q+, arXiv 2511.21958; the rule of libCacheSim's Clock2QPlus")

  var queues: ThreeQueues
  var missedGhost = false
  var admissions: AdmissionLog
  var hasEvicted = false
  let refusesLarge: Bool
  var owed: UInt64 = 0
  private let window: UInt64
  let highestLeaving: UInt32

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let small = try spec.share("small", default: 0.1, in: 0.0001...0.9999).of(setup.capacity)
    let ghost = try spec.number("ghost", default: 0.9, in: 0...100)
    let threshold = try spec.integer("threshold", default: 1, in: 1...3)
    // A whole number reaches a fraction when it reaches the next whole number.
    let window = try spec.share("window", default: 0.5, in: 0...1).ceiling(of: small)
    let refusesLarge = try spec.flag("refuse-large", default: true)
    queues = try ThreeQueues(
      setup, small: small, ghosts: DecimalShare(ghost).of(setup.capacity),
      ghostsPerResident: GhostLimit.usualPerResident * max(1, Int(ghost.rounded(.up))))
    admissions = AdmissionLog(objects: setup.objects, keeps: window > 0)
    highestLeaving = UInt32(threshold - 1)
    self.window = window
    self.refusesLarge = refusesLarge
  }

  static var resetsMain: Bool { true }

  var promotesGhosts: Bool { true }

  func amount(of size: UInt32) -> UInt64 { UInt64(size) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    if window > 0, queues.isInSmall(request.id), admissions.later(than: request.id) < window {
      return
    }
    queues.count(request.id)
  }

  var hitWords: HitWords? { window == 0 ? queues.counting : nil }
}
