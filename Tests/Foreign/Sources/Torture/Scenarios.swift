/// The registry of scenarios.
enum Scenarios {
  static let all: [any Scenario.Type] = [
    KillScenario.self,
    PowerScenario.self,
    FaultsScenario.self,
    FullScenario.self,
    DamageBytesScenario.self,
    DamageRowsScenario.self,
    ReopenScenario.self,
    ConfigurationsScenario.self,
  ]
}
