import Foundation
import LarderExperiments
import LarderHarness

extension FuzzTarget {
  /// A workload file. An accepted one is planned for two traces, with and without sizes.
  static let workload = FuzzTarget("workload", lengthMax: 8192) { input in
    let workload = try accepted(or: WorkloadError.self) {
      try WorkloadDecoder().decode(Data(input), file: "fuzz.yaml")
    }
    guard let workload else { return }
    for footprint in [nil, 1_000_000 as UInt64] {
      let facts = TraceFacts(name: "a", requests: 10_000, objects: 1000, footprintBytes: footprint)
      let cells = try accepted(or: PlanError.self, CapacityError.self) {
        try Plan.cells(of: workload, facts: [facts])
      }
      guard let cells else { continue }
      let names = Set(cells.map { "\($0.cell)" })
      try require(names.count == cells.count, "a cell is planned twice")
    }
  }
}
