/// How often each wait occurred: a hash table of the distinct waits, of which there are seldom more
/// than microseconds in a fetch. Where the waits grow without end, as behind an origin that cannot
/// keep up, those beyond a million distinct ones are rounded down to 12 bits, less than 0.05 %.
@usableFromInline
struct WaitCounts: ~Copyable {
  @usableFromInline
  struct Entry: BitwiseCopyable {
    @usableFromInline var wait: UInt64
    // 0 where a place is empty.
    @usableFromInline var count: UInt64
  }

  @usableFromInline var places = Column<Entry>(objects: 255)
  @usableFromInline var distinct = 0
  // The last place: waits for fetches that take equally long repeat.
  @usableFromInline var last: UInt32 = 0
  /// Sum of all waits; the largest number where it is beyond 2^64.
  @usableFromInline private(set) var total: UInt64 = 0

  @inlinable
  init() {}

  /// Memory held, in bytes.
  @usableFromInline var bytes: Int { places.bytes }

  /// Counts a wait above 0. O(1).
  @usableFromInline
  mutating func add(_ exact: UInt64) {
    let wait = distinct < Self.exactMax ? exact : Self.rounded(exact)
    let (sum, isBeyond) = total.addingReportingOverflow(exact)
    total = isBeyond ? .max : sum
    if places[last].wait == wait, places[last].count > 0 {
      places[last].count += 1
      return
    }
    if distinct * 2 > places.objects { grow() }
    last = place(of: wait)
    if places[last].count == 0 {
      places[last].wait = wait
      distinct += 1
    }
    places[last].count += 1
  }

  /// Distinct waits that are counted exactly.
  static var exactMax: Int { 1 << 20 }

  /// The 12 leading bits of a wait.
  private static func rounded(_ wait: UInt64) -> UInt64 {
    let bits = max(0, 64 - wait.leadingZeroBitCount - 12)
    return (wait >> bits) << bits
  }

  private func place(of wait: UInt64) -> UInt32 {
    let mask = UInt32(truncatingIfNeeded: places.objects)
    var place = UInt32(truncatingIfNeeded: (wait &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while places[place].count > 0, places[place].wait != wait { place = (place &+ 1) & mask }
    return place
  }

  private mutating func grow() {
    var old = Column<Entry>(objects: (places.objects + 1) * 2 - 1)
    swap(&places, &old)
    for number in 0...UInt32(truncatingIfNeeded: old.objects) where old[number].count > 0 {
      places[place(of: old[number].wait)] = old[number]
    }
    last = 0
  }

  /// The waits at the places that are these shares of `requests` waits in ascending order, rounded
  /// up; what was not counted is 0. Shares ascend. O(n log n) in the distinct waits.
  func percentiles(_ shares: [Double], of requests: UInt64) -> [UInt64] {
    var waits: [Entry] = []
    for number in 0...UInt32(truncatingIfNeeded: places.objects) where places[number].count > 0 {
      waits.append(places[number])
    }
    waits.sort { $0.wait < $1.wait }
    let counted = waits.reduce(UInt64(0)) { $0 + $1.count }
    var reached = requests > counted ? requests - counted : 0
    var next = 0
    var value: UInt64 = 0
    return shares.map { share in
      let rank = UInt64((share * Double(requests)).rounded(.up))
      while reached < rank, next < waits.count {
        value = waits[next].wait
        reached += waits[next].count
        next += 1
      }
      return value
    }
  }
}
