/// What no cache exceeds where sizes differ.
struct PFOOUpper: Bound {
  static let description = PolicyDescription(
    name: "pfoo-u", family: .offline,
    summary: "An upper bound on the hits, and another on the bytes hit, of any cache of this "
      + "capacity, also one that knows the future. No policy: for one tier, simulated.",
    needs: [.size, .nextUse],
    paper: "Berger, Beckmann and Harchol-Balter, Practical bounds on optimal caching with variable "
      + "object sizes, SIGMETRICS 2018")

  static let isReachable = false

  private let pfoo: PFOO
  private let sizes: UnsafePointer<UInt32>?
  private let owner: AnyObject?

  init(_ columns: RequestColumns, unit: CapacityUnit) throws(PolicyError) {
    pfoo = try PFOO(columns, unit: unit)
    sizes = unit == .bytes ? columns.sizes : nil
    owner = columns.owner
  }

  func hits(capacity: UInt64, from first: Int) -> (count: UInt64, bytes: UInt64) {
    withExtendedLifetime(owner) {
      let count = pfoo.upperBound(capacity: capacity, from: first)
      // Where all sizes are alike the two are the same question.
      guard sizes != nil else { return (count, count) }
      return (count, pfoo.upperBoundBytes(capacity: capacity, from: first, worth: sizes))
    }
  }

  var stateBytes: Int { pfoo.bytes }
}
