import LarderEngine
import LarderExperiments
import LarderSupport

/// Hits on prefixes of prompts: a row for each cell.
struct PrefixTable {
  /// The cells that count prefixes.
  let records: [Record]
  private let assumptions: [ConfigurationAssumptions]

  /// The table of a run; nil if no cell counts prefixes.
  init?(_ results: RunResults) {
    records = results.records.filter { $0.prefix != nil }
    assumptions = results.assumptions ?? []
    if records.isEmpty { return nil }
  }

  /// The table and its explanation.
  var blocks: [Block] {
    var text =
      "Requests are blocks of prompts, of as many tokens as the trace states. A prefix hit is a "
      + "block that was cached together with all preceding blocks of its prompt; only these save "
      + "computation. Tokens not computed are those in such blocks; their share is of the tokens "
      + "of all prompts."
    if !rates.isEmpty {
      text +=
        " Time to first token is an estimate, not a measurement: the tokens left to compute, "
        + "divided by the prefill speed set in the workload ("
        + rates.map { "\(Self.words($0)) tokens per second" }.joined(separator: ", ")
        + "), without queueing and without loading cached blocks."
    }
    return [.table(table), .paragraph([.text(text)])]
  }

  /// The distinct speeds of the configurations.
  private var rates: [Double] {
    var rates: [Double] = []
    for rate in records.compactMap(rate) where !rates.contains(rate) { rates.append(rate) }
    return rates
  }

  private func rate(of record: Record) -> Double? {
    assumptions.first { $0.configuration == record.cell.configuration }?.prefillTokensPerSecond
  }

  private static func words(_ rate: Double) -> String {
    NumberText.fixed(rate, decimals: 0) ?? "\(rate)"
  }

  /// Blocks, tokens and times.
  var table: Table {
    let hasSeeds = Set(records.map(\.cell.seed)).count > 1
    let hasTraces = Set(records.map(\.cell.trace)).count > 1
    let hasRates = !rates.isEmpty
    var table = Table(
      titles: (hasTraces ? ["trace"] : []) + ["cache", "capacity"] + (hasSeeds ? ["seed"] : []) + [
        "prompts", "block hits, %", "prefix hits, %", "tokens not computed",
        "share, "
          + "%",
      ] + (hasRates ? ["time to first token, without cache", "with it", "saved"] : []))
    for record in records {
      guard let prefix = record.prefix else { continue }
      let cell = record.cell
      let requests = Double(record.counts.requests)
      func share(_ part: UInt64, of whole: Double) -> Inline {
        ExecutedTables.number(whole > 0 ? Double(part) / whole * 100 : nil, 2)
      }
      var row: [Inline] =
        (hasTraces ? [Inline.text(cell.trace)] : [])
        + [.text(cell.cacheName), .text(cell.capacityLabel)]
        + (hasSeeds ? [.text("\(cell.seed)")] : []) + [
          .text("\(prefix.prompts)"), share(record.counts.hits, of: requests),
          share(prefix.hits, of: requests), .text("\(prefix.tokens)"),
          share(prefix.tokens, of: Double(prefix.inputTokens)),
        ]
      if hasRates {
        let rate = rate(of: record)
        func mean(_ tokens: UInt64) -> Inline {
          guard let rate, prefix.prompts > 0 else { return Table.none }
          return ExecutedTables.time(Double(tokens) / rate / Double(prefix.prompts) * 1e9)
        }
        row += [
          mean(prefix.inputTokens), mean(prefix.inputTokens - prefix.tokens), mean(prefix.tokens),
        ]
      }
      table.rows.append(row)
    }
    return table
  }
}
