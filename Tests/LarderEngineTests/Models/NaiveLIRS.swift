import LarderEngine

/// LIRS (Jiang and Zhang, SIGMETRICS 2002, section 3.3), with sizes for counts.
///
/// As in the authors' program, a request for the object requested last changes nothing, and a new
/// object is LIR while the whole cache is no fuller than the LIR part may be. The paper's rule for
/// the start, "any blocks referenced get LIR status", also applies when no LIR block is left,
/// because the stack needs one. Objects larger than the LIR part never become LIR.
struct NaiveLIRS: NaivePolicy {
  enum Status {
    case lir
    case residentHIR
    case ghost
  }
  struct Block {
    var id: ObjectID
    var size: UInt64
    var status: Status
  }
  /// S, bottom first: the most recent request is last.
  var stack: [Block] = []
  /// Q: the resident HIR blocks, in the stack or not, the next victim first.
  var queue: [NaiveWeighted] = []
  var ghosts: [ObjectID] = []
  var returning: ObjectID = .none

  let lirLimit: UInt64
  let ghostLimit: UInt64?

  init(capacity: UInt64, hir: Double, stack: Double) {
    lirLimit = capacity - min(max(UInt64(hir * Double(capacity)), 2), capacity)
    ghostLimit = stack == 0 ? nil : UInt64(stack * Double(capacity))
  }

  func contains(_ id: ObjectID) -> Bool {
    queue.has(id) || stack.contains { $0.id == id && $0.status == .lir }
  }
  func isGhost(_ id: ObjectID) -> Bool { stack.contains { $0.id == id && $0.status == .ghost } }
  func weight(_ status: Status) -> UInt64 {
    stack.reduce(0) { $0 + ($1.status == status ? $1.size : 0) }
  }

  mutating func hit(_ request: Request) { if stack.last?.id != request.id { use(request) } }

  mutating func replace(_ request: Request) {
    let size = UInt64(request.size)
    if let place = queue.firstIndex(where: { $0.id == request.id }) { queue[place].size = size }
    if let place = stack.firstIndex(where: { $0.id == request.id }) { stack[place].size = size }
    hit(request)
    if let place = stack.firstIndex(where: { $0.id == request.id && $0.status == .lir }),
      size > lirLimit
    {
      stack[place].status = .residentHIR
      queue.append(NaiveWeighted(request))
    }
    settle()
  }

  mutating func admit(_ request: Request) -> Bool {
    returning = stack.take { $0.id == request.id }?.id ?? .none
    ghosts.removeAll { $0 == request.id }
    return true
  }

  mutating func insert(_ request: Request) {
    use(request)
    returning = .none
  }

  private mutating func use(_ request: Request) {
    let old = stack.take { $0.id == request.id }
    let wasInStack = old != nil || returning == request.id
    let isResident = queue.take { $0.id == request.id } != nil || old?.status == .lir
    let size = UInt64(request.size)
    let used = weight(.lir) + queue.weight
    let isLIR =
      wasInStack || weight(.lir) == 0 || (!isResident && used + size <= lirLimit)
    if isLIR && size <= lirLimit {
      stack.append(Block(id: request.id, size: size, status: .lir))
    } else {
      stack.append(Block(id: request.id, size: size, status: .residentHIR))
      queue.append(NaiveWeighted(request))
    }
    settle()
  }

  mutating func settle() {
    prune()
    while weight(.lir) > lirLimit {
      let bottom = stack.removeFirst()
      queue.append(NaiveWeighted(Request(id: bottom.id, size: UInt32(bottom.size))))
      prune()
    }
  }

  mutating func prune() {
    while let bottom = stack.first, bottom.status != .lir { stack.removeFirst() }
    ghosts = ghosts.filter { isGhost($0) }
  }

  mutating func trimGhosts() {
    while let ghostLimit, weight(.ghost) > ghostLimit {
      let oldest = ghosts.removeFirst()
      stack.removeAll { $0.id == oldest }
    }
  }

  mutating func evict() -> ObjectID {
    if queue.isEmpty {
      let bottom = stack.removeFirst()
      prune()
      return bottom.id
    }
    let victim = queue.removeFirst()
    guard let place = stack.firstIndex(where: { $0.id == victim.id }) else { return victim.id }
    if let ghostLimit, victim.size > ghostLimit {
      stack.remove(at: place)
      return victim.id
    }
    stack[place].status = .ghost
    ghosts.append(victim.id)
    trimGhosts()
    return victim.id
  }

  mutating func remove(_ id: ObjectID) {
    stack.removeAll { $0.id == id }
    ghosts.removeAll { $0 == id }
    queue.drop(id)
    prune()
  }
}
