import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The counts of a real cache in one thread equal those of its simulation for any workload file:
/// random configurations and traces, starting from the files.
///
/// `LARDER_DRAWS=5000 swift test --filter ConfigurationDifferentialTests` makes more draws than the
/// few hundred of a normal run. A failing draw is shrunk and printed as files for `larder run`.
@Suite(.timeLimit(.minutes(60))) struct ConfigurationDifferentialTests {
  private static let parts = 12

  private static let draws =
    ProcessInfo.processInfo.environment["LARDER_DRAWS"].flatMap { Int($0) }
    ?? TestEffort.rounds(420, atLeast: 84)

  @Test(arguments: 0..<parts)
  func executedEqualsSimulated(part: Int) throws {
    for number in stride(from: part, to: Self.draws, by: Self.parts) {
      let draw = DrawMaker.draw(number)
      guard try report(draw, DrawRun()) == nil else { return }
    }
  }

  private func report(_ draw: ConfigurationDraw, _ run: DrawRun) throws -> String? {
    guard try run.difference(draw) != nil else { return nil }
    let plainest = run.plainest(draw)
    let difference = try run.difference(plainest) ?? "it does not fail again"
    Issue.record("draw \(draw.number):\n\(difference)\n\(plainest.script)")
    return difference
  }

  // MARK: The test itself

  /// The draws of a normal run have every policy in every position, and every cache setting of a
  /// workload.
  @Test func drawsCoverEverything() throws {
    let draws = (0..<420).map(DrawMaker.draw)
    for kind in ConfigurationKind.allCases {
      let drawn = draws.filter { $0.kind == kind }
      let policies = Set(drawn.flatMap(\.tiers).map(\.policy))
      #expect(policies.isSuperset(of: DrawMaker.policies), "\(kind)")
      for unit in [CapacityUnit.objects, .bytes] {
        let tiers = drawn.filter { $0.unit == unit }.flatMap(\.tiers)
        for hasFilter in [false, true] {
          #expect(
            tiers.contains { $0.objects != nil && ($0.admission != nil) == hasFilter },
            "\(kind), \(unit), \(hasFilter)")
        }
        #expect(tiers.contains { $0.timeToLiveSeconds != nil && $0.objects != nil })
      }
      let filters = Set(drawn.flatMap(\.tiers).compactMap(\.admission).map(Self.name))
      #expect(filters == Set(AdmissionRegistry.all.map(\.description.name)), "\(kind)")
      #expect(Set(drawn.map(\.warmUp)).count == 4)
    }
    #expect(Set(draws.compactMap(\.disk.segmentBytes)).count == 3)
    let hybrids = draws.filter { $0.kind == .hybrid }
    for inclusion in HybridRules.Inclusion.allCases {
      for promotion in HybridRules.Promotion.allCases {
        for isPlaced in [false, true] {
          #expect(
            hybrids.contains {
              $0.rules.inclusion == inclusion && $0.rules.promotion == promotion
                && ($0.rules.placement != nil) == isPlaced
            })
        }
      }
    }
  }

  private static func name(_ spec: String) -> String { String(spec.prefix { $0 != ":" }) }

  /// A simulation of another cache is detected, and the failing draw is shrunk to little. The
  /// output is that draw.
  @Test(arguments: ConfigurationKind.allCases)
  func differenceIsFoundAndShrunk(kind: ConfigurationKind) throws {
    let run = DrawRun(changing: Self.enlarge)
    let draw = try #require(
      try (0..<120).map(DrawMaker.draw).first {
        try $0.kind == kind && run.difference($0) != nil
      })
    #expect(try DrawRun().difference(draw) == nil)
    let plainest = run.plainest(draw)
    let difference = try #require(try run.difference(plainest))
    #expect(difference.contains("executed") && difference.contains("simulated"))
    #expect(plainest.kind == .memory && plainest.memory.policy == "lru", "\(plainest.script)")
    #expect(plainest.memory.admission == nil && plainest.memory.objects == nil)
    #expect(plainest.warmUp == "none")
    #expect(plainest.trace.lines.count < 40, "\(plainest.script)")
    #expect(plainest.script.contains(plainest.workloadText))
    #expect(plainest.script.hasSuffix("larder run draw.yaml"))
  }

  /// Doubles the simulated capacity, that of memory if there are two tiers.
  private static func enlarge(_ setup: inout SimulationSetup) {
    switch setup.arrangement {
    case .memory(var tier):
      tier.capacity *= 2
      setup.arrangement = .memory(tier)
    case .disk(var tier):
      tier.capacity *= 2
      setup.arrangement = .disk(tier)
    case .hybrid(var memory, let disk, let rules):
      memory.capacity *= 2
      setup.arrangement = .hybrid(memory: memory, disk: disk, rules: rules)
    }
  }
}
