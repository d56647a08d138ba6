import LarderEngine

extension Advisor {
  /// Disks behind memory of the recommended capacity, as multiples of it.
  private static let disks = [4.0, 16.0]
  /// Memory in front of a disk of the recommended capacity, as parts of it.
  private static let memories = [0.02, 0.05, 0.1, 0.25]

  /// Memory in front of disk: with `auto`, disks behind the memory that is recommended; with
  /// `hybrid`, memory in front of a disk of that capacity. Alone comes first.
  func splits(
    behind design: Candidate, _ advice: CapacityAdvice, _ model: CostModel
  ) throws -> [TierSplit] {
    let capacity = advice.capacity
    let sizes: [(memory: UInt64, disk: UInt64)] =
      settings.tiers == .hybrid
      ? Self.memories.map { (max(1, UInt64(Double(capacity) * $0)), capacity) }
      : Self.disks.map { (capacity, min(footprint, UInt64(Double(capacity) * $0))) }
        .filter { $0.1 > capacity }
    let distinct = sizes.enumerated().filter { place, size in
      !sizes[..<place].contains { $0 == size }
    }.map(\.element)
    var plans: [Plan] = [Plan(memory: capacity, disk: 0, memoryDesign: design)]
    let lru = Candidate(policy: try PolicySpec(parsing: "lru"))
    let fifo = Candidate(policy: try PolicySpec(parsing: "fifo"))
    for (memory, disk) in distinct {
      for inclusion in HybridRules.Inclusion.allCases {
        // What memory sees is what everybody asks for; what disk sees is what memory missed.
        for pair in [(design, fifo), (design, design), (lru, design)] {
          let plan = Plan(
            memory: memory, disk: disk, memoryDesign: pair.0, diskDesign: pair.1,
            inclusion: inclusion)
          if !plans.contains(plan) { plans.append(plan) }
        }
      }
    }
    guard plans.count > 1 else { return [] }
    let smallest = plans.map(\.memory).min() ?? capacity
    // Two tiers take about as long as both.
    let tiers = plans.count * 2
    let mini = try mini(runs: tiers, of: [design, lru, fifo], smallest: smallest)
    began("Memory and disk", mini.trace.requests.count * plans.count)
    let jobs = try plans.map {
      Replayer.Job(arrangement: try $0.arrangement(rate: mini.rate), trace: mini)
    }
    let counts = try replayer.run(jobs)
    let splits = plans.indices.map { split(plans[$0], counts[$0], mini, model) }
    // Of the same sizes, the cheapest.
    return splits.enumerated().filter { place, split in
      !splits.enumerated().contains { other, rival in
        rival.memory == split.memory && rival.disk == split.disk
          && (rival.monthlyCost, other) < (split.monthlyCost, place)
      }
    }.map(\.element)
  }

  /// Two tiers, or memory alone.
  private struct Plan: Hashable {
    var memory: UInt64
    var disk: UInt64
    var memoryDesign: Candidate
    var diskDesign: Candidate?
    var inclusion: HybridRules.Inclusion?

    func arrangement(rate: Double) throws(PolicyError) -> Arrangement {
      let first = try memoryDesign.tier(capacity: memory, rate: rate)
      guard let diskDesign, let inclusion else { return .memory(first) }
      return .hybrid(
        memory: first, disk: try diskDesign.tier(capacity: disk, rate: rate),
        rules: HybridRules(inclusion: inclusion))
    }
  }

  private func split(
    _ plan: Plan, _ counts: [Counts], _ mini: MiniTrace, _ model: CostModel
  ) -> TierSplit {
    let scored = counts[segments.scored]
    func sum(_ part: (Counts) -> UInt64) -> Double { scored.reduce(0) { $0 + Double(part($1)) } }
    let gets = max(1, sum { $0.requests })
    let hitRatio = mini.hitRatio(counts, in: segments.scored)
    let diskRatio =
      mini.sampledGets[segments.scored].reduce(0, +) > 0 ? sum { $0.diskHits } / gets : 0
    let requested = sum { $0.bytesRequested }
    let written = sum { $0.disk.bytesWritten } / gets
    var cost =
      model.memory(plan.memory)
      + model.origin(
        hitRatio: hitRatio,
        byteHitRatio: unit == .bytes && requested > 0 ? sum { $0.bytesHit } / requested : nil)
    if plan.disk > 0 {
      cost += model.flash(plan.disk, writtenPerGet: written, readShare: diskRatio)
    }
    return TierSplit(
      memory: plan.memory, disk: plan.disk, memoryPolicy: plan.memoryDesign.description,
      diskPolicy: plan.diskDesign?.description, inclusion: plan.inclusion,
      memoryHitRatio: max(0, hitRatio - diskRatio), diskHitRatio: diskRatio,
      writtenPerGet: written, monthlyCost: cost,
      isEstimate: mini.trace.requests.count < trace.requests.count)
  }
}
