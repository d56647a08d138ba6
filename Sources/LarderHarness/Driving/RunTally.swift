import LarderSimulation

/// What one thread counted.
struct RunTally: Sendable, Hashable {
  var requests: UInt64 = 0
  var memoryHits: UInt64 = 0
  var diskHits: UInt64 = 0
  var bytesRequested: UInt64 = 0
  var memoryBytesHit: UInt64 = 0
  var diskBytesHit: UInt64 = 0
  var staleHits: UInt64 = 0
  var sets: UInt64 = 0
  var deletes: UInt64 = 0
  /// Sums of the costs of gets and of hits: see `CostCounts`.
  var costRequested = 0.0
  var costSaved = 0.0
  /// Changes at the origin, of which the cache is not told.
  var modifies: UInt64 = 0
  var valuesChecked: UInt64 = 0
  var valuesWrong: UInt64 = 0
  /// Values given to the cache to store, and their bytes.
  var valuesGiven: UInt64 = 0
  var bytesGiven: UInt64 = 0

  /// Adds what another thread counted.
  mutating func add(_ other: RunTally) {
    requests += other.requests
    memoryHits += other.memoryHits
    diskHits += other.diskHits
    bytesRequested += other.bytesRequested
    memoryBytesHit += other.memoryBytesHit
    diskBytesHit += other.diskBytesHit
    staleHits += other.staleHits
    sets += other.sets
    deletes += other.deletes
    costRequested += other.costRequested
    costSaved += other.costSaved
    modifies += other.modifies
    valuesChecked += other.valuesChecked
    valuesWrong += other.valuesWrong
    valuesGiven += other.valuesGiven
    bytesGiven += other.bytesGiven
  }

  /// How many operations there were of a kind.
  func count(_ kind: OperationLatency.Kind) -> UInt64 {
    switch kind {
    case .memoryHit: memoryHits
    case .diskHit: diskHits
    case .miss: requests - memoryHits - diskHits
    case .set: sets
    case .delete: deletes
    }
  }

  /// Operations of every kind.
  var operations: UInt64 { requests + sets + deletes + modifies }
}
