import LarderSimulation
import LarderWorkloads

/// The executed runs of one cache at one capacity with one number of threads: all seeds and
/// repetitions.
struct ExecutedRow {
  /// The records that the runs belong to, one a seed.
  let records: [Record]
  /// The runs.
  let executions: [Execution]
  /// Threads that drove the cache.
  let threads: Int

  /// The rows that `records` contain, in their order; linear in the runs.
  static func all(in records: [Record]) -> [ExecutedRow] {
    struct Key: Hashable {
      let trace: String
      let configuration: String
      let policy: String
      let label: String
      let threads: Int
    }
    var order: [Key] = []
    var groups: [Key: (records: [Record], executions: [Execution])] = [:]
    for record in records {
      let runs = Dictionary(grouping: record.executions ?? [], by: \.threads)
      for threads in runs.keys.sorted() {
        let key = Key(
          trace: record.cell.trace, configuration: record.cell.configuration,
          policy: record.cell.policy, label: record.cell.capacityLabel, threads: threads)
        if groups[key] == nil { order.append(key) }
        groups[key, default: ([], [])].records.append(record)
        groups[key]?.executions += runs[threads] ?? []
      }
    }
    return order.compactMap { key in
      groups[key].map {
        ExecutedRow(records: $0.records, executions: $0.executions, threads: key.threads)
      }
    }
  }

  /// One of the cells, for what all have in common.
  var cell: Cell { records[0].cell }

  /// The cache's name in tables.
  var name: String { cell.cacheName }

  /// A quantity over the runs; nil where one does not have it.
  func spread(_ value: (Execution) -> Double?) -> Spread? {
    let values = executions.compactMap(value)
    return values.count == executions.count ? Spread(values) : nil
  }

  /// Hits divided by gets.
  var hitRatio: Spread? { spread { $0.counts.hitRatio } }

  /// Requests of every operation a second.
  var requestsPerSecond: Spread? { spread { $0.timing.requestsPerSecond } }

  /// The largest, of the runs that have the quantity.
  func largest(_ value: (Execution) -> Double?) -> Double? { executions.compactMap(value).max() }
}
