import LarderSimulation
import LarderWorkloads

/// The configurations of one trace by hit ratio, or by prefix hit ratio where prefixes are counted:
/// what each reaches at its best, and which is best
/// at equal capacity. Configurations with the same hits everywhere are one entry.
struct ConfigurationRanking {
  /// One configuration, or several with the same hits.
  struct Entry {
    /// The configurations; the first stands for all.
    var comparisons: [Comparison]
    /// The first one's policies by hit ratio.
    let ranking: Ranking

    /// The one that stands for all.
    var comparison: Comparison { ranking.comparison }
    /// The names of the configurations, to be listed.
    var names: [Inline] { comparisons.map { .strong($0.configuration) } }
    /// The names in a title.
    var title: String { Inline.plain(Inline.names(names)) }
    /// The highest hit ratio that it reaches; -1 without one.
    var reached: Double { ranking.peak?.value ?? -1 }
    /// The hit ratio at a capacity as it was written; nil where nothing was run there.
    func value(at title: String) -> Double? {
      comparison.columns.firstIndex { $0.title == title }.flatMap { ranking.columns[$0].bestValue }
    }
  }

  /// The trace's name.
  let trace: String
  /// The entries in the order of the plan.
  let entries: [Entry]

  /// The rankings of all traces, in their order. Linear in the records but for sorting.
  static func all(_ comparisons: [Comparison]) -> [ConfigurationRanking] {
    var order: [String] = []
    for comparison in comparisons where !order.contains(comparison.trace) {
      order.append(comparison.trace)
    }
    return order.map { trace in
      var entries: [Entry] = []
      for comparison in comparisons where comparison.trace == trace {
        if let index = entries.firstIndex(where: { $0.comparison.hasSameHits(as: comparison) }) {
          entries[index].comparisons.append(comparison)
        } else {
          entries.append(Entry(comparisons: [comparison], ranking: Ranking(comparison)))
        }
      }
      return ConfigurationRanking(trace: trace, entries: entries)
    }
  }

  /// The entries that have a hit ratio, the highest first.
  var byReach: [Entry] { entries.filter { $0.reached >= 0 }.sorted(byKey: { -$0.reached }) }

  /// The entry of which a report shows more than of others: of those that have policies to choose
  /// from, if there are any, the one that reaches the most; where there is no real difference, the
  /// first in the plan.
  var first: Entry? {
    let several = byReach.filter { $0.comparison.competitors.count > 1 }
    let shown = several.isEmpty ? byReach : several
    guard let best = shown.first?.reached else { return entries.first }
    return entries.first { entry in
      entry.reached > best - Metric.noisePoints / 100
        && shown.contains { $0.title == entry.title }
    }
  }

  /// The capacities, as they were written, that at least two entries have in one unit.
  var commonCapacities: [String] {
    // Hits of prefixes and of blocks are not to be compared.
    guard Set(entries.map(\.comparison.countsBytes)).count == 1,
      Set(entries.map(\.ranking.metric.name)).count == 1
    else { return [] }
    var seen: Set<String> = []
    let titles = entries.flatMap { $0.comparison.columns.map(\.title) }
    return titles.filter { seen.insert($0).inserted }.filter { title in
      entries.count { $0.value(at: title) != nil } > 1
    }
  }

  /// How far an entry is behind the best at a capacity.
  func deficit(_ entry: Entry, at title: String) -> Double? {
    guard let best = entries.compactMap({ $0.value(at: title) }).max(),
      let own = entry.value(at: title)
    else { return nil }
    return best - own
  }
}

extension Comparison {
  /// True where both have the same hits for every policy, capacity and seed.
  fileprivate func hasSameHits(as other: Comparison) -> Bool {
    guard countsBytes == other.countsBytes, policies == other.policies,
      columns.map(\.title) == other.columns.map(\.title), has({ $0.counts.hitRatio })
    else { return false }
    return policies.allSatisfy { policy in
      columns.indices.allSatisfy { column in
        let (own, others) = (records(policy, column), other.records(policy, column))
        return own.count == others.count && zip(own, others).allSatisfy { $0.hasSameHits(as: $1) }
      }
    }
  }
}

extension Record {
  fileprivate func hasSameHits(as other: Record) -> Bool {
    prefix == other.prefix && cell.seed == other.cell.seed && cell.capacity == other.cell.capacity
      && counts.requests == other.counts.requests && counts.hits == other.counts.hits
      && counts.bytesRequested == other.counts.bytesRequested
      && counts.bytesHit == other.counts.bytesHit && counts.staleHits == other.counts.staleHits
  }
}
