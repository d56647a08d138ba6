/// A bound on the possible hits of one tier over a whole trace: it is requested by name and has hits
/// like a policy, but makes no decisions. An upper bound ignores TTLs, limits on the number of
/// objects, and admission filters; a lower bound rejects them.
package protocol PreparedBound {
  func hits(capacity: UInt64, from first: Int) -> (count: UInt64, bytes: UInt64)

  var stateBytes: Int { get }
}

/// A bound in place of a simulation: it passes over the trace to count requests, and computes the
/// possible hits at the end.
final class BoundSimulation: Simulation {
  private let bound: any PreparedBound
  private let columns: RequestColumns
  private let unit: CapacityUnit
  private let capacity: UInt64
  private let isDisk: Bool
  private var first = 0
  private var totals = Counts()
  private(set) var position = 0

  init(_ bound: any PreparedBound, _ single: SingleTier) {
    self.bound = bound
    columns = single.columns
    unit = single.unit
    isDisk = single.isDisk
    capacity = single.tier.capacity
  }

  var counts: Counts { totals }

  var outcomes: OutcomeSizes? { nil }

  var stateBytes: Int { bound.stateBytes }

  func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let reader = RequestReader(columns, unit: unit)
    let end = min(end, columns.count)
    while position < end {
      switch reader.operation(at: position) {
      case .get, .bypass:
        totals.requests += 1
        totals.bytesRequested += UInt64(reader.request(at: position).size)
      case .set: totals.sets += 1
      case .delete: totals.deletes += 1
      case .modify, .expire: break
      }
      position += 1
    }
    if position == columns.count { noteHits() }
    return false
  }

  private func noteHits() {
    let (count, bytes) = bound.hits(capacity: capacity, from: first)
    if isDisk {
      totals.diskHits = count
      totals.diskBytesHit = bytes
    } else {
      totals.memoryHits = count
      totals.memoryBytesHit = bytes
    }
  }

  func resetCounts() {
    guard position < columns.count else { return }
    totals = Counts()
    first = position
  }
}
