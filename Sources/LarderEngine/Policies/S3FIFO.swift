/// Three queues: a small one that most objects leave again, a main one, and a ghost.
struct S3FIFO: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "s3-fifo", family: .queue,
    summary: "New objects enter a small FIFO; those requested more than once go on to the main "
      + "FIFO, the others leave a ghost behind, and a miss on a ghost enters main at once.",
    parameters: [
      PolicyParameter("small", default: "0.1", "share of the small queue, above 0 and below 1"),
      PolicyParameter("ghost", default: "0.9", "size of the ghost queue, share of the capacity"),
    ],
    paper: "Yang, Zhang, Qiu, Yue and Rashmi, FIFO queues are all you need for cache eviction, "
      + "SOSP 2023")

  // Where an object is, in the top two bits of its word; zero is nowhere.
  private static var inSmall: UInt32 { 1 << 30 }
  private static var inMain: UInt32 { 2 << 30 }
  private static var inGhost: UInt32 { 3 << 30 }
  private static var placeMask: UInt32 { 3 << 30 }
  // How often it was requested, up to three, in the next two.
  private static var one: UInt32 { 1 << 28 }
  private static var counterMask: UInt32 { 3 << 28 }
  // The position in its queue below.
  private static var positionMask: UInt32 { IDRing.positionLimit - 1 }

  private var words: Column<UInt32>
  private var small: IDRing
  private var main: IDRing
  private var ghost: IDRing
  // Sizes of ghosts, kept only where sizes differ: the cache has forgotten them.
  private var ghostSizes: Column<UInt32>
  private let countsBytes: Bool
  private var smallUsed: UInt64 = 0
  private var mainUsed: UInt64 = 0
  private var ghostUsed: UInt64 = 0
  private let mainCapacity: UInt64
  private let ghostCapacity: UInt64
  private var missedGhost = false
  private var forgotten = ObjectID.none

  init(_ setup: PolicySetup) throws(PolicyError) {
    try setup.requireQueueable()
    let smallShare = try setup.spec.number("small", default: 0.1, in: 0.0001...0.9999)
    let ghostShare = try setup.spec.number("ghost", default: 0.9, in: 0...100)
    let smallCapacity = max(1, UInt64(Double(setup.capacity) * smallShare))
    mainCapacity = setup.capacity - smallCapacity
    ghostCapacity = UInt64(Double(setup.capacity) * ghostShare)
    words = Column(objects: setup.objects)
    countsBytes = setup.unit == .bytes
    ghostSizes = Column(objects: countsBytes ? setup.objects : 0)
    small = IDRing(capacity: setup.expectedResidents / 8)
    main = IDRing(capacity: setup.expectedResidents)
    ghost = IDRing(capacity: setup.expectedResidents)
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool {
    let place = words[id] & S3FIFO.placeMask
    return place == S3FIFO.inSmall || place == S3FIFO.inMain
  }

  @inline(__always)
  func remembers(_ id: ObjectID) -> Bool { words[id] != 0 }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let word = words[request.id]
    let isBelow = word & S3FIFO.counterMask != S3FIFO.counterMask
    words[request.id] = word &+ (isBelow ? S3FIFO.one : 0)
  }

  static var hitsConcurrently: Bool { true }

  @inline(__always)
  func hitConcurrently(_ id: ObjectID) -> Bool {
    let word = words.loadShared(id)
    let place = word & S3FIFO.placeMask
    guard place == S3FIFO.inSmall || place == S3FIFO.inMain else { return false }
    if word & S3FIFO.counterMask != S3FIFO.counterMask {
      words.storeShared(id, word &+ S3FIFO.one)
    }
    return true
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    hit(request, sizes)
    let (old, new) = (UInt64(sizes[request.id]), UInt64(request.size))
    if words[request.id] & S3FIFO.placeMask == S3FIFO.inSmall {
      smallUsed = smallUsed - old + new
    } else {
      mainUsed = mainUsed - old + new
    }
  }

  /// Takes a ghost out before anything is evicted, so that the victims' ghosts cannot push it out.
  @inline(__always)
  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    let word = words[request.id]
    missedGhost = word != 0
    if missedGhost { forgetGhost(request.id, word) }
    return true
  }

  @inline(__always)
  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    if mainUsed <= mainCapacity {
      // Once begun with the small queue, stay with it, even if main exceeds its share meanwhile.
      while small.count > 0 {
        let id = small.popOldest()
        let size = sizes[id]
        smallUsed -= UInt64(size)
        if words[id] & S3FIFO.counterMask <= S3FIFO.one {
          rememberGhost(id, size)
          return id
        }
        mainUsed += UInt64(size)
        words[id] = S3FIFO.inMain | main.push(id)
      }
    }
    return evictFromMain(sizes)
  }

  @inline(__always)
  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    if missedGhost {
      mainUsed += UInt64(request.size)
      words[request.id] = S3FIFO.inMain | main.push(request.id)
    } else {
      smallUsed += UInt64(request.size)
      words[request.id] = S3FIFO.inSmall | small.push(request.id)
    }
    missedGhost = false
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    let word = words[id]
    switch word & S3FIFO.placeMask {
    case S3FIFO.inSmall:
      small.remove(at: word & S3FIFO.positionMask)
      smallUsed -= UInt64(sizes[id])
    case S3FIFO.inMain:
      main.remove(at: word & S3FIFO.positionMask)
      mainUsed -= UInt64(sizes[id])
    case S3FIFO.inGhost: forgetGhost(id, word)
    default: return
    }
    words[id] = 0
  }

  // Where sizes differ an object may weigh nothing, and of such ghosts there is no highest number.
  var ghostsMax: Int { countsBytes ? .max : Int(min(ghostCapacity, 1 << 40)) }

  @inline(__always)
  mutating func takeForgotten() -> ObjectID {
    defer { forgotten = .none }
    return forgotten
  }

  mutating func reserve(objects: Int) {
    words.reserve(objects: objects)
    if countsBytes { ghostSizes.reserve(objects: objects) }
  }

  @inline(__always)
  func prefetch(_ id: ObjectID) { words.prefetch(id) }

  var stateBytes: Int {
    words.bytes + small.bytes + main.bytes + ghost.bytes + (countsBytes ? ghostSizes.bytes : 0)
  }

  @inline(__always)
  private mutating func evictFromMain(_ sizes: some ObjectSizes) -> ObjectID {
    while true {
      let id = main.popOldest()
      let counter = words[id] & S3FIFO.counterMask
      if counter == 0 {
        mainUsed -= UInt64(sizes[id])
        words[id] = 0
        return id
      }
      words[id] = S3FIFO.inMain | (counter - S3FIFO.one) | main.push(id)
    }
  }

  @inline(__always)
  private mutating func rememberGhost(_ id: ObjectID, _ size: UInt32) {
    let size = UInt64(size)
    words[id] = 0
    guard size <= ghostCapacity else { return }
    while ghostUsed + size > ghostCapacity {
      let oldest = ghost.popOldest()
      ghostUsed -= countsBytes ? UInt64(ghostSizes[oldest]) : 1
      words[oldest] = 0
      forgotten = oldest
    }
    ghostUsed += size
    if countsBytes { ghostSizes[id] = UInt32(truncatingIfNeeded: size) }
    words[id] = S3FIFO.inGhost | ghost.push(id)
  }

  @inline(__always)
  private mutating func forgetGhost(_ id: ObjectID, _ word: UInt32) {
    ghost.remove(at: word & S3FIFO.positionMask)
    ghostUsed -= countsBytes ? UInt64(ghostSizes[id]) : 1
    words[id] = 0
  }
}
