/// The objects that AdaptSize has seen, by fingerprint: how often each was requested, and its size.
///
/// Open addressing with linear probing, the objects in the table itself: every request looks at one
/// of them, so each costs one cache miss. Memory: 16 bytes for each slot, of which there are 1.6 to
/// 3.2 for each object.
struct AdaptSizeObjects: ~Copyable {
  // Not private: the compiler (6.3) fails in debug mode where a column is of a private type.
  struct Object: BitwiseCopyable {
    /// Requests since the last search. A slot without any, and none before, is empty.
    var recent: Float
    /// Weighted requests before.
    var before: Float
    var fingerprint: UInt32
    var size: UInt32

    var isEmpty: Bool { recent == 0 && before == 0 }
  }

  private var slots: Column<Object>
  private var mask: UInt32
  /// Objects that it has.
  private(set) var count = 0
  /// The sum of the sizes, in bytes.
  private(set) var sizeSum = 0.0

  private static let roomMin = 1024

  /// None yet.
  init() { self.init(room: Self.roomMin) }

  private init(room: Int) {
    mask = UInt32(room - 1)
    slots = Column(objects: room - 1)
  }

  /// Memory held, in bytes.
  var bytes: Int { slots.bytes }

  /// An object is requested. Amortised O(1).
  @inline(__always)
  mutating func note(_ request: Request) {
    var slot = slot(of: request.fingerprint)
    if slots[slot].isEmpty {
      if (count + 1) * 8 > (Int(mask) + 1) * 5 {
        grow()
        slot = self.slot(of: request.fingerprint)
      }
      count += 1
      slots[slot] = Object(recent: 0, before: 0, fingerprint: request.fingerprint, size: 0)
    }
    slots[slot].recent += 1
    // A hit may say another size than the object's; what was asked for last counts.
    sizeSum += Double(request.size) - Double(slots[slot].size)
    slots[slot].size = request.size
  }

  /// Brings an object near.
  func prefetch(_ fingerprint: UInt32) { slots.prefetch(home(fingerprint)) }

  /// Moves the counts on and forgets what was hardly requested. O(objects).
  mutating func age() {
    var room = Self.roomMin
    while room * 5 < count * 8 { room *= 2 }
    var kept = AdaptSizeObjects(room: room)
    for slot in 0...mask where !slots[slot].isEmpty {
      var object = slots[slot]
      object.before = object.before == 0 ? object.recent : object.before * 0.3 + object.recent * 0.7
      guard object.before >= 0.1 else { continue }
      object.recent = 0
      kept.put(object)
    }
    self = kept
  }

  /// A model of what was requested until `age` was called. O(objects).
  func model(capacity: Double) -> AdaptSizeModel {
    var groups = AdaptSizeGroups()
    for slot in 0...mask where !slots[slot].isEmpty {
      groups.add(rate: slots[slot].before, size: slots[slot].size)
    }
    return AdaptSizeModel(capacity: capacity, groups: groups)
  }

  /// Where the object of a fingerprint is, or would be. O(1) on average.
  @inline(__always)
  private func slot(of fingerprint: UInt32) -> UInt32 {
    var slot = home(fingerprint)
    while slots[slot].fingerprint != fingerprint, !slots[slot].isEmpty { slot = (slot + 1) & mask }
    return slot
  }

  @inline(__always)
  private func home(_ fingerprint: UInt32) -> UInt32 {
    let hash = UInt64(fingerprint) &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: hash >> 32) & mask
  }

  /// Adds an object whose fingerprint is not there, for which there is room.
  private mutating func put(_ object: Object) {
    slots[slot(of: object.fingerprint)] = object
    count += 1
    sizeSum += Double(object.size)
  }

  @inline(never)
  private mutating func grow() {
    var larger = AdaptSizeObjects(room: (Int(mask) + 1) * 2)
    for slot in 0...mask where !slots[slot].isEmpty { larger.put(slots[slot]) }
    self = larger
  }
}
