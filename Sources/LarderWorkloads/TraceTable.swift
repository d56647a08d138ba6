import LarderTraces

/// Prepared traces, found by the cells that are replayed over them.
package struct TraceTable: Sendable {
  /// The traces in the order in which they were added.
  package private(set) var all: [PreparedTrace] = []
  private var places: [Key: Int] = [:]

  private struct Key: Hashable {
    var name: String
    /// Nil for a trace that serves all seeds.
    var seed: UInt64?
  }

  /// No traces.
  package init() {}

  /// One trace for all cells that name it.
  package init(_ trace: PreparedTrace) { add(trace, named: trace.name, seed: nil) }

  /// Adds a trace under a name of its own and a seed, nil for all seeds.
  package mutating func add(_ trace: PreparedTrace, named name: String, seed: UInt64?) {
    places[Key(name: name, seed: seed)] = all.count
    all.append(trace)
  }

  /// The trace of a name and a seed; nil if there is none. Constant time.
  package subscript(name: String, seed: UInt64?) -> PreparedTrace? {
    let place = places[Key(name: name, seed: seed)] ?? places[Key(name: name, seed: nil)]
    return place.map { all[$0] }
  }

  /// The trace of a cell; nil if there is none. Constant time.
  package subscript(cell: Cell) -> PreparedTrace? { self[cell.trace, cell.seed] }
}
