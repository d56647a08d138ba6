import CLarderShims
import LarderEngine
import Synchronization

/// What the writer has found in a ring and not yet taken out.
struct RecordStretch {
  private let ring: RecordRing
  private var next: UInt32
  private let end: UInt32
  /// The operation at `next`.
  private var unit: RecordUnit
  /// Words that `unit` takes.
  private var words: UInt32
  /// The time of gets, which is said in a word before the first of them. It is said again in the
  /// next stretch only if it is another; so the ring keeps it.
  private var time: UInt64
  /// Words taken out that whoever notes does not know of yet.
  private var unsaid: UInt32 = 0

  /// Looks at what there is now; nil if there is nothing.
  init?(_ ring: RecordRing) {
    next = ring.tail.pointee.load(ordering: .relaxed)
    end = ring.head.pointee.load(ordering: .acquiring)
    guard next != end else { return nil }
    self.ring = ring
    time = ring.drainedTime
    (unit, words) = (RecordUnit(.get, 0, time: time), 0)
    read()
  }

  /// Whether everything was taken out.
  var isEmpty: Bool { next == end }

  /// What operations of several rings are ordered by: the time, and gets first.
  var order: UInt64 { unit.time &<< 1 | (unit.isGet ? 0 : 1) }

  /// Takes operations out as long as their order is not above `limit`, and one in any case.
  mutating func take(upTo limit: UInt64, _ body: (RecordUnit) -> Void) {
    repeat {
      body(unit)
      next &+= words
      unsaid += words
      if next == end || unsaid >= ring.capacity / 8 { say() }
      if next == end { return }
      read()
    } while order <= limit
  }

  private mutating func say() {
    ring.drainedTime = time
    // Everything was read before: the store is a release, which pairs with the acquiring load in
    // `RecordRing.looksForRoom`.
    larder_end_protection(ring.tail, next)
    unsaid = 0
  }

  /// Reads the operation at `next`. A time is noted with the get behind it, and never alone.
  private mutating func read() {
    var word = ring[next]
    words = 0
    if word & RecordWord.mask == RecordWord.time {
      time = word >> 2
      word = ring[next &+ 1]
      words = 1
    }
    if word & RecordWord.mask == RecordWord.operation {
      unit = RecordUnit(in: ring, at: next &+ words)
      words += unit.words
      time = unit.time
    } else {
      unit = RecordUnit(.get, word, time: time)
      unit.outcome = word & RecordWord.mask == RecordWord.hit ? .hit : .miss
      words += 1
    }
  }
}
