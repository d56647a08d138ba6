/// How many hits are possible at all: something that is asked for by name as a policy is, and has
/// hits as one has, but decides nothing.
///
/// It works for one tier in a simulation, on the whole trace at once. Limits on time and on the
/// number of objects, and admission filters, are left out of account by an upper bound; a lower one
/// is refused with them.
protocol Bound: SendableMetatype {
  /// Name, summary and paper.
  static var description: PolicyDescription { get }

  /// Whether a cache that knows the future can have these hits.
  static var isReachable: Bool { get }

  /// Prepares the bound for a trace whose next uses are known.
  init(_ columns: RequestColumns, unit: CapacityUnit) throws(PolicyError)

  /// Hits among the requests from `first` on, and the sum of their sizes.
  func hits(capacity: UInt64, from first: Int) -> (count: UInt64, bytes: UInt64)

  /// Memory held, in bytes.
  var stateBytes: Int { get }
}
