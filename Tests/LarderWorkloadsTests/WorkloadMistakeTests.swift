import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments

/// Mistakes in workload files with the exact line that a user sees, in `Golden/mistakes.txt`: the
/// YAML, and after `! ` the message. `@start` stands for a valid beginning. LARDER_UPDATE_GOLDEN=1
/// writes the messages anew.
@Suite struct WorkloadMistakeTests {
  /// Larder, two other caches, the caches of processes, and one more preset.
  static let checks: ComponentChecks = {
    var checks = ComponentChecks.registered { name, kind in
      let known = [ConfigurationSpec.defaultCache, "nscache", "theirs", ProcessSpec.contender]
      guard known.contains(name) else { throw ContenderError.unknown(name, known: known) }
      guard name != "theirs" || kind == .memory else {
        throw ContenderError.kind(name, kind, possible: [.memory])
      }
      return name == ConfigurationSpec.defaultCache
    }
    let registered = checks.preset
    checks.preset = { name in
      name == "app"
        ? ConfigurationSpec(name: name, kind: .hybrid, preset: name) : try registered(name)
    }
    return checks
  }()

  @Test func everyMistakeHasItsMessage() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Golden/mistakes.txt")
    let text = try String(contentsOf: file, encoding: .utf8)
    let blocks = text.components(separatedBy: "----\n").filter { !$0.isEmpty }
    #expect(blocks.count > 150)
    var rewritten: [String] = []
    for block in blocks {
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      let yaml = lines.prefix { !$0.hasPrefix("! ") }.joined(separator: "\n") + "\n"
      let message = Case.message(
        yaml.replacing("@start\n", with: Case.start), checks: Self.checks)
      rewritten.append(yaml + "! \(message ?? "valid")\n")
      #expect(block == rewritten.last, "\(message ?? "valid")")
    }
    if ProcessInfo.processInfo.environment["LARDER_UPDATE_GOLDEN"] == "1" {
      try rewritten.joined(separator: "----\n").write(to: file, atomically: true, encoding: .utf8)
    }
  }
}
