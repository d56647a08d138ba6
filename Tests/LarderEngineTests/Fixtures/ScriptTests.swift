import LarderEngine
import LarderPolicies
import Testing

@Suite struct ScriptTests {
  @Test(arguments: ScriptFiles.names)
  func modelFollowsTheScript(name: String) throws {
    let script = try ScriptFiles.load(name)
    let replayed = try script.replay {
      try ScriptedModel($0.policy, capacity: $0.capacity, unit: $0.unit)
    }
    #expect(replayed == (NaivePolicies.names.contains(name) ? script.sections.count : 0))
  }

  @Test(arguments: ScriptFiles.names)
  func engineFollowsTheScript(name: String) throws {
    let script = try ScriptFiles.load(name)
    // Learned policies follow their scripts with the stand-in for a library, like their models.
    let replayed = try GradientBoosting.$substitute.withValue(NaiveBooster.boosting) {
      try script.replay {
        try ScriptedPolicy(
          $0.policy, capacity: $0.capacity, unit: $0.unit, objects: $0.names.count)
      }
    }
    #expect(replayed > 0)
  }

  @Test func everyPolicyHasAScript() {
    for policy in PolicyRegistry.standard {
      #expect(ScriptFiles.names.contains(policy.description.name), "\(policy.description.name)")
    }
  }
}
