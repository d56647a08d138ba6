import LarderEngine

/// A policy with the three queues of S4-FIFO, such as S4-FIFO and Clock2Q+: until the first
/// eviction, objects that do not fit into the small queue fill main, and objects at least as large
/// as the small queue are rejected. Conforming types choose the hits that count and the effect of a
/// hit in main.
protocol FillingQueuePolicy: ThreeQueuePolicy, ~Copyable {
  var admissions: AdmissionLog { get set }
  var hasEvicted: Bool { get set }
  var promotesGhosts: Bool { get }
  var refusesLarge: Bool { get }
  var highestLeaving: UInt32 { get }
  static var resetsMain: Bool { get }
  var owed: UInt64 { get set }
  func amount(of size: UInt32) -> UInt64
}

extension FillingQueuePolicy where Self: ~Copyable {
  static var largeParameter: PolicyParameter {
    PolicyParameter(
      "refuse-large", default: "true", inRealCaches: "false",
      "true: objects that are not smaller than the small queue are never stored")
  }

  /// Removes a ghost and rejects an object that is too large. An object exactly as large as the
  /// small queue is rejected as late as in the reference, after room was made for it.
  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    // Objects without a size become ghosts even if the ghost queue has no room for others.
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

  @inline(__always) var overflows: Bool {
    owed != 0
      && queues.smallUsed + queues.mainUsed + owed > queues.smallCapacity + queues.mainCapacity
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    if missedGhost || (!hasEvicted && queues.smallUsed >= queues.smallCapacity) {
      queues.pushMain(request.id, request.size)
    } else {
      queues.pushSmall(request.id, request.size)
      admissions.admit(request.id, amount(of: request.size))
    }
    missedGhost = false
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    hasEvicted = true
    if queues.mainUsed <= queues.mainCapacity {
      while !queues.isSmallEmpty {
        let victim = queues.popSmall(movingAbove: highestLeaving, sizes)
        if victim != .none { return victim }
      }
    }
    return queues.popMain(sizes, resets: Self.resetsMain)
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

  @inline(__always) func prefetch(_ id: ObjectID) {
    queues.prefetch(id)
    admissions.prefetch(id)
  }

  var stateBytes: Int { queues.bytes + admissions.bytes }
}

/// A running total of the admissions to a queue, with the total at each object's admission: the age
/// of an object in admissions. The latest can be retracted, so that it leaves no trace.
struct AdmissionLog: ~Copyable {
  let keeps: Bool
  var total: UInt64 = 0
  var latest = ObjectID.none
  var latestAmount: UInt64 = 0
  // The total right after the object's latest admission.
  var stamps: Column<UInt64>

  init(objects: Int, keeps: Bool) {
    self.keeps = keeps
    stamps = Column(objects: keeps ? objects : 0)
  }

  @inline(__always) mutating func admit(_ id: ObjectID, _ amount: UInt64) {
    guard keeps else { return }
    total += amount
    stamps[id] = total
    latest = id
    latestAmount = amount
  }

  @inline(__always) func later(than id: ObjectID) -> UInt64 { total - stamps[id] }

  mutating func retract(_ id: ObjectID) {
    guard keeps, id == latest, id != .none else { return }
    total -= latestAmount
    latest = .none
  }

  mutating func reserve(objects: Int) { if keeps { stamps.reserve(objects: objects) } }

  @inline(__always) func prefetch(_ id: ObjectID) {
    if keeps { stamps.prefetch(id) }
  }

  var bytes: Int { keeps ? stamps.bytes : 0 }
}
