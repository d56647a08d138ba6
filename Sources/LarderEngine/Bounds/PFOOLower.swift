/// What a cache that knows the future can have where sizes differ.
struct PFOOLower: Bound {
  static let description = PolicyDescription(
    name: "pfoo-l", family: .offline,
    summary: "Hits that a cache of this capacity can have if it knows the future and need not "
      + "store a miss. No policy: for one tier, simulated, where nothing expires.",
    needs: [.size, .nextUse],
    paper: "Berger, Beckmann and Harchol-Balter, Practical bounds on optimal caching with variable "
      + "object sizes, SIGMETRICS 2018")

  static let isReachable = true

  private let pfoo: PFOO
  private let sizes: UnsafePointer<UInt32>?
  private let owner: AnyObject?

  init(_ columns: RequestColumns, unit: CapacityUnit) throws(PolicyError) {
    pfoo = try PFOO(columns, unit: unit)
    sizes = unit == .bytes ? columns.sizes : nil
    owner = columns.owner
  }

  func hits(capacity: UInt64, from first: Int) -> (count: UInt64, bytes: UInt64) {
    var (count, bytes): (UInt64, UInt64) = (0, 0)
    withExtendedLifetime(owner) {
      pfoo.keep(capacity: capacity, from: first) { request in
        count += 1
        bytes += sizes.map { UInt64($0[request]) } ?? 1
      }
    }
    return (count, bytes)
  }

  var stateBytes: Int { pfoo.bytes }
}
