import LarderEngine
import LarderTraces

/// Plan of a workload's parts: the cells of each, and the remaining work.
package struct PartPlan: Sendable {
  package struct Part: Sendable {
    package let number: PartNumber
    package let cells: Int
    package let missing: Int
    package let requests: UInt64
  }

  package let workload: String
  package let parts: [Part]
  package let count: Int
  package let cells: Int
  package let missing: Int
  package let requests: UInt64

  package init(
    _ division: PartDivision, of workload: Workload, onlyMissing: Bool,
    isMissing: (PlannedCell) -> Bool
  ) {
    self.workload = workload.name
    count = division.parts.count
    cells = division.cells.count
    let all = division.parts.enumerated().compactMap { index, indices -> Part? in
      guard let number = PartNumber(index + 1, of: division.parts.count) else { return nil }
      let left = indices.filter { isMissing(division.cells[$0]) }
      return Part(
        number: number, cells: indices.count, missing: left.count,
        requests: Self.sum(left.map { division.requests[$0] }))
    }
    missing = all.reduce(0) { $0 + $1.missing }
    requests = Self.sum(all.map(\.requests))
    parts = onlyMissing ? all.filter { $0.missing > 0 } : all
  }

  private static func sum(_ numbers: [UInt64]) -> UInt64 {
    UInt64(min(1e18, numbers.reduce(0) { $0 + Double($1) }))
  }
}

/// A division of a workload's cells into parts with about equally many requests, identical on every
/// machine and independent of a store.
///
/// Cells are ordered by trace, and the sequence is cut into equal numbers of requests: a cell
/// belongs to the part in which its middle lies. A part exceeds the mean by at most one cell, and
/// most parts read only one trace. With more parts than cells some parts are empty.
package struct PartDivision: Sendable {
  package let cells: [PlannedCell]
  package let parts: [[Int]]
  package let requests: [UInt64]

  package init(_ cells: [PlannedCell], traces: StoredTraces, count: Int) {
    let count = max(1, count)
    let places = cells.map { traces.place(of: $0.cell) }
    let requests = places.map { place in
      place.map { max(1, traces.memories[$0].identity.requests) } ?? 1
    }
    let total = requests.reduce(0) { $0 + Double($1) }
    var parts = [[Int]](repeating: [], count: count)
    var before = 0.0
    for index in cells.indices.sorted(by: { (places[$0] ?? 0, $0) < (places[$1] ?? 0, $1) }) {
      let own = Double(requests[index])
      let part = Int((before + own / 2) / total * Double(count))
      parts[min(part, count - 1)].append(index)
      before += own
    }
    self.cells = cells
    self.requests = requests
    self.parts = parts.map { $0.sorted() }
  }

  package func cells(of part: PartNumber) -> [PlannedCell] {
    parts.indices.contains(part.number - 1) ? parts[part.number - 1].map { cells[$0] } : []
  }
}
