import LarderEngine

extension RegisteredPolicy {
  package static let pfooLower = RegisteredPolicy(bound: PFOOLower.self)
}

/// A number of hits that a cache with knowledge of the future can have, with different sizes.
struct PFOOLower: Bound {
  static let description = PolicyDescription(
    name: "pfoo-l", family: .offline,
    summary: "Hits that a cache of this capacity can reach if it knows the future and need not "
      + "store a miss. Not a policy: for one simulated tier where nothing expires.",
    needs: [.size, .nextUse],
    paper: PFOO.paper)

  static let isReachable = true

  private let pfoo: PFOO

  init(_ columns: RequestColumns, unit: CapacityUnit) throws(PolicyError) {
    pfoo = try PFOO(columns, unit: unit)
  }

  func hits(capacity: UInt64, from first: Int) -> (count: UInt64, bytes: UInt64) {
    var (count, bytes): (UInt64, UInt64) = (0, 0)
    pfoo.keep(capacity: capacity, from: first) { request in
      count += 1
      bytes += pfoo.worth(request)
    }
    return (count, bytes)
  }

  var stateBytes: Int { pfoo.bytes }
}
