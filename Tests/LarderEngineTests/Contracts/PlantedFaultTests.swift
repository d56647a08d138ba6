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

  @Test func wrongResidencyIsFound() throws {
    #expect(
      try #require(broken(Stranger.self)[.residency]).problem.contains("which is not resident"))
    #expect(
      try #require(broken(Keeper.self)[.residency]).problem
        .contains("is resident after evict returned it"))
    #expect(
      try #require(broken(Idler.self)[.residency]).problem
        .contains("is resident after it was removed"))
    #expect(
      try #require(broken(Mourner.self)[.residency]).problem
        .contains("is remembered after it was removed"))
    #expect(
      try #require(broken(Eager.self)[.residency]).problem
        .contains("is resident after admit, before insert"))
    #expect(
      try #require(broken(Liar.self)[.residency]).problem.contains("and evict returned"))
    #expect(
      try #require(broken(Overflower.self)[.residency]).problem
        .contains("evictsOnHit is no trait of it"))
  }

  @Test func wrongMemoriesAreFound() throws {
    #expect(
      try #require(broken(Hoarder.self)[.memory]).problem
        .contains("objects that come once it remembers more and more"))
    #expect(
      try #require(broken(Denier.self)[.memory]).problem
        .contains("it has 40 ghosts, and ghostsMax is 0"))
    #expect(
      try #require(broken(Grower.self)[.memory]).problem.contains("with every doubling"))
    #expect(broken(Counter.self)[.removal] != nil)
  }

  @Test func decisionsFromOtherInputsAreFound() throws {
    #expect(broken(Sharer.self)[.repeatability] != nil)
    #expect(try #require(broken(Gambler.self)[.seed]).problem.contains("isRandom is false"))
    #expect(
      try #require(broken(Unmarked.self)[.hitWords]).problem.contains("hits through hitWords"))
    #expect(broken(Reverser.self)[.growth] != nil)
    #expect(
      try #require(broken(Listener.self)[.repeatability]).problem.contains("without hints"))
    #expect(
      try #require(broken(Picky.self)[.setup]).problem.contains("it cannot be made"))
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
