import LarderTraces

extension Advice {
  /// Advice that was made for a sample of the objects, with capacities scaled down, as advice for
  /// all the traffic. Hit ratios and costs are that already.
  func ofAllTraffic(_ sampling: TraceSampling) -> Advice {
    guard sampling.isPart else { return self }
    var advice = self
    if let note = sampling.note, !notes.contains(note) { advice.notes.append(note) }
    for place in capacities.indices {
      advice.capacities[place].capacity = sampling.represented(capacities[place].capacity)
      advice.capacities[place].lruCapacity =
        capacities[place].lruCapacity.map(sampling.represented)
    }
    for place in curve.indices {
      advice.curve[place].capacity = sampling.represented(curve[place].capacity)
    }
    for place in lruCurve.indices {
      advice.lruCurve[place].capacity = sampling.represented(lruCurve[place].capacity)
    }
    for place in splits.indices {
      advice.splits[place].memory = sampling.represented(splits[place].memory)
      advice.splits[place].disk = sampling.represented(splits[place].disk)
    }
    advice.costs = costs.map { costs in
      var costs = costs
      costs.points = costs.points.map { $0.ofAllTraffic(sampling) }
      costs.cheapest = costs.cheapest.ofAllTraffic(sampling)
      costs.recommended = costs.recommended.ofAllTraffic(sampling)
      return costs
    }
    return advice
  }
}

extension CostPoint {
  fileprivate func ofAllTraffic(_ sampling: TraceSampling) -> CostPoint {
    var point = self
    point.capacity = sampling.represented(capacity)
    return point
  }
}
