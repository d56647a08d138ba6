import LarderContracts
import LarderEngine
import Testing

private enum NoFault: PlantedFault { static var fault: PolicyFault { .none } }
private enum Stranger: PlantedFault { static var fault: PolicyFault { .evictsWhatIsNotThere } }
private enum Keeper: PlantedFault { static var fault: PolicyFault { .keepsWhatItEvicts } }
private enum Idler: PlantedFault { static var fault: PolicyFault { .forgetsToRemove } }
private enum Mourner: PlantedFault { static var fault: PolicyFault { .remembersTheRemoved } }
private enum Hoarder: PlantedFault { static var fault: PolicyFault { .remembersEverything } }
private enum Denier: PlantedFault { static var fault: PolicyFault { .deniesItsGhosts } }
private enum Grower: PlantedFault { static var fault: PolicyFault { .growsState } }
private enum Counter: PlantedFault { static var fault: PolicyFault { .countsTheRemoved } }
private enum Sharer: PlantedFault { static var fault: PolicyFault { .sharesState } }
private enum Gambler: PlantedFault { static var fault: PolicyFault { .usesTheSeed } }
private enum Unmarked: PlantedFault { static var fault: PolicyFault { .forgetsMarks } }
private enum Reverser: PlantedFault { static var fault: PolicyFault { .forgetsWhenItGrows } }
private enum Liar: PlantedFault { static var fault: PolicyFault { .namesAnotherVictim } }
private enum Overflower: PlantedFault { static var fault: PolicyFault { .overflowsUnsaid } }
private enum Eager: PlantedFault { static var fault: PolicyFault { .insertsInAdmit } }
private enum Listener: PlantedFault { static var fault: PolicyFault { .listensToHints } }
private enum Picky: PlantedFault { static var fault: PolicyFault { .refusesLargeCapacities } }

@Suite struct PlantedFaultTests {
  private func broken<Planted: PlantedFault>(
    _ fault: Planted.Type
  ) -> [PolicyContract.Rule: ContractViolation] {
    Dictionary(
      PolicyContract.violations(of: FaultyPolicy<Planted>.self).map { ($0.rule, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  @Test func correctPolicyKeepsAllRules() throws {
    try PolicyContract.check(FaultyPolicy<NoFault>.self)
  }

  @Test(
    arguments: [
      (Stranger.self, .residency, "which is not resident"),
      (Keeper.self, .residency, "is resident after evict returned it"),
      (Idler.self, .residency, "is resident after it was removed"),
      (Mourner.self, .residency, "is remembered after it was removed"),
      (Eager.self, .residency, "is resident after admit, before insert"),
      (Liar.self, .residency, "and evict returned"),
      (Overflower.self, .residency, "evictsOnHit is no trait of it"),
      (Hoarder.self, .memory, "objects that come once it remembers more and more"),
      (Denier.self, .memory, "it has 40 ghosts, and ghostsMax is 0"),
      (Grower.self, .memory, "with every doubling"), (Counter.self, .removal, ""),
      (Sharer.self, .repeatability, ""), (Gambler.self, .seed, "isRandom is false"),
      (Unmarked.self, .hitWords, "hits through hitWords"), (Reverser.self, .growth, ""),
      (Listener.self, .repeatability, "without hints"), (Picky.self, .setup, "it cannot be made"),
    ] as [(any PlantedFault.Type, PolicyContract.Rule, String)])
  func faultIsFound(
    fault: any PlantedFault.Type, rule: PolicyContract.Rule, problem: String
  ) throws {
    let found = try #require(broken(fault)[rule])
    #expect(problem.isEmpty || found.problem.contains(problem))
  }

  @Test func violationIsShortened() throws {
    let found = try #require(broken(Stranger.self)[.residency])
    let lines = found.script.split(separator: "\n")
    #expect(lines.first == "policy faulty")
    #expect(lines.count <= 4 + Int(found.capacity))
    #expect(found.request == lines.count - 2)
    #expect(lines.last?.contains("# evict returned") == true)
    #expect(throws: found) {
      try PolicyContract.check(FaultyPolicy<Stranger>.self, rules: [.residency])
    }
    #expect(found.description.contains("seed \(found.seed)"))
  }

  @Test func invalidParametersAreReported() {
    let found = PolicyContract.violations(
      of: FaultyPolicy<NoFault>.self, parameters: ["nonsense"])
    #expect(found.map(\.rule) == [.setup])
  }
}
