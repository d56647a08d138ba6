import LarderEngine

extension RegisteredPolicy {
  package static let pfooLower = bound(
    "pfoo-l", isReachable: true,
    "Hits that a cache of this capacity can reach if it knows the future and need not store a "
      + "miss. Not a policy: for one simulated tier where nothing expires.")

  package static let pfooUpper = bound(
    "pfoo-u", isReachable: false,
    "Upper bounds on the hits and on the bytes hit of any cache of this capacity, even one that "
      + "knows the future. Not a policy: for one simulated tier.")

  private static func bound(
    _ name: String, isReachable: Bool, _ summary: String
  ) -> RegisteredPolicy {
    let description = PolicyDescription(
      name: name, family: .offline, summary: summary, needs: [.size, .nextUse],
      paper: "Berger, Beckmann and Harchol-Balter, Practical bounds on optimal caching with "
        + "variable object sizes, SIGMETRICS 2018")
    return RegisteredPolicy(bound: description, isReachable: isReachable) {
      (columns, unit) throws(PolicyError) in
      var pfoo = try PFOO(columns, unit: unit)
      pfoo.isReachable = isReachable
      return pfoo
    }
  }
}

/// Bounds on the hits of the best cache that knows the future and need not store a miss (Practical
/// Flow-based Offline Optimal). A hit requires its object to be kept from one request to the next,
/// at a cost of its size times the requests in between. Such intervals are chosen by cost, the
/// cheapest first: for the *upper* bound until their sum exceeds the space of the whole trace, for
/// the *lower* bound if one fits at every time.
///
/// An object whose size changes counts with its smallest size in the upper bound, and in the lower
/// one with the largest size that its copy may have. A set or delete ends an interval; expiry is
/// ignored.
struct PFOO: PreparedBound {
  var isReachable = false

  struct Interval: Comparable {
    var need: UInt64
    var end: UInt32

    static func < (one: Interval, other: Interval) -> Bool {
      one.need != other.need ? one.need < other.need : one.end < other.end
    }
  }

  private let requests: Int
  private var intervals: [Interval] = []
  // By the end of the interval: its start, or itself, and the object's smallest weight.
  private var starts: [UInt32]
  private var sizes: [UInt32]
  // The value of each request in bytes, with a capacity in bytes; kept alive by `owner`.
  private let worths: UnsafePointer<UInt32>?
  private let owner: AnyObject?

  init(_ columns: RequestColumns, unit: CapacityUnit) throws(PolicyError) {
    guard let nextUses = columns.nextUses else {
      throw .missingNeed(policy: "pfoo", need: "the next use of each object")
    }
    requests = columns.count
    worths = unit == .bytes ? columns.sizes : nil
    owner = columns.owner
    starts = (0..<columns.count).map { UInt32(truncatingIfNeeded: $0) }
    sizes = [UInt32](repeating: 1, count: columns.count)
    var smallest: [UInt32] = []
    if unit == .bytes, let column = columns.sizes {
      smallest = [UInt32](repeating: .max, count: columns.objects + 1)
      for index in 0..<columns.count {
        let id = Int(columns.ids[index])
        smallest[id] = min(smallest[id], column[index])
      }
    }
    intervals.reserveCapacity(columns.count)
    for index in 0..<columns.count where nextUses[index] != Request.never {
      // Only a get or a set leaves a copy; the column has a next use for other operations, too.
      let operation = columns.operations.flatMap { Operation(rawValue: $0[index]) } ?? .get
      guard operation == .get || operation == .set else { continue }
      let end = Int(nextUses[index])
      let size = smallest.isEmpty ? 1 : smallest[Int(columns.ids[index])]
      starts[end] = UInt32(index)
      sizes[end] = size
      intervals.append(
        Interval(need: UInt64(size) * UInt64(end - index), end: UInt32(end)))
    }
    intervals.sort()
  }

  func upperBound(capacity: UInt64, from first: Int = 0) -> UInt64 {
    var left = space(capacity)
    var hits: UInt64 = 0
    for interval in intervals where counts(interval, capacity, first) {
      guard interval.need <= left else { break }
      left -= interval.need
      hits += 1
    }
    return hits
  }

  func upperBoundBytes(capacity: UInt64, from first: Int = 0) -> UInt64 {
    // With equal sizes, both bounds coincide.
    guard worths != nil else { return upperBound(capacity: capacity, from: first) }
    func worth(_ interval: Interval) -> UInt64 { self.worth(Int(interval.end)) }
    let order = intervals.filter { counts($0, capacity, first) && worth($0) > 0 }
      .map { (price: Double($0.need) / Double(worth($0)), interval: $0) }
      .sorted { ($0.price, $0.interval.end) < ($1.price, $1.interval.end) }
    var left = space(capacity)
    var total: UInt64 = 0
    for (_, interval) in order {
      guard interval.need <= left else {
        let part = Double(worth(interval)) * (Double(left) / Double(interval.need))
        return total + UInt64(part.rounded(.up))
      }
      left -= interval.need
      total += worth(interval)
    }
    return total
  }

  func keep(capacity: UInt64, from first: Int = 0, _ body: (_ request: Int) -> Void) {
    var occupied = RangeMaximum(count: requests)
    let copies = copySizes(capacity: capacity)
    for interval in intervals where counts(interval, capacity, first) {
      guard let size = copies[Int(interval.end)] else { continue }
      let range = Int(starts[Int(interval.end)])..<Int(interval.end)
      if occupied.maximum(in: range) + size <= capacity {
        occupied.add(size, to: range)
        body(Int(interval.end))
      }
    }
  }

  private func copySizes(capacity: UInt64) -> [UInt64?] {
    var copies = [UInt64?](repeating: nil, count: requests)
    for end in 0..<requests where Int(starts[end]) != end {
      let start = Int(starts[end])
      let size = worth(start)
      if size <= capacity { copies[end] = max(size, copies[start] ?? 0) }
    }
    return copies
  }

  func worth(_ request: Int) -> UInt64 { worths.map { UInt64($0[request]) } ?? 1 }

  package func hits(capacity: UInt64, from first: Int) -> (count: UInt64, bytes: UInt64) {
    guard isReachable else {
      let bytes = upperBoundBytes(capacity: capacity, from: first)
      return (upperBound(capacity: capacity, from: first), bytes)
    }
    var (count, bytes): (UInt64, UInt64) = (0, 0)
    keep(capacity: capacity, from: first) { request in
      count += 1
      bytes += worth(request)
    }
    return (count, bytes)
  }

  package var stateBytes: Int {
    intervals.count * MemoryLayout<Interval>.stride + (starts.count + sizes.count) * 4
  }

  private func space(_ capacity: UInt64) -> UInt64 {
    let (space, overflows) = capacity.multipliedReportingOverflow(by: UInt64(requests))
    return overflows ? .max : space
  }

  private func counts(_ interval: Interval, _ capacity: UInt64, _ first: Int) -> Bool {
    Int(interval.end) >= first && UInt64(sizes[Int(interval.end)]) <= capacity
  }
}

/// Numbers with range addition and range maximum: a segment tree. O(log n).
struct RangeMaximum: ~Copyable {
  struct Node: BitwiseCopyable {
    var added: UInt64
    var maximum: UInt64
  }

  private var nodes: Column<Node>
  private let leaves: Int

  init(count: Int) {
    var leaves = 1
    while leaves < count { leaves *= 2 }
    self.leaves = leaves
    nodes = Column(objects: 2 * leaves - 1)
  }

  mutating func add(_ amount: UInt64, to range: Range<Int>) {
    add(amount, to: range, node: 1, covering: 0..<leaves)
  }

  func maximum(in range: Range<Int>) -> UInt64 { maximum(in: range, node: 1, covering: 0..<leaves) }

  private mutating func add(
    _ amount: UInt64, to range: Range<Int>, node: UInt32, covering span: Range<Int>
  ) {
    if range.lowerBound <= span.lowerBound, span.upperBound <= range.upperBound {
      nodes[node].added += amount
      nodes[node].maximum += amount
      return
    }
    guard range.overlaps(span) else { return }
    let middle = (span.lowerBound + span.upperBound) / 2
    add(amount, to: range, node: node * 2, covering: span.lowerBound..<middle)
    add(amount, to: range, node: node * 2 + 1, covering: middle..<span.upperBound)
    nodes[node].maximum =
      nodes[node].added + max(nodes[node * 2].maximum, nodes[node * 2 + 1].maximum)
  }

  private func maximum(
    in range: Range<Int>, node: UInt32, covering span: Range<Int>
  ) -> UInt64 {
    if range.lowerBound <= span.lowerBound, span.upperBound <= range.upperBound {
      return nodes[node].maximum
    }
    guard range.overlaps(span) else { return 0 }
    let middle = (span.lowerBound + span.upperBound) / 2
    let left = maximum(in: range, node: node * 2, covering: span.lowerBound..<middle)
    let right = maximum(in: range, node: node * 2 + 1, covering: middle..<span.upperBound)
    return nodes[node].added + max(left, right)
  }
}
