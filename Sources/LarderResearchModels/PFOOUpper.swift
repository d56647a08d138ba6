import LarderEngine

extension RegisteredPolicy {
  package static let pfooUpper = RegisteredPolicy(bound: PFOOUpper.self)
}

/// A number of hits that no cache exceeds, with different sizes.
struct PFOOUpper: Bound {
  static let description = PolicyDescription(
    name: "pfoo-u", family: .offline,
    summary: "Upper bounds on the hits and on the bytes hit of any cache of this capacity, even "
      + "one that knows the future. Not a policy: for one simulated tier.",
    needs: [.size, .nextUse],
    paper: PFOO.paper)

  static let isReachable = false

  private let pfoo: PFOO

  init(_ columns: RequestColumns, unit: CapacityUnit) throws(PolicyError) {
    pfoo = try PFOO(columns, unit: unit)
  }

  func hits(capacity: UInt64, from first: Int) -> (count: UInt64, bytes: UInt64) {
    (
      pfoo.upperBound(capacity: capacity, from: first),
      pfoo.upperBoundBytes(capacity: capacity, from: first)
    )
  }

  var stateBytes: Int { pfoo.bytes }
}
