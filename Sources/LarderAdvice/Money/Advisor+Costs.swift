import LarderEngine

extension Advisor {
  /// What designs cost, by what the trace says of the traffic.
  func costModel() -> CostModel {
    let columns = trace.requests
    var bytes: UInt64 = 0
    if let sizes = columns.sizes {
      for place in 0..<columns.count
      where columns.operations.map({ Operation.isCounted($0[place]) }) ?? true {
        bytes &+= UInt64(sizes[place])
      }
    }
    let whole = whole
    let (gets, sampled) = (whole.gets.reduce(0, +), whole.sampledGets.reduce(0, +))
    return CostModel(
      prices, trace: trace, unit: unit, gets: gets,
      bytes: gets == sampled ? bytes : UInt64(Double(bytes) * gets / max(1, sampled)))
  }

  /// The costs along the curve of the recommended design.
  func costs(_ advice: Advice, _ model: CostModel) -> Costs {
    let best = advice.best
    // The curve knows hits alone: bytes are hit as at the capacity where they were counted.
    let byteFactor = best.advised.byteHitRatio.map { $0 / max(best.advised.hitRatio, 1e-12) }
    func point(_ capacity: UInt64, _ hitRatio: Double) -> CostPoint {
      let memory =
        settings.tiers == .disk
        ? model.flash(capacity, writtenPerGet: 0, readShare: hitRatio) : model.memory(capacity)
      let misses = model.origin(
        hitRatio: hitRatio, byteHitRatio: byteFactor.map { min(1, $0 * hitRatio) })
      return CostPoint(capacity: capacity, memory: memory, misses: misses, total: memory + misses)
    }
    let points = advice.curve.map { point($0.capacity, $0.hitRatio) }
    let recommended = point(best.capacity, best.advised.hitRatio)
    return Costs(
      prices: prices, areExamples: settings.prices == nil, monthlyGets: model.monthlyGets,
      withoutCache: model.origin(hitRatio: 0, byteHitRatio: 0), points: points,
      cheapest: points.min { $0.total < $1.total } ?? recommended, recommended: recommended,
      breakEvenMemorySeconds: model.breakEvenSeconds(perGiBMonth: prices.memoryPerGiBMonth),
      breakEvenFlashSeconds: model.breakEvenSeconds(perGiBMonth: prices.flashPerGiBMonth),
      assumptions: model.assumptions)
  }
}
