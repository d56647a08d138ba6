/// What the gets of a simulated tier add up to.
@usableFromInline
struct SimulationTotals {
  @usableFromInline var requests: UInt64 = 0
  @usableFromInline var hits: UInt64 = 0
  @usableFromInline var bytesRequested: UInt64 = 0
  @usableFromInline var bytesHit: UInt64 = 0
  @usableFromInline var staleHits: UInt64 = 0
  @usableFromInline var sets: UInt64 = 0
  @usableFromInline var deletes: UInt64 = 0
  @usableFromInline var costRequested = 0.0
  @usableFromInline var costSaved = 0.0

  @inlinable
  init() {}

  /// Counts a get.
  @inlinable
  @inline(__always)
  mutating func request(_ request: Request) {
    requests += 1
    bytesRequested += UInt64(request.size)
    costRequested += Double(request.cost)
  }

  /// Counts a hit.
  @inlinable
  @inline(__always)
  mutating func hit(_ request: Request) {
    hits += 1
    bytesHit += UInt64(request.size)
    costSaved += Double(request.cost)
  }

  /// The counts of a cache whose only tier counted `tier`.
  @inlinable
  func counts(of tier: TierCounts, isDisk: Bool, hasCosts: Bool) -> Counts {
    var counts = Counts()
    counts.requests = requests
    counts.bytesRequested = bytesRequested
    counts.staleHits = staleHits
    counts.sets = sets
    counts.deletes = deletes
    if hasCosts { counts.cost = CostCounts(requested: costRequested, saved: costSaved) }
    if isDisk {
      counts.diskHits = hits
      counts.diskBytesHit = bytesHit
      counts.disk = tier
    } else {
      counts.memoryHits = hits
      counts.memoryBytesHit = bytesHit
      counts.memory = tier
    }
    return counts
  }
}
