import Foundation

/// What caches did in rounds.
struct ContestResults {
  private struct Entry: Hashable {
    let name: String
    let threads: Int
  }

  // In the order in which they first came; a measurement for each round.
  private var entries: [Entry] = []
  private var taken: [Entry: [Measurement]] = [:]

  /// Adds the next round's measurement of a cache.
  mutating func add(_ measurement: Measurement, _ name: String, threads: Int) {
    let entry = Entry(name: name, threads: threads)
    if taken[entry] == nil { entries.append(entry) }
    taken[entry, default: []].append(measurement)
  }

  /// All of it as a Markdown table. A ratio to what was not measured is empty.
  func table(requests: Int) -> String {
    var lines = [
      "| cache | threads | runs | M/s | least | most | x NSCache | x textbook | x 1 thread "
        + "| hit ratio |",
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for entry in entries {
      for isNear in [true, false] {
        lines += row(entry, isNear: isNear, requests: requests)
      }
    }
    return lines.joined(separator: "\n")
  }

  private func row(_ entry: Entry, isNear: Bool, requests: Int) -> [String] {
    let runs = taken[entry, default: []].enumerated().filter { $0.element.isNear == isNear }
    let rates = runs.map { Double(requests) / 1e6 / $0.element.wallSeconds }
    guard let median = CacheBenchmarks.median(rates), let least = rates.min(),
      let most = rates.max()
    else {
      return []
    }
    func ratio(to other: Entry) -> String {
      guard other != entry, let others = taken[other] else { return "" }
      let ratios = runs.map { others[$0.offset].wallSeconds / $0.element.wallSeconds }
      return CacheBenchmarks.median(ratios).map { String(format: "%.2f", $0) } ?? ""
    }
    var threads = "\(entry.threads)"
    if let distance = CacheBenchmarks.median(runs.compactMap(\.element.distanceNanoseconds)) {
      threads += isNear ? " near" : " far"
      threads += " (\(Int(distance)) ns)"
    }
    let cells = [
      entry.name, threads, "\(runs.count)", String(format: "%.2f", median),
      String(format: "%.2f", least), String(format: "%.2f", most),
      ratio(to: Entry(name: Contender.foundationName, threads: entry.threads)),
      ratio(to: Entry(name: Contender.textbookName, threads: entry.threads)),
      ratio(to: Entry(name: entry.name, threads: 1)),
      String(format: "%.4f", runs.first?.element.hitRatio ?? .nan),
    ]
    return ["| " + cells.joined(separator: " | ") + " |"]
  }
}
