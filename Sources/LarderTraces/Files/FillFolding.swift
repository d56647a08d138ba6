import LarderEngine
internal import LarderSupport

/// Joins a get that missed in the recorded cache with the set that fills it, because in simulations
/// a get that misses stores the object: one get with the size, cost and TTL of the set.
/// A set fills the last get of its key that was no hit, if that was a miss or the set is marked as
/// a fill, without a set or delete of the key in between, up to `window` requests later. A hit
/// without a TTL gets that of the last set of its key, for simulations of smaller caches, where it
/// may be a miss.
final class FillFolding {
  static let window = 1 << 15

  private(set) var outcomes = RecordedOutcomes()

  private let path: String
  private let sink: RecordSink
  private var wantsMore = true
  private var held: [TraceRecord] = []
  private var before = 0
  /// Number of the last get of each key that was no hit, unless it has been filled.
  private var open: [UInt64: Int] = [:]
  private var lifetimes: [UInt64: UInt32] = [:]
  private var growth: GrowthLimit

  init(path: String, memory: MemoryBudget = .machine, sink: @escaping RecordSink) {
    self.path = path
    self.sink = sink
    growth = GrowthLimit("the TTLs of keys", bytesEach: 32, memory: memory)
  }

  func add(_ batch: UnsafeBufferPointer<TraceRecord>) throws -> Bool {
    for record in batch { hold(record) }
    try growth.check(lifetimes.count, in: path)
    return try release(held.count < 2 * Self.window ? 0 : held.count - Self.window)
  }

  func finish() throws { _ = try release(held.count) }

  private func hold(_ record: TraceRecord) {
    var record = record
    switch Operation(rawValue: record.operation) {
    case .get:
      outcomes.add(record.outcome)
      if record.outcome == .hit {
        if record.ttl == 0 { record.ttl = lifetimes[record.key] ?? 0 }
      } else {
        open[record.key] = before + held.count
      }
    case .set:
      setLifetime(record)
      if let number = open.removeValue(forKey: record.key), fill(number, record) { return }
    case .delete: open[record.key] = nil
    case .expire where record.outcome == .found:
      // The size is that of the object; a miss in memory was a hit of the whole cache.
      outcomes.missWasFound()
      record.ttl = lifetimes[record.key] ?? 0
      if let number = open.removeValue(forKey: record.key) { fill(number, record) }
      return
    case .expire: setLifetime(record)
    case .modify, .bypass, nil: break
    }
    held.append(record)
  }

  private func setLifetime(_ record: TraceRecord) {
    if record.ttl != 0 || !lifetimes.isEmpty {
      lifetimes[record.key] = record.ttl == 0 ? nil : record.ttl
    }
  }

  /// Gives a get the size, cost and TTL that were stored for it; false if the set does not belong
  /// to it, or it was already passed on.
  @discardableResult private func fill(_ number: Int, _ stored: TraceRecord) -> Bool {
    let isHeld = before + held.count - number <= Self.window
    let isMiss = isHeld && held[number - before].outcome == .miss
    guard isMiss || stored.outcome != .unknown else { return false }
    if !isMiss, stored.outcome == .fill { outcomes.getWasMiss() }
    guard isHeld else { return false }
    if stored.isSizeKnown {
      held[number - before].size = stored.size
      held[number - before].isSizeKnown = true
    }
    held[number - before].cost = stored.cost
    held[number - before].ttl = stored.ttl
    return true
  }

  private func release(_ count: Int) throws -> Bool {
    guard wantsMore, count > 0 else { return wantsMore }
    for index in 0..<count { held[index].outcome = .unknown }
    wantsMore = try held.withUnsafeBufferPointer {
      try sink(UnsafeBufferPointer(rebasing: $0[..<count]))
    }
    held.removeFirst(count)
    before += count
    open = open.filter { $0.value >= before }
    return wantsMore
  }
}

/// Mean length of a server's keys, which the sizes of its log do not contain.
struct KeyLengths {
  private var count = 0
  private var bytes = 0

  mutating func add(_ length: Int) {
    count += 1
    bytes += length
  }

  var note: String? {
    guard count > 0 else { return nil }
    let mean = (bytes + count / 2) / count
    return "Sizes are those of values; keys have \(NumberText.counted(mean, "byte")) on average "
      + "(key=\(mean) with memory=server)."
  }
}

struct RecordedOutcomes: Sendable, Hashable {
  private(set) var hits = 0
  private(set) var misses = 0
  private(set) var unknown = 0

  /// Counts without gets.
  public init() {}

  mutating func add(_ outcome: TraceRecord.Outcome) {
    switch outcome {
    case .hit: hits += 1
    case .miss: misses += 1
    case .unknown, .fill, .found: unknown += 1
    }
  }

  mutating func add(_ other: RecordedOutcomes) {
    hits += other.hits
    misses += other.misses
    unknown += other.unknown
  }

  fileprivate mutating func getWasMiss() {
    guard unknown > 0 else { return }
    misses += 1
    unknown -= 1
  }

  fileprivate mutating func missWasFound() {
    guard misses > 0 else { return }
    misses -= 1
    hits += 1
  }

  var hitRatio: Double? {
    let gets = hits + misses + unknown
    return hits + misses > 0 ? Double(gets - misses) / Double(gets) : nil
  }

  var note: String? {
    let gets = hits + misses + unknown
    guard let ratio = hitRatio.map({ NumberText.percent($0) }) else { return nil }
    return "The recorded cache itself had a hit ratio of \(unknown > 0 ? "about " : "")\(ratio): "
      + "\(gets - misses) of \(NumberText.counted(gets, "get"))"
      + (unknown > 0 ? ", if those that no set of their key followed were hits." : ".")
  }
}
