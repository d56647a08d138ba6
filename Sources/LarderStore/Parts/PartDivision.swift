import LarderEngine
import LarderSimulation
import LarderTraces
import LarderWorkloads

/// The cells of a workload divided into parts of about equal cost: the same parts on every machine,
/// whatever is in a store.
///
/// Cells are put in a row by trace, each with the nanoseconds that it is estimated to take, and the
/// row is cut into equal lengths: a cell belongs to the part in which its middle lies. So a part is
/// at most one cell longer than the mean, and most parts read one trace only. With more parts than
/// cells some parts are empty.
package struct PartDivision: Sendable {
  /// The cells, in plan order.
  package let cells: [PlannedCell]
  /// How many parts there are.
  package let count: Int
  /// The indices of the cells of each part, ascending.
  package let parts: [[Int]]
  /// The estimated nanoseconds of each cell.
  package let nanoseconds: [UInt64]

  /// Divides cells; `facts` are those of their traces. O(n log n).
  package init(_ cells: [PlannedCell], facts: [TraceFacts], repetitions: Int, count: Int) {
    let count = max(1, count)
    self.cells = cells
    self.count = count
    let places = cells.map { planned in
      facts.firstIndex { $0.name == planned.cell.trace && $0.seed == planned.cell.seed }
        ?? facts.firstIndex { $0.name == planned.cell.trace } ?? 0
    }
    nanoseconds = zip(cells, places).map { planned, place in
      let trace = facts.indices.contains(place) ? facts[place] : nil
      return CellCost(planned.setup).nanoseconds(
        requests: trace?.requests ?? 1, objects: trace?.objects ?? 1, repetitions: repetitions)
    }
    let row = cells.indices.sorted { (places[$0], $0) < (places[$1], $1) }
    let total = nanoseconds.reduce(0) { $0 + Double($1) }
    var parts = [[Int]](repeating: [], count: count)
    var before = 0.0
    for index in row {
      let middle = before + Double(nanoseconds[index]) / 2
      let part = Int(middle / total * Double(count))
      parts[min(max(0, part), count - 1)].append(index)
      before += Double(nanoseconds[index])
    }
    self.parts = parts.map { $0.sorted() }
  }

  /// The cells of a part, in plan order.
  package func cells(of part: PartNumber) -> [PlannedCell] {
    parts.indices.contains(part.number - 1) ? parts[part.number - 1].map { cells[$0] } : []
  }
}

/// What simulating a cell is estimated to cost.
struct CellCost {
  /// Nanoseconds for each request.
  let nanosecondsPerRequest: Double
  /// Bytes for each object of the trace.
  let bytesPerObject: Double

  /// The cost of a setup: of both tiers for a hybrid.
  init(_ setup: SimulationSetup) {
    let tiers =
      switch setup.arrangement {
      case .memory(let tier), .disk(let tier): [tier]
      case .hybrid(let memory, let disk, _): [memory, disk]
      }
    let costs = tiers.map { PolicyCost.of($0.policy.name) }
    let filters = tiers.count { $0.admission != nil }
    nanosecondsPerRequest =
      costs.reduce(0) { $0 + $1.nanoseconds } + Double(filters) * Self.filterNanoseconds
    bytesPerObject = costs.reduce(0) { $0 + $1.bytesPerObject }
  }

  /// What an admission filter adds to a request, about.
  private static let filterNanoseconds = 10.0

  /// With more objects than this, the state of a policy does not fit into the CPU's caches.
  private static let cachedObjects: UInt64 = 1_000_000
  /// How much longer a request takes then: 1.6 to 2.9 times for LRU and S3-FIFO.
  private static let uncachedFactor = 2.0

  /// Nanoseconds for a trace, at least 1, and never more than 30 years.
  func nanoseconds(requests: UInt64, objects: UInt64, repetitions: Int) -> UInt64 {
    let factor = objects > Self.cachedObjects ? Self.uncachedFactor : 1
    let all = nanosecondsPerRequest * factor * Double(requests) * Double(max(1, repetitions))
    return UInt64(min(1e18, max(1, all.rounded())))
  }
}
