import LarderEngine

/// A change of the policy that leads a cache, spread over requests. First the objects leave the old
/// tier, in the order in which it evicts them; then they enter the new one, the least recently
/// requested first, those requested meanwhile last. Until then the cache evicts in the order in
/// which they left. At last, what the new tier has refused is evicted. They wait in buckets of ages
/// that span at most 1/64 of them.
final class Handover {
  /// Objects that a request moves or evicts at most.
  static let pace = 64
  /// Places that a request looks at for them: some objects have left meanwhile.
  static let looksMax = 16 * pace

  let tier: CacheTier
  let policy: Int
  // The number of requests at the start.
  private let start: UInt64

  // Residents that have left the old tier, or came since, and their places.
  private var residents: [ObjectID] = []
  private var places: Column<UInt32>
  private var residentsByAge: AgeBuckets
  // The last request of each ghost, by its place among the ghosts.
  private var ghosts: [UInt32] = []
  private var ghostsByAge: AgeBuckets
  private var nextVictim = 0
  private var bucket = AgeBuckets.count - 1
  private var refused: [ObjectID] = []
  private var refusedGone = 0
  private(set) var batch: [Entry] = []

  var isLeaving = true

  init(
    to policy: Int, _ tier: CacheTier, at start: UInt64, residents: Int, ghosts: Int, objects: Int
  ) {
    self.policy = policy
    self.tier = tier
    self.start = start
    places = LargeMemory.withSmallPages { Column(objects: objects) }
    // Room also for those requested in the meantime: growing would copy them within one request.
    let room = residents + 3 * (residents + ghosts) / Handover.pace + 4 * Handover.pace
    refused.reserveCapacity(residents)
    self.residents.reserveCapacity(room)
    residentsByAge = AgeBuckets(room: room)
    self.ghosts.reserveCapacity(ghosts)
    ghostsByAge = AgeBuckets(room: ghosts)
  }

  func holds(_ id: ObjectID) -> Bool {
    let place = Int(places[id])
    return place < residents.count && residents[place] == id
  }

  func add(_ id: ObjectID, age: UInt32, at request: UInt64) {
    places[id] = UInt32(truncatingIfNeeded: residents.count)
    residents.append(id)
    residentsByAge.append(AgeBuckets.bucket(ageAtStart(age, request)))
  }

  func addGhost(last: UInt32, age: UInt32, at request: UInt64) {
    ghosts.append(last)
    ghostsByAge.append(AgeBuckets.bucket(ageAtStart(age, request)))
  }

  var ghostCount: Int { ghosts.count }

  func reserve(_ objects: Int) {
    places.reserve(objects: objects)
    tier.reserve(objects)
  }

  func remove(_ id: ObjectID) { residents[Int(places[id])] = .none }

  func victim() -> ObjectID {
    while nextVictim < residents.count {
      if residents[nextVictim] != .none { return residents[nextVictim] }
      nextVictim += 1
    }
    return .none
  }

  /// The next to enter: a resident, or the ghost at a place among the ghosts.
  struct Entry {
    var id = ObjectID.none
    var place = 0
    var last: UInt32 = 0
    var isGhost: Bool { id == .none }
  }

  /// Puts the next `count` that enter into `batch`; true if there are no more, or fewer.
  func take(_ count: Int) -> Bool {
    batch.removeAll(keepingCapacity: true)
    for _ in 0..<Handover.looksMax where batch.count < count {
      while ghostsByAge.isEmpty(bucket), residentsByAge.isEmpty(bucket) {
        if bucket == 0 { return true }
        bucket -= 1
      }
      if let place = ghostsByAge.removeFirst(of: bucket) {
        batch.append(Entry(place: place, last: ghosts[place]))
      } else if let place = residentsByAge.removeFirst(of: bucket), residents[place] != .none {
        // Others have left, or wait again.
        batch.append(Entry(id: residents[place]))
      }
    }
    return false
  }

  func refuse(_ id: ObjectID) { refused.append(id) }
  var hasRefused: Bool { refusedGone < refused.count }

  func nextRefused() -> ObjectID? {
    guard hasRefused else { return nil }
    refusedGone += 1
    return refused[refusedGone - 1]
  }

  var bytes: Int {
    tier.stateBytes + places.bytes + (residents.capacity + ghosts.capacity + refused.count) * 4
      + residentsByAge.bytes + ghostsByAge.bytes
  }

  private func ageAtStart(_ age: UInt32, _ request: UInt64) -> UInt32 {
    let since = UInt32(clamping: request - start)
    return age > since ? age - since : 0
  }
}

/// Queues of objects of similar ages. An object is known by its number, in order of adding.
private struct AgeBuckets {
  static let count = 64 * 27

  // The first and last object of each bucket, and the next of each object; plus one, 0 for none.
  private var first = [UInt32](repeating: 0, count: AgeBuckets.count)
  private var last = [UInt32](repeating: 0, count: AgeBuckets.count)
  private var next: [UInt32] = []

  init(room: Int) { next.reserveCapacity(room) }

  static func bucket(_ age: UInt32) -> Int {
    let shift = max(0, 25 - age.leadingZeroBitCount)
    return shift << 6 + Int(age >> UInt32(shift))
  }

  mutating func append(_ bucket: Int) {
    next.append(0)
    let number = UInt32(truncatingIfNeeded: next.count)
    if last[bucket] == 0 { first[bucket] = number } else { next[Int(last[bucket]) - 1] = number }
    last[bucket] = number
  }

  func isEmpty(_ bucket: Int) -> Bool { first[bucket] == 0 }

  mutating func removeFirst(of bucket: Int) -> Int? {
    guard first[bucket] != 0 else { return nil }
    let number = Int(first[bucket]) - 1
    first[bucket] = next[number]
    if first[bucket] == 0 { last[bucket] = 0 }
    return number
  }

  var bytes: Int { (first.capacity + last.capacity + next.capacity) * 4 }
}
