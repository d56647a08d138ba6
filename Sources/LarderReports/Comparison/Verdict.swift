import LarderSimulation
import LarderSystem

/// What a comparison comes to, in a few sentences: who wins where, by how much, where it does not
/// matter, and how much is left to gain.
struct Verdict {
  /// The sentences, the first beginning in lower case: they follow the configuration's name.
  let sentences: [Inline]

  /// Weighs `comparison`.
  init(_ comparison: Comparison) {
    let rankings = comparison.columns.indices.map { column in
      Ranking(comparison, column: column) { $0.counts.hitRatio }
    }
    // After an interruption a capacity may have one policy's results alone: that is no victory.
    let needed = min(2, comparison.competitors.count)
    let decided = rankings.indices.filter {
      rankings[$0].entries.count >= needed && !rankings[$0].entries.isEmpty
    }
    guard !decided.isEmpty else {
      let reason =
        comparison.competitors.isEmpty
        ? "only policies that know the future were run"
        : rankings.allSatisfy(\.entries.isEmpty)
          ? "no requests were counted" : "no capacity has results of two policies yet"
      sentences = [.text("\(reason), so there is nothing to compare.")]
      return
    }
    let writer = VerdictWriter(comparison: comparison, rankings: rankings, decided: decided)
    sentences =
      writer.winners() + writer.doubts() + writer.safeChoices()
      + writer.indifference() + writer.headroom()
      + writer.otherMeasures()
  }
}

/// Writes the sentences of a `Verdict`.
private struct VerdictWriter {
  let comparison: Comparison
  let rankings: [Ranking]
  /// The columns in which something can be ranked.
  let decided: [Int]

  func winners() -> [Inline] {
    let groups = WinnerGroup.groups(rankings, columns: decided)
    if comparison.competitors.count == 1, let only = comparison.competitors.first {
      let ratios = decided.compactMap { rankings[$0].entries.first?.value.mean }
      return [
        .code(only.text), .text(" is the only policy here; its hit ratio is \(percent(ratios))."),
      ]
    }
    var parts: [Inline] = []
    for (number, group) in groups.enumerated() {
      if number > 0 { parts.append("; ") }
      parts += sentence(group, isOnly: groups.count == 1)
    }
    return parts + ["."]
  }

  private func sentence(_ group: WinnerGroup, isOnly: Bool) -> [Inline] {
    let place = isOnly && group.columns.count > 1 ? "every capacity" : titles(group.columns)
    let ratios = group.columns.compactMap { rankings[$0].entries.first?.value.mean }
    var parts = names(group.policies)
    if group.policies.count > 1 {
      parts.append(.text(" are equal and highest at \(place) (\(percent(ratios)))"))
    } else {
      parts.append(.text(" has the highest hit ratio at \(place) (\(percent(ratios)))"))
    }
    let leads = group.columns.filter { rankings[$0].next != nil }
    let nexts = unique(leads.compactMap { rankings[$0].next?.policy })
    if !leads.isEmpty {
      parts.append(.text(", \(points(leads.map { rankings[$0].lead })) ahead of the next ("))
      parts += names(nexts, joinedBy: " or ")
      parts.append(")")
    }
    // A baseline that is the next best at every one of these capacities has just been named.
    for baseline in comparison.competitors where baseline.isBaseline {
      guard !group.policies.contains(baseline), nexts != [baseline] else { continue }
      let gains = group.columns.compactMap { column in behind(baseline, column) }
      guard !gains.isEmpty else { continue }
      parts += [.text(", \(points(gains)) ahead of "), .code(baseline.text)]
    }
    return parts
  }

  /// Where the winner does not win with every seed.
  func doubts() -> [Inline] {
    let doubtful = decided.filter { column in
      guard let best = rankings[column].best.first, let next = rankings[column].next?.policy
      else { return false }
      let theirs = ratiosBySeed(next, column)
      return ratiosBySeed(best, column).contains { seed, ratio in
        theirs[seed].map { $0 >= ratio } ?? false
      }
    }
    guard !doubtful.isEmpty else { return [] }
    return [
      .text(
        " At \(titles(doubtful)) the first does not lead the next with every seed; "
          + "treat them as equal there.")
    ]
  }

  /// Who is nowhere far behind: what to take when the capacity is not known yet.
  func safeChoices() -> [Inline] {
    let limit = ReportDocument.indifferencePoints / 100
    let safe = comparison.competitors.filter { policy in
      decided.allSatisfy { column in
        behind(policy, column).map { $0 < limit } ?? false
      }
    }
    let alwaysBest = decided.allSatisfy { rankings[$0].best == safe }
    guard !safe.isEmpty, safe.count < comparison.competitors.count, !alwaysBest else { return [] }
    return [.text(" Always less than \(points([limit])) behind the best: ")] + names(safe) + ["."]
  }

  private func behind(_ policy: PolicyName, _ column: Int) -> Double? {
    guard let top = rankings[column].entries.first?.value.mean,
      let own = rankings[column].entries.first(where: { $0.policy == policy })
    else { return nil }
    return top - own.value.mean
  }

  func indifference() -> [Inline] {
    guard comparison.competitors.count > 1 else { return [] }
    let limit = ReportDocument.indifferencePoints
    let same = decided.filter { rankings[$0].range * 100 < limit }
    let ranges = (same.isEmpty ? decided : same).map { rankings[$0].range }
    if same.isEmpty {
      return [.text(" The choice matters: best and worst are \(points(ranges)) apart.")]
    }
    let place = same.count == decided.count ? "any capacity" : titles(same)
    return [
      .text(" The choice hardly matters at \(place): best and worst are \(points(ranges)) apart.")
    ]
  }

  /// How far the best is from what is possible: from an upper bound where there is one, and else
  /// from Belady's rule.
  func headroom() -> [Inline] {
    let bound = comparison.offline.first(where: \.isUpperBound)
    guard let reference = bound ?? comparison.offline.first(where: \.isBelady) else { return [] }
    let gaps = decided.compactMap { column -> Double? in
      guard let top = rankings[column].entries.first?.value.mean,
        let bound = comparison.spread(reference, column, of: { $0.counts.hitRatio })?.mean
      else { return nil }
      return bound - top
    }
    guard let least = gaps.min(), let most = gaps.max() else { return [] }
    if bound != nil {
      return [
        .text(
          " The upper bound, which even a cache that knows the future cannot exceed, is "
            + "\(points(gaps)) above the best; no more than that can be gained.")
      ]
    }
    let distance =
      least >= 0
      ? "\(points(gaps)) above the best"
      : most <= 0
        ? "\(points(gaps.map { -$0 })) below the best"
        : "between \(points([-least])) below and \(points([most])) above the best"
    let standing = comparison.beladyCaveat ?? "that is the most that can be gained"
    return [.text(" Belady's algorithm, which knows the future, is \(distance); \(standing).")]
  }

  /// Who wins by bytes and by modelled access time.
  func otherMeasures() -> [Inline] {
    guard comparison.competitors.count > 1 else { return [] }
    var parts: [Inline] = []
    if comparison.countsBytes {
      parts += short(" By bytes, the highest hit ratio has ") { $0.counts.byteHitRatio }
    }
    parts += short(" The lowest modelled (not measured) mean access time has ") { record in
      record.modelled.map { -$0.meanMicroseconds }
    }
    return parts
  }

  private func short(_ opening: String, by value: (Record) -> Double?) -> [Inline] {
    let rankings = comparison.columns.indices.map { column in
      Ranking(comparison, column: column, by: value)
    }
    let columns = rankings.indices.filter { rankings[$0].entries.count > 1 }
    let groups = WinnerGroup.groups(rankings, columns: columns)
    guard !groups.isEmpty else { return [] }
    var parts: [Inline] = [.text(opening)]
    for (number, group) in groups.enumerated() {
      if number > 0 { parts.append("; ") }
      let everywhere = groups.count == 1 && columns.count > 1
      parts += names(group.policies)
      parts.append(.text(" at \(everywhere ? "every capacity" : titles(group.columns))"))
    }
    return parts + ["."]
  }

  private func ratiosBySeed(_ policy: PolicyName, _ column: Int) -> [UInt64: Double] {
    var ratios: [UInt64: Double] = [:]
    for record in comparison.records(policy, column) {
      ratios[record.cell.seed] = record.counts.hitRatio
    }
    return ratios
  }

  private func names(_ policies: [PolicyName], joinedBy last: String = " and ") -> [Inline] {
    var parts: [Inline] = []
    for (number, policy) in policies.enumerated() {
      if number > 0 { parts.append(.text(number == policies.count - 1 ? last : ", ")) }
      parts.append(.code(policy.text))
    }
    return parts
  }

  private func titles(_ columns: [Int]) -> String {
    let titles = columns.map { comparison.columns[$0].title }
    guard let last = titles.last, titles.count > 1 else { return titles.first ?? "" }
    return titles.dropLast().joined(separator: ", ") + " and " + last
  }

  private func unique(_ policies: [PolicyName]) -> [PolicyName] {
    var seen: Set<PolicyName> = []
    return policies.filter { seen.insert($0).inserted }
  }

  private func percent(_ ratios: [Double]) -> String {
    "\(range(ratios.map { $0 * 100 })) %"
  }

  private func points(_ differences: [Double]) -> String {
    "\(range(differences.map { $0 * 100 })) points"
  }

  private func range(_ values: [Double]) -> String {
    let low = values.min().flatMap { NumberText.fixed($0, decimals: 2) } ?? ""
    let high = values.max().flatMap { NumberText.fixed($0, decimals: 2) } ?? ""
    return low == high ? low : "\(low) to \(high)"
  }
}

/// Capacities with the same winners.
private struct WinnerGroup {
  let policies: [PolicyName]
  var columns: [Int]

  /// The groups in the order of their first column.
  static func groups(_ rankings: [Ranking], columns: [Int]) -> [WinnerGroup] {
    var groups: [WinnerGroup] = []
    for column in columns {
      let best = rankings[column].best
      if let index = groups.firstIndex(where: { $0.policies == best }) {
        groups[index].columns.append(column)
      } else {
        groups.append(WinnerGroup(policies: best, columns: [column]))
      }
    }
    return groups
  }
}
