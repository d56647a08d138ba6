import LarderEngine

/// The ids of a shard in the order in which their entries expire, to a tick.
///
/// A hierarchical timing wheel: level 0 has a slot for each of the next 64 ticks, level 1 one for
/// each of the next 64 turns of level 0, and so on; when a turn begins, its slot is spread over the
/// level below. (Varghese and Lauck, Hashed and hierarchical timing wheels, SOSP 1987, scheme 7.)
/// A mask for each level says which slots are taken, so time without entries takes no time. An id
/// is in one slot at most. Setting it is O(1), and it is moved down at most once a level.
///
/// When an id's entry expires is asked when its turn comes: an entry whose expiry was put off in
/// between is moved then, and of one that is gone nothing has to be told.
struct ExpiryWheel {
  private static let levels = 6
  /// Slots of a level are 2^6, and their lists begin at nodes 0 to `slots` - 1.
  private static let digit: UInt64 = 6
  private static let slots = levels << 6
  private static let reach: UInt64 = 1 << (digit * UInt64(levels))
  private static let unlinked = UInt32.max

  /// A tick is 2^shift microseconds.
  let shift: UInt64
  /// The last tick that is over, counted from the clock's beginning.
  private var tick: UInt64
  private var masks = [UInt64](repeating: 0, count: levels)
  // Rings with a node for each slot, and then one for each id.
  private var next: [UInt32]
  private var previous: [UInt32]

  /// An empty wheel for ids up to `room`, with ticks of up to `granule` microseconds, at least 1.
  init(room: Int, granule: UInt64, now: UInt64) {
    shift = UInt64(63 - max(1, granule).leadingZeroBitCount)
    tick = now >> shift
    next = (0..<UInt32(Self.slots)).map { $0 }
    previous = next
    reserve(room: room)
  }

  /// Makes room for ids up to `room`. O(`room`).
  mutating func reserve(room: Int) {
    let missing = Self.slots + room + 1 - next.count
    guard missing > 0 else { return }
    next += repeatElement(Self.unlinked, count: missing)
    previous += repeatElement(Self.unlinked, count: missing)
  }

  /// Memory held, in bytes.
  var bytes: Int { (next.capacity + previous.capacity) * MemoryLayout<UInt32>.stride }

  /// Sets when the entry of an id expires, microseconds; `UInt64.max` for never. O(1).
  mutating func set(_ id: ObjectID, expires: UInt64, now: UInt64) {
    let node = Self.node(id)
    if next[node] != Self.unlinked { unlink(node) }
    guard expires != .max else { return }
    if masks.allSatisfy({ $0 == 0 }) { tick = max(tick, now >> shift) }
    link(node, expires: expires)
  }

  /// When the next slot comes, microseconds; `UInt64.max` where all are empty. O(1).
  var nextInstant: UInt64 {
    let next = nextTick
    return next > UInt64.max >> shift ? .max : next << shift
  }

  /// Goes on to `now` and takes out the ids that are due. Amortised O(1) for each.
  ///
  /// - Parameter expires: When an id's entry expires; nil if it has none.
  mutating func advance(to now: UInt64, expires: (ObjectID) -> UInt64?) -> [ObjectID] {
    var due: [ObjectID] = []
    let target = now >> shift
    while nextTick <= target {
      tick = nextTick
      for level in (0..<Self.levels).reversed() {
        let shift = Self.digit * UInt64(level)
        // A slot of this level begins only when all levels below are at their beginning.
        guard tick & (1 << shift - 1) == 0 else { continue }
        for id in take(level, Int(tick >> shift & 63)) {
          guard let expires = expires(id) else { continue }
          if expires <= now { due.append(id) } else { set(id, expires: expires, now: now) }
        }
      }
    }
    tick = max(tick, target)
    return due
  }

  // MARK: Slots

  private static func node(_ id: ObjectID) -> Int { slots + Int(id) }

  /// The next tick at which a slot begins that is not empty; more than all ticks if there is none.
  private var nextTick: UInt64 {
    var first = UInt64.max
    for level in 0..<Self.levels where masks[level] != 0 {
      let shift = Self.digit * UInt64(level)
      let turn = tick >> shift
      // The slot behind the current one is the first of the mask once it is turned.
      let behind = (turn + 1) & 63
      let turned = masks[level] >> behind | (behind == 0 ? 0 : masks[level] << (64 - behind))
      first = min(first, (turn + 1 + UInt64(turned.trailingZeroBitCount)) << shift)
    }
    return first
  }

  private mutating func link(_ node: Int, expires: UInt64) {
    // The first tick by which it has expired, as far as the wheel reaches.
    let over = (max(1, expires) - 1) >> shift + 1
    let wanted = min(max(over, tick + 1), tick + Self.reach - 1)
    let level = (63 - (wanted - tick).leadingZeroBitCount) / Int(Self.digit)
    let slot = Int(wanted >> (Self.digit * UInt64(level)) & 63)
    masks[level] |= 1 << UInt64(slot)
    let head = level << 6 | slot
    let last = Int(previous[head])
    next[last] = UInt32(node)
    previous[node] = UInt32(last)
    next[node] = UInt32(head)
    previous[head] = UInt32(node)
  }

  private mutating func unlink(_ node: Int) {
    let (before, behind) = (Int(previous[node]), Int(next[node]))
    next[before] = UInt32(behind)
    previous[behind] = UInt32(before)
    next[node] = Self.unlinked
    if before == behind { masks[before >> 6] &= ~(1 << UInt64(before & 63)) }
  }

  /// Empties a slot and returns what was in it.
  private mutating func take(_ level: Int, _ slot: Int) -> [ObjectID] {
    guard masks[level] >> UInt64(slot) & 1 == 1 else { return [] }
    masks[level] &= ~(1 << UInt64(slot))
    let head = level << 6 | slot
    var ids: [ObjectID] = []
    var node = Int(next[head])
    while node != head {
      ids.append(ObjectID(node - Self.slots))
      let behind = Int(next[node])
      next[node] = Self.unlinked
      node = behind
    }
    next[head] = UInt32(head)
    previous[head] = UInt32(head)
    return ids
  }
}
