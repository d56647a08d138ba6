import LarderEngine

/// A cache of one tier that a script can drive: the engine's policy behind a probe, or a model.
protocol ScriptedCache {
  mutating func get(_ request: Request) -> ScriptOutcome
  mutating func set(_ request: Request) -> ScriptOutcome
  mutating func delete(_ id: ObjectID)
  func contains(_ id: ObjectID) -> Bool
  func remembers(_ id: ObjectID) -> Bool
}

/// The outcome of a request.
struct ScriptOutcome: Equatable, CustomStringConvertible {
  enum Kind: String {
    case hit
    case miss
    case rejected
    case stored
  }
  var kind: Kind
  var evicted: [ObjectID] = []

  var description: String { "\(kind) evicting \(evicted)" }
}

/// A naive model behind a script.
struct ScriptedModel: ScriptedCache {
  private var tier: NaiveTier

  init?(_ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit) throws {
    let setup = TierSetup(policy: spec, capacity: capacity)
    guard let tier = try NaiveTier(setup, unit: unit) else { return nil }
    self.tier = tier
  }

  mutating func get(_ request: Request) -> ScriptOutcome {
    let context = NaiveContext(now: 0, ttlSeconds: 0, version: 0, latest: [:])
    if let (_, evicted) = tier.lookUp(request, context) {
      return ScriptOutcome(kind: .hit, evicted: evicted.map(\.id))
    }
    return outcome(tier.store(request, version: 0), as: .miss)
  }

  mutating func set(_ request: Request) -> ScriptOutcome {
    outcome(tier.set(request, version: 0, now: 0), as: .stored)
  }

  mutating func delete(_ id: ObjectID) { tier.drop(id) }
  func contains(_ id: ObjectID) -> Bool { tier.policy.contains(id) }
  func remembers(_ id: ObjectID) -> Bool { tier.policy.contains(id) || tier.policy.isGhost(id) }

  private func outcome(
    _ outcome: NaiveTier.Outcome, as kind: ScriptOutcome.Kind
  ) -> ScriptOutcome {
    switch outcome {
    case .rejected(let evicted):
      ScriptOutcome(kind: .rejected, evicted: evicted.map(\.id))
    case .stored(let evicted): ScriptOutcome(kind: kind, evicted: evicted.map(\.id))
    }
  }
}
