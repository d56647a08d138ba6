/// A policy of three queues as S4-FIFO has them: until something is evicted, what small has no room
/// for fills main; and what is as large as small is refused. What S4-FIFO and Clock2Q+ have in
/// common. A policy says which hits count, and what a hit is worth in main.
protocol FillingQueuePolicy: ThreeQueuePolicy, ~Copyable {
  /// The admissions to small.
  var admissions: AdmissionLog { get set }
  /// Whether anything was ever evicted.
  var hasEvicted: Bool { get set }
  /// Whether a miss on a ghost enters main.
  var promotesGhosts: Bool { get }
  /// Whether objects that are not smaller than the small queue are refused.
  var refusesLarge: Bool { get }
  /// What room is still made for although it was refused.
  var owed: UInt64 { get set }
  /// What an admission of an object of this size counts as.
  func amount(of size: UInt32) -> UInt64
}

extension FillingQueuePolicy where Self: ~Copyable {
  /// The parameter for objects that are not smaller than the small queue. A real cache stores them,
  /// because with few entries a shard it would store nothing.
  static var largeParameter: PolicyParameter {
    PolicyParameter(
      "refuse-large", default: "true", inRealCaches: "false",
      "true: objects that are not smaller than the small queue are never stored")
  }

  /// Takes a ghost out, and refuses what is too large. Exactly as large as the small queue is
  /// refused as late as in the reference: room has been made for it by then.
  @inline(__always)
  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    // Objects without a size are ghosts even where none have room.
    missedGhost = queues.forgetGhost(request.id) && promotesGhosts
    owed = 0
    guard refusesLarge else { return true }
    let size = UInt64(request.size)
    if size < queues.smallCapacity { return true }
    if size == queues.smallCapacity {
      if missedGhost { return true }
      owed = size
    }
    return false
  }

  /// Whether room is still to be made for what was refused.
  @inline(__always)
  var overflows: Bool {
    owed != 0
      && queues.smallUsed + queues.mainUsed + owed > queues.smallCapacity + queues.mainCapacity
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    if missedGhost || (!hasEvicted && queues.smallUsed >= queues.smallCapacity) {
      queues.pushMain(request.id, request.size)
    } else {
      queues.pushSmall(request.id, request.size)
      admissions.admit(request.id, amount(of: request.size))
    }
    missedGhost = false
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    owed = 0
    hit(request, sizes)
    queues.resize(request.id, from: sizes[request.id], to: request.size)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    queues.remove(id, sizes)
    admissions.retract(id)
  }

  mutating func reserve(objects: Int) {
    queues.reserve(objects: objects)
    admissions.reserve(objects: objects)
  }

  @inline(__always)
  func prefetch(_ id: ObjectID) {
    queues.prefetch(id)
    admissions.prefetch(id)
  }

  var stateBytes: Int { queues.bytes + admissions.bytes }
}
