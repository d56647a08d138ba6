import LarderEngine

/// Simulation of a disk cache with a layout. Requests have the meaning of a one-tier `Simulation`:
/// expired entries are removed when they are found, sets replace, deletes remove.
final class FlashSimulation: Simulation {
  private var store: FlashStore
  private let columns: RequestColumns
  /// Maximum TTL in microseconds; nil for no limit.
  private let timeToLiveMax: UInt64?
  private var totals = Counts()
  private var costs = CostCounts(requested: 0, saved: 0)
  /// Expiry of each object; empty if nothing expires.
  private var expiries: [UInt64]
  private var isStale: [Bool]
  private(set) var position = 0

  init(_ store: FlashStore, timeToLiveSeconds: UInt32?, over columns: RequestColumns) {
    self.store = store
    self.columns = columns
    timeToLiveMax = timeToLiveSeconds.map { UInt64($0) * 1_000_000 }
    let expires = timeToLiveSeconds != nil || columns.ttls != nil
    expiries = Array(repeating: .max, count: expires ? columns.objects + 1 : 0)
    let hasChanges = columns.operations != nil
    isStale = Array(repeating: false, count: hasChanges ? columns.objects + 1 : 0)
  }

  var flash: FlashCounts { store.counts }

  var counts: Counts {
    var counts = totals
    counts.disk.evictions = store.evictions
    counts.disk.admissions = store.counts.inserted
    counts.disk.bytesWritten = store.counts.writtenBytes
    if columns.costs != nil { counts.cost = costs }
    return counts
  }

  var outcomes: OutcomeSizes? { nil }

  var stateBytes: Int { store.stateBytes + expiries.count * 8 + isStale.count }

  func resetCounts() {
    totals = Counts()
    costs = CostCounts(requested: 0, saved: 0)
    store.counts = FlashCounts()
    store.evictions = 0
  }

  func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    while position < min(end, columns.count) {
      step()
      position += 1
      if untilFirstEviction, store.evictions > 0 { return true }
    }
    return false
  }

  private func step() {
    let id = columns.ids[position]
    let size = columns.sizes?[position] ?? 1
    switch Operation(rawValue: columns.operations?[position] ?? 0) ?? .get {
    case .get: get(id, size)
    case .set:
      totals.sets += 1
      if store.contains(id) { store.remove(id) }
      put(id, size)
    case .delete:
      totals.deletes += 1
      if store.contains(id) { store.remove(id) }
    case .modify:
      if store.contains(id) { isStale[Int(id)] = true }
    case .bypass:
      totals.requests += 1
      totals.bytesRequested += UInt64(size)
      costs.requested += Double(columns.costs?[position] ?? 1)
    case .expire:
      if store.contains(id), expiries.isEmpty || expiries[Int(id)] > now { noteExpiry(id) }
    }
  }

  private func get(_ id: ObjectID, _ size: UInt32) {
    let cost = Double(columns.costs?[position] ?? 1)
    totals.requests += 1
    totals.bytesRequested += UInt64(size)
    costs.requested += cost
    guard store.contains(id) else { return put(id, size) }
    if !expiries.isEmpty, expiries[Int(id)] <= now {
      totals.disk.expirations += 1
      store.remove(id)
      return put(id, size)
    }
    store.hit(id)
    totals.diskHits += 1
    totals.diskBytesHit += UInt64(size)
    costs.saved += cost
    if !isStale.isEmpty, isStale[Int(id)] { totals.staleHits += 1 }
  }

  private func put(_ id: ObjectID, _ size: UInt32) {
    guard store.insert(id, size) else {
      totals.disk.rejections += 1
      return
    }
    if !isStale.isEmpty { isStale[Int(id)] = false }
    noteExpiry(id)
  }

  private func noteExpiry(_ id: ObjectID) {
    guard !expiries.isEmpty else { return }
    let own = UInt64(columns.ttls?[position] ?? 0) * 1_000_000
    let limits = [own > 0 ? own : nil, timeToLiveMax].compactMap { $0 }
    let (expiry, isBeyond) = now.addingReportingOverflow(limits.min() ?? .max)
    expiries[Int(id)] = isBeyond ? .max : expiry
  }

  private var now: UInt64 { columns.times?[position] ?? 0 }
}

extension FlashLayout {
  /// Creates a simulation of a disk cache with this layout.
  ///
  /// - Throws: `PolicyError.badSetup` unless the setup is that of one tier on disk in bytes, and if
  ///   the capacity is too small for the layout.
  func makeSimulation(
    _ setup: SimulationSetup, over columns: RequestColumns
  ) throws(PolicyError) -> FlashSimulation {
    guard case .disk(let tier) = setup.arrangement, setup.unit == .bytes else {
      throw .badSetup("layout", word, expected: "a disk cache whose capacity is in bytes")
    }
    if let fault = fault(capacity: tier.capacity) {
      throw .badSetup("capacity", "\(tier.capacity)", expected: fault)
    }
    return FlashSimulation(
      FlashStore(self, capacity: tier.capacity, objects: columns.objects),
      timeToLiveSeconds: tier.timeToLiveSeconds, over: columns)
  }
}
