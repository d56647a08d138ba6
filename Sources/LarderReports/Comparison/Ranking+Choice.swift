extension Ranking {
  /// The policies that somebody could sensibly choose: those that lead somewhere, and those that
  /// are not worse, on average, than the worse of LRU and FIFO. One policy that is far behind then
  /// says nothing about how much the choice matters. Without LRU and FIFO, whatever is far behind
  /// all others is left out.
  var worthUsing: [PolicyName] {
    let policies = comparison.competitors.filter { policy in
      decided.contains { columns[$0].value(policy) != nil }
    }
    let bases = policies.filter(\.isBaseline).map { meanDeficit($0) }.filter(\.isFinite)
    let limit: Double
    if let worst = bases.max() {
      limit = worst + metric.noise(at: peak?.value ?? 0)
    } else {
      limit = Self.gapLimit(policies.map { meanDeficit($0) }.filter(\.isFinite).sorted())
    }
    return policies.filter { policy in
      meanDeficit(policy) <= limit || decided.contains { columns[$0].best.contains(policy) }
    }
  }

  /// The policies that are not worth using, the worst last.
  var notWorthUsing: [PolicyName] {
    let worth = worthUsing
    return comparison.competitors.filter { policy in
      !worth.contains(policy) && decided.contains { columns[$0].value(policy) != nil }
    }.sorted(byKey: { meanDeficit($0) })
  }

  /// The largest distance that is not set apart: three times that of the policy before it.
  private static func gapLimit(_ distances: [Double]) -> Double {
    for (near, far) in zip(distances, distances.dropFirst())
    where near > 0 && far > 3 * near && far > near + 0.02 {
      // What most are behind is no outlier.
      let apart = distances.count { $0 >= far }
      if apart * 3 <= distances.count { return near }
    }
    return .infinity
  }

  /// A policy that falls as its cache grows.
  struct Fall {
    let policy: PolicyName
    /// The smaller capacity, with the higher value.
    let from: (column: Int, value: Double)
    /// The larger capacity, with the lower value.
    let to: (column: Int, value: Double)
  }

  /// The policies that fall by more than noise as their cache grows, each with its largest fall,
  /// the largest first. Quadratic in the capacities.
  var falls: [Fall] {
    let found = comparison.competitors.compactMap { policy -> Fall? in
      let values = columns.indices.compactMap { column in
        columns[column].value(policy).map { (column: column, value: $0) }
      }
      var best: Fall?
      for (number, from) in values.enumerated() {
        for to in values.dropFirst(number + 1) where from.value - to.value > fall(best) {
          best = Fall(policy: policy, from: from, to: to)
        }
      }
      return best.flatMap { fall($0) >= metric.noise(at: $0.from.value) ? $0 : nil }
    }
    return found.sorted(byKey: { -fall($0) })
  }

  private func fall(_ fall: Fall?) -> Double {
    fall.map { $0.from.value - $0.to.value } ?? 0
  }
}
