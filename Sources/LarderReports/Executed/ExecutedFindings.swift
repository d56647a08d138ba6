import LarderEngine
import LarderSimulation
import LarderSystem

/// What the executed runs say beside their speed, in sentences: whether they counted what was
/// simulated, what threads did to the hit ratio, and whether what was read was right.
struct ExecutedFindings {
  /// The sentences, the most important first.
  let sentences: [[Inline]]

  /// Looks at all executed runs of `records`.
  init(_ records: [Record]) {
    let executed = records.filter { !($0.executions ?? []).isEmpty }
    sentences =
      Self.wrong(executed) + Self.equality(executed) + Self.threads(executed)
      + Self.checks(executed) + Self.sampling(executed) + Self.notes(executed)
  }

  /// The most differences that are told one by one.
  private static let differencesMax = 5

  /// Whether one thread counted what the simulation did.
  private static func equality(_ records: [Record]) -> [[Inline]] {
    var sentences: [[Inline]] = []
    let compared = records.filter { record in
      alone(record).contains { $0.equalsSimulated != nil }
    }
    let different = compared.filter { record in
      alone(record).contains { $0.equalsSimulated == false }
    }
    if !compared.isEmpty {
      let equal = compared.count - different.count
      let sentence =
        "Executed and simulated counts are equal in \(equal) of \(compared.count) "
        + "\(compared.count == 1 ? "cell" : "cells") (one thread)."
      sentences.append([different.isEmpty ? .text(sentence) : .strong(sentence)])
    }
    for record in different.prefix(differencesMax) {
      guard let execution = alone(record).first(where: { $0.equalsSimulated == false }) else {
        continue
      }
      sentences.append([
        .code(record.cell.cacheName),
        .text(
          " at \(record.cell.capacityLabel), executed and simulated: "
            + "\(differences(execution.counts, record.counts))."),
      ])
    }
    if different.count > differencesMax {
      sentences.append([.text("\(different.count - differencesMax) more differ.")])
    }
    let own = records.filter { $0.timings.isEmpty }.map { $0.cell.cacheName }
    if !own.isEmpty {
      sentences.append(
        [.text("Not simulated; their counts are those of the run in one thread: ")]
          + names(own) + ["."])
    }
    return sentences
  }

  /// Each name once, with commas between.
  private static func names(_ names: [String]) -> [Inline] {
    var seen: Set<String> = []
    let unique = names.filter { seen.insert($0).inserted }
    return Inline.names(unique.map { .code($0) }, last: ", ")
  }

  private static func alone(_ record: Record) -> [Execution] {
    (record.executions ?? []).filter { $0.threads == 1 }
  }

  /// What differs, each with both numbers.
  private static func differences(_ executed: Counts, _ simulated: Counts) -> String {
    let quantities: [(name: String, value: KeyPath<Counts, UInt64>)] = [
      ("gets", \.requests), ("hits", \.hits), ("hits in memory", \.memoryHits),
      ("hits on disk", \.diskHits), ("stale hits", \.staleHits), ("sets", \.sets),
      ("deletes", \.deletes), ("admissions", \.admissions), ("rejections", \.rejections),
      ("evictions", \.evictions), ("expirations", \.expirations),
      ("promotions", \.promotions), ("demotions", \.demotions),
      ("bytes requested", \.bytesRequested), ("bytes hit", \.bytesHit),
      ("bytes written to memory", \.memory.bytesWritten),
      ("bytes written to disk", \.disk.bytesWritten),
    ]
    var values = quantities.map { name, value in
      (name, executed[keyPath: value], simulated[keyPath: value])
    }
    values.append(
      (
        "bytes copied between segments", executed.disk.bytesMoved ?? 0,
        simulated.disk.bytesMoved ?? 0
      ))
    let different = values.filter { $0.1 != $0.2 }
    return different.isEmpty
      ? "the same sums, distributed differently over the tiers"
      : different.map { name, executed, simulated in
        "\(name) \(NumberText.grouped(executed)) and \(NumberText.grouped(simulated))"
      }.joined(separator: ", ")
  }

  /// By how much several threads changed the hit ratio.
  private static func threads(_ records: [Record]) -> [[Inline]] {
    var changes: [Int: [Double]] = [:]
    for record in records {
      guard let base = record.counts.hitRatio else { continue }
      for (threads, runs) in Dictionary(grouping: record.executions ?? [], by: \.threads)
      where threads > 1 {
        guard let ratio = Spread(runs.compactMap(\.counts.hitRatio))?.mean else { continue }
        changes[threads, default: []].append((ratio - base) * 100)
      }
    }
    return changes.keys.sorted().compactMap { threads -> [Inline]? in
      guard let spread = Spread(changes[threads] ?? []) else { return nil }
      let low = signed(spread.smallest)
      let high = signed(spread.largest)
      let by = low == high ? "\(low) points" : "\(low) to \(high) points"
      return [
        .text("\(threads) threads changed the hit ratio by \(by) compared with one thread.")
      ]
    }
  }

  private static func signed(_ value: Double) -> String {
    let text = NumberText.fixed(value, decimals: 2) ?? ""
    return value > 0 && text != "0.00" ? "+\(text)" : text
  }

  /// Values that were not what was written: the worst that a cache can do.
  static func wrong(_ records: [Record]) -> [[Inline]] {
    records.compactMap { record -> [Inline]? in
      let wrong = total(record, \.valuesWrong)
      guard wrong > 0 else { return nil }
      return [
        .strong("\(NumberText.grouped(wrong)) values read differ from what was written: "),
        .code(record.cell.cacheName),
        .text(" at \(record.cell.capacityLabel)."),
      ]
    }
  }

  private static func checks(_ records: [Record]) -> [[Inline]] {
    let checked = total(records, \.valuesChecked)
    let wrong = total(records, \.valuesWrong)
    var sentences: [[Inline]] = []
    if checked > 0 {
      let outcome = wrong == 0 ? "none was wrong" : "\(NumberText.grouped(wrong)) were wrong"
      sentences.append([
        .text("\(NumberText.grouped(checked)) values were read and checked; \(outcome).")
      ])
    }
    let looks = total(records, \.capacityChecks)
    if looks > 0 {
      let exceeded = total(records, \.capacityExceeded)
      let outcome =
        exceeded == 0
        ? "never exceeded" : "exceeded \(NumberText.grouped(exceeded)) times"
      sentences.append([
        .text(
          "The capacity was checked \(NumberText.grouped(looks)) times: "
            + "\(outcome).")
      ])
      let over = records.filter { total($0, \.capacityExceeded) > 0 }
      if !over.isEmpty {
        sentences.append(
          [.text("The capacity was exceeded in: ")]
            + names(over.map { $0.cell.cacheName }) + ["."])
      }
    }
    return sentences
  }

  /// Whether only some operations were timed.
  private static func sampling(_ records: [Record]) -> [[Inline]] {
    let sampled = records.flatMap { $0.executions ?? [] }.map(\.timedOneIn).filter { $0 > 1 }
    guard let least = sampled.min(), let most = sampled.max() else { return [] }
    let range = least == most ? "\(most)" : "\(least) to \(most)"
    return [
      [
        .text(
          "In memory configurations, one operation in \(range) was timed: reading the clock takes "
            + "as long as a hit.")
      ]
    ]
  }

  /// What the runs themselves say, each once.
  private static func notes(_ records: [Record]) -> [[Inline]] {
    var seen: Set<String> = []
    let notes = records.flatMap { $0.executions ?? [] }.flatMap(\.notes)
    return notes.filter { seen.insert($0).inserted }.map { [.text($0)] }
  }

  private static func total(_ records: [Record], _ value: KeyPath<Execution, UInt64>) -> UInt64 {
    records.reduce(0) { sum($0, total($1, value)) }
  }

  private static func total(_ record: Record, _ value: KeyPath<Execution, UInt64>) -> UInt64 {
    (record.executions ?? []).reduce(0) { sum($0, $1[keyPath: value]) }
  }

  /// Results may come from a file with any numbers in it.
  private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}
