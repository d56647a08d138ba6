import LarderEngine
import LarderPolicies
import Testing

@Suite struct ScriptTests {
  @Test(arguments: ScriptFiles.names)
  func engineFollowsTheScript(name: String) throws {
    let script = try ScriptFiles.load(name)
    // Learned policies follow their scripts with the stand-in for a library, like their models.
    let replayed = try GradientBoosting.$substitute.withValue(NaiveBooster.boosting) {
      try script.replay()
    }
    #expect(replayed > 0)
  }

  @Test func everyPolicyHasAScript() {
    for policy in PolicyRegistry.standard + PolicyRegistry.learned {
      #expect(ScriptFiles.names.contains(policy.description.name), "\(policy.description.name)")
    }
  }
}
