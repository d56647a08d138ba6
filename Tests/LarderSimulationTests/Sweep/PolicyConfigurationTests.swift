import LarderEngine
import LarderPolicies
import LarderTraces
import Testing

@testable import LarderExperiments

/// Configurations that policies declare to be tried: `s4-fifo:*`.
struct PolicyConfigurationTests {
  /// A policy without a list of its own has the combinations of the values of its parameters.
  @Test func searchedValuesAreCombined() throws {
    let names = try PolicyRegistry.configurations(of: "2q").map(\.description)
    #expect(
      names == ["2q:in=0.05", "2q:in=0.05:ghost=1.5", "2q:ghost=1.5", "2q:in=0.5"]
        + ["2q:in=0.5:ghost=1.5"])
    for policy in PolicyRegistry.standard.map(\.description) {
      guard let specs = try? PolicyRegistry.configurations(of: policy.name) else { continue }
      for spec in specs { try PolicyRegistry.validate(spec) }
      #expect(Set(specs).count == specs.count)
    }
  }

  @Test func policyWithoutConfigurationsIsAnError() {
    #expect(throws: PolicyError.noConfigurations(policy: "lru")) {
      try PolicyRegistry.configurations(of: "lru")
    }
    #expect(throws: PolicyError.unknownPolicy("s5-fifo", nearest: "s3-fifo")) {
      try PolicyRegistry.configurations(of: "s5-fifo")
    }
  }

  @Test func starExpandsToAllConfigurations() throws {
    #expect(try PolicySpec.list(parsing: "s4-fifo:*").count == 18)
    #expect(try PolicySpec.list(parsing: "lru").map(\.description) == ["lru"])
    #expect(throws: PolicyError.self) { try PolicySpec.list(parsing: "lru:*") }
    #expect(throws: PolicyError.self) { try PolicySpec.list(parsing: "s4-fifo:small=0.2:*") }
  }

  /// Misses of the defaults and of the best of the 18 configurations at 128 to 1024 MiB, by the
  /// reference.
  @Test(.enabled(if: CurveTraces.folder != nil, "needs LARDER_TRACES"))
  func bestConfigurationsOnCloudPhysicsEqualReference() throws {
    let file = "\(CurveTraces.folder ?? "")/cloudPhysicsIO.oracleGeneral.zst"
    let maker = try CurveMaker(
      trace: try PreparedTrace.load(path: file),
      settings: CurveSettings(
        policies: [try PolicySpec(parsing: "s4-fifo")] + PolicySpec.list(parsing: "s4-fifo:*"),
        capacities: try CapacitySpec.list(
          parsing: "128MiB,256MiB,384MiB,512MiB,640MiB,768MiB,896MiB,1024MiB"),
        method: .exact, threads: 2))
    let curves = try maker.make().curves.map { curve in
      curve.points.map { curve.requests - ($0.hits ?? 0) }
    }
    let best = curves[0].indices.map { point in curves.dropFirst().map { $0[point] }.min() }
    #expect(best == [88288, 81162, 74848, 71841, 69511, 65057, 59065, 53487])
    #expect(curves[0] == [90117, 80915, 75060, 72191, 69815, 65542, 60799, 56045])
  }
}
