import LarderEngine
import LarderSimulation

extension ExecutionRun {
  /// Looks whether the cache holds more than it may, where it says what it holds.
  func checkCapacity(_ cache: any CacheUnderTest) throws(ExecutionError) {
    let usage = try calling("usage") { try cache.usage() }
    let isOver: Bool?
    switch planned.setup.arrangement {
    case .memory(let tier):
      isOver = Self.exceeds(tier, usage.memoryEntries, usage.memoryWeight, planned.setup.unit)
    case .disk(let tier):
      isOver = Self.exceeds(tier, usage.diskEntries, usage.diskWeight, planned.setup.unit)
    case .hybrid(let memory, let disk, _):
      let both = [
        Self.exceeds(memory, usage.memoryEntries, usage.memoryWeight, planned.setup.unit),
        Self.exceeds(disk, usage.diskEntries, usage.diskWeight, planned.setup.unit),
      ].compactMap { $0 }
      isOver = both.isEmpty ? nil : both.contains(true)
    }
    guard let isOver else { return }
    execution.capacityChecks += 1
    if isOver { execution.capacityExceeded += 1 }
  }

  /// Whether a tier holds too much; nil when nothing is known of it.
  private static func exceeds(
    _ tier: TierSetup, _ entries: Int?, _ weight: UInt64?, _ unit: CapacityUnit
  ) -> Bool? {
    guard entries != nil || weight != nil else { return nil }
    let objects = entries.map { UInt64(clamping: $0) }
    if let weight, weight > tier.capacity { return true }
    guard let objects else { return false }
    return unit == .objects && objects > tier.capacity || objects > tier.objectsMax ?? .max
  }

  /// Fills the execution in when all requests are made.
  func takeResults(
    _ cache: any CacheUnderTest, memoryBefore: UInt64?, writesBefore: Writes,
    simulated: Counts?
  ) throws(ExecutionError) {
    let tally = tally
    try checkCapacity(cache)
    let tierCounts = cache.tierCounts()
    execution.counts = Self.counts(tally, tierCounts, hasCosts: reader.hasCosts)
    execution.countsTiers = tierCounts != nil
    // Pressure is nothing that a simulation knows of.
    if executor.order.spec.pressure.isEmpty, tierCounts != nil {
      execution.equalsSimulated = simulated.map { $0 == execution.counts }
    }
    execution.requests = tally.operations
    execution.seconds = seconds
    execution.valuesChecked = tally.valuesChecked
    execution.valuesWrong = tally.valuesWrong
    takeLatencies(tally)
    let usage = try calling("usage") { try cache.usage() }
    takeMemory(usage, before: memoryBefore)
    if planned.cell.kind != .memory {
      try takeDisk(cache, writesBefore: writesBefore, tally)
    }
  }

  private static func counts(
    _ tally: RunTally, _ tiers: CacheTierCounts?, hasCosts: Bool
  ) -> Counts {
    var counts = Counts()
    counts.requests = tally.requests
    counts.memoryHits = tally.memoryHits
    counts.diskHits = tally.diskHits
    counts.bytesRequested = tally.bytesRequested
    counts.memoryBytesHit = tally.memoryBytesHit
    counts.diskBytesHit = tally.diskBytesHit
    counts.staleHits = tally.staleHits
    counts.sets = tally.sets
    counts.deletes = tally.deletes
    if hasCosts {
      counts.cost = CostCounts(requested: tally.costRequested, saved: tally.costSaved)
    }
    if let tiers {
      counts.memory = tiers.memory
      counts.disk = tiers.disk
      counts.promotions = tiers.promotions
      counts.demotions = tiers.demotions
    }
    return counts
  }

  private func takeLatencies(_ tally: RunTally) {
    var recorder = LatencyRecorder()
    for slot in slots { recorder.add(slot.worker.recorder) }
    execution.latencies = OperationLatency.Kind.allCases.compactMap { kind in
      recorder.latency(kind).map {
        OperationLatency(kind: kind, count: tally.count(kind), latency: $0)
      }
    }
    execution.getLatency = recorder.getLatency
  }

  /// Memory for each object in memory; for a cache on disk alone, for each object on disk.
  private func takeMemory(_ usage: CacheUsage, before: UInt64?) {
    let isDisk = planned.cell.kind == .disk
    guard let objects = isDisk ? usage.diskEntries : usage.memoryEntries, objects > 0 else {
      return
    }
    if let before, let after = AllocatedMemory.bytes, after >= before {
      execution.memoryBytesPerObject = Double(after - before) / Double(objects)
      execution.residentObjects = UInt64(objects)
    }
    let keyBytes = Double(MemoryLayout<UInt64>.size)
    if isDisk {
      execution.memoryPayloadBytesPerObject = nil
    } else if planned.setup.unit == .bytes, let weight = usage.memoryWeight {
      execution.memoryPayloadBytesPerObject = Double(weight) / Double(objects) + keyBytes
    } else if !reader.hasSizes {
      execution.memoryPayloadBytesPerObject = Double(executor.order.spec.valueBytes) + keyBytes
    }
  }

  private func takeDisk(
    _ cache: any CacheUnderTest, writesBefore: Writes, _ tally: RunTally
  ) throws(ExecutionError) {
    try calling("flush") { try cache.flush() }
    let usage = try calling("usage") { try cache.usage() }
    execution.diskBytes = usage.diskBytes ?? folder.bytes
    execution.files = folder.fileCount
    execution.diskBytesWritten =
      usage.bytesWritten ?? Self.difference(ProcessWrites.bytes(.disk), writesBefore.disk)
    execution.bytesWritten = usage.bytesHandedOver
    // The system's count of this process says nothing of a cache in another.
    if execution.bytesWritten == nil, planned.process == nil {
      execution.bytesWritten = Self.difference(ProcessWrites.bytes(.calls), writesBefore.calls)
    }
    guard let written = execution.diskBytesWritten else { return }
    let stored = bytesStoredOnDisk(cache.tierCounts(), tally)
    if stored > 0 { execution.writeAmplification = Double(written) / stored }
  }

  /// How much a count has grown; nil where it is not known.
  private static func difference(_ now: UInt64?, _ before: UInt64?) -> UInt64? {
    guard let now, let before else { return nil }
    return now.growth(since: before)
  }

  /// Bytes of values that went to the disk tier: as it counts them, where it counts bytes; where it
  /// counts objects, of the mean size of those that it was given; where it does not count, all that
  /// it was given.
  private func bytesStoredOnDisk(_ counts: CacheTierCounts?, _ tally: RunTally) -> Double {
    guard let counts, tally.valuesGiven > 0 else { return Double(tally.bytesGiven) }
    if planned.setup.unit == .bytes { return Double(counts.disk.bytesWritten) }
    return Double(counts.disk.bytesWritten) * Double(tally.bytesGiven) / Double(tally.valuesGiven)
  }
}
