/// How many objects a cache holds when it is full: its capacity, or, where that is in bytes, the
/// most that were resident so far. What policies measure histories and periods by.
struct CacheSizeInObjects {
  private let capacity: Int?
  private var residents = 0
  private var most = 1

  /// An empty cache.
  init(_ setup: PolicySetup) {
    capacity = setup.unit == .objects ? Int(min(setup.capacity, 1 << 40)) : nil
  }

  /// At least 1.
  @inline(__always)
  var objects: Int { capacity ?? most }

  /// A share of the size, rounded down.
  @inline(__always)
  func share(_ share: Double) -> Int { Int(Double(objects) * share) }

  /// An object becomes resident.
  @inline(__always)
  mutating func enter() {
    residents += 1
    most = max(most, residents)
  }

  /// A resident object leaves.
  @inline(__always)
  mutating func leave() { residents -= 1 }
}
