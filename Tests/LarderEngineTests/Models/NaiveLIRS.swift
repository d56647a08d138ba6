import LarderEngine

/// LIRS (Jiang and Zhang, SIGMETRICS 2002, section 3.3), with sizes for counts, and as its authors'
/// program does with a request for the object requested last: it changes nothing.
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
  /// S, bottom first: what was requested most recently is last.
  var stack: [Block] = []
  /// Q: the resident HIR blocks, in the stack or not, the next victim first.
  var queue: [NaiveWeighted] = []

  let lirLimit: UInt64
  /// What the ghosts in the stack may come to; nil for no limit.
  let ghostLimit: UInt64?

  init(capacity: UInt64, hir: Double, stack: Double) {
    lirLimit = capacity - min(max(UInt64(hir * Double(capacity)), 2), capacity)
    ghostLimit = stack == 0 ? nil : UInt64(stack * Double(capacity))
  }

  func contains(_ id: ObjectID) -> Bool {
    queue.has(id) || stack.contains { $0.id == id && $0.status == .lir }
  }
  func isGhost(_ id: ObjectID) -> Bool {
    stack.contains { $0.id == id && $0.status == .ghost }
  }
  func weight(_ status: Status) -> UInt64 {
    stack.reduce(0) { $0 + ($1.status == status ? $1.size : 0) }
  }

  mutating func hit(_ request: Request) {
    let size = UInt64(request.size)
    if let top = stack.last, top.id == request.id {
      // Requested last: only its size may be another.
      stack[stack.count - 1].size = size
      if let place = queue.firstIndex(where: { $0.id == request.id }) { queue[place].size = size }
      settle()
      return
    }
    let wasInStack = stack.take { $0.id == request.id } != nil
    let wasLIR = queue.take { $0.id == request.id } == nil
    push(request, isLIR: wasLIR || wasInStack)
  }

  mutating func insert(_ request: Request) {
    let wasInStack = stack.take { $0.id == request.id } != nil
    let isRoom = weight(.lir) + UInt64(request.size) <= lirLimit
    push(request, isLIR: wasInStack || isRoom)
  }

  /// Puts a block on top of the stack and, where it is HIR, to the end of the queue.
  private mutating func push(_ request: Request, isLIR: Bool) {
    let size = UInt64(request.size)
    let isLIR = isLIR && size <= lirLimit
    stack.append(Block(id: request.id, size: size, status: isLIR ? .lir : .residentHIR))
    if !isLIR { queue.append(NaiveWeighted(request)) }
    settle()
  }

  /// Turns LIR blocks from the bottom into HIR blocks until the others are few enough, and prunes.
  private mutating func settle() {
    while weight(.lir) > lirLimit {
      prune()
      let bottom = stack.removeFirst()
      queue.append(NaiveWeighted(Request(id: bottom.id, size: UInt32(bottom.size))))
    }
    prune()
  }

  /// Stack pruning: the bottom is a LIR block.
  private mutating func prune() {
    while let bottom = stack.first, bottom.status != .lir { stack.removeFirst() }
  }

  mutating func evict() -> ObjectID {
    if queue.isEmpty {
      let bottom = stack.removeFirst()
      prune()
      return bottom.id
    }
    let victim = queue.removeFirst()
    if let place = stack.firstIndex(where: { $0.id == victim.id }) {
      stack[place].status = .ghost
      forget()
    }
    return victim.id
  }

  /// Drops the lowest ghosts that are too many.
  private mutating func forget() {
    guard let ghostLimit else { return }
    while weight(.ghost) > ghostLimit {
      _ = stack.take { $0.status == .ghost }
    }
  }

  mutating func remove(_ id: ObjectID) {
    stack.removeAll { $0.id == id }
    queue.drop(id)
    prune()
  }
}
