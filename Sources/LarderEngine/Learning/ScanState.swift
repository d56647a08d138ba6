/// What 3L-Cache adapts: how far and among which objects it looks for candidates, after each scan
/// of the whole queue.
struct ScanState {
  /// Of the candidates predicted together, one in so many is evicted.
  static var evictionRate: Int { 2 }
  private static var most: Int { 255 }

  /// Objects in the queue when the scan began; 0 before the first.
  var length = 0
  /// Objects looked at in this scan.
  var looked = 0
  /// Objects requested more often than this are candidates at the beginning of the queue alone.
  var boundary: Int
  /// Percentage of the queue that is its beginning.
  private(set) var beginning = 1
  /// Percentage of the size for which new objects wait before they are candidates.
  private(set) var reserved = 2
  /// When the last candidate of the old ones was requested.
  var lastCandidate: UInt64 = 0

  // Victims by the logarithm of their requests.
  private var victims: [UInt64] = Array(repeating: 0, count: 16)
  // Of the candidates from the beginning, then from the rest: victims, and all.
  private var old = (victims: UInt64(0), candidates: UInt64(0))
  private var oldBefore = (victims: UInt64(0), candidates: UInt64(0))
  private let adapts: Bool

  /// Nothing learned yet. For the ratio of objects nothing is, and all objects are candidates.
  init(adapts: Bool) {
    self.adapts = adapts
    boundary = adapts ? 1 : 65_535
  }

  /// Candidates that are taken from the old objects at a time.
  var sampleSize: Int {
    let share = Double(length) * 0.01 + Double(ScanState.evictionRate)
    return 1024 >= share ? (length > 2 ? Int(share) : 2) : 1024
  }

  /// Objects looked at that are the beginning of the queue.
  private var beginningLength: Int { length * beginning / 100 }

  /// Whether an object requested so often is a candidate where the scan stands.
  mutating func isCandidate(requests: UInt16) -> Bool {
    if oldBefore.candidates == 0, looked > beginningLength {
      oldBefore = old
      old = (0, 0)
    }
    return Int(requests) - 1 < boundary || looked <= beginningLength + ScanState.evictionRate
  }

  /// So many old candidates were predicted.
  mutating func note(candidates: Int) { old.candidates += UInt64(candidates) }

  /// An object is evicted.
  mutating func note(victimWith requests: UInt16, isOld: Bool) {
    victims[15 - requests.leadingZeroBitCount] += 1
    if isOld { old.victims += 1 }
  }

  /// The queue was looked at to its end: begins anew with so many objects.
  mutating func restart(length: Int, arrivals: Int) {
    self.length = length
    looked = 0
    guard adapts else { return }
    adaptBoundary()
    if oldBefore.victims * old.candidates > old.victims * oldBefore.candidates {
      beginning = min(beginning + 1, ScanState.most)
    } else if beginning > 1 {
      beginning -= 1
    }
    if old.victims + oldBefore.victims > UInt64(arrivals) {
      reserved = min(reserved + 1, ScanState.most)
    } else if reserved > 1 {
      reserved /= 2
    }
    old = (0, 0)
    oldBefore = (0, 0)
    for place in victims.indices { victims[place] = 0 }
  }

  /// The number of requests below which 99 % of the victims were, between powers of two in
  /// proportion.
  private mutating func adaptBoundary() {
    let most = 0.99 * Double(victims.reduce(0, +))
    var sum: UInt64 = 0
    for (power, count) in victims.enumerated() {
      sum += count
      guard Double(sum) >= most else { continue }
      let half = power == 0 ? 0 : Double(1 << (power - 1))
      let share = (most + Double(count) - Double(sum)) / Double(count)
      boundary = power == 0 ? 1 : Int(half + (half * share).rounded(.up))
      return
    }
  }
}
