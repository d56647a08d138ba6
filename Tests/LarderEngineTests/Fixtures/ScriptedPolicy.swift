import LarderEngine

/// The engine's policy behind a script.
struct ScriptedPolicy {
  private let probe: PolicyProbe

  init(_ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit, objects: Int) throws {
    probe = try PolicyProbe(spec, capacity: capacity, unit: unit, objects: objects)
  }

  mutating func get(_ request: Request) -> ScriptOutcome {
    switch probe.request(request) {
    case .hit: ScriptOutcome(kind: .hit)
    case .stored(let evicted): ScriptOutcome(kind: .miss, evicted: evicted)
    case .rejected: ScriptOutcome(kind: .rejected, evicted: probe.evicted)
    }
  }

  mutating func set(_ request: Request) -> ScriptOutcome {
    guard probe.contains(request.id) else {
      let outcome = get(request)
      return outcome.kind == .rejected
        ? outcome : ScriptOutcome(kind: .stored, evicted: outcome.evicted)
    }
    let evicted = probe.replace(request)
    let isRejected = !probe.contains(request.id) && !evicted.contains(request.id)
    return ScriptOutcome(kind: isRejected ? .rejected : .stored, evicted: evicted)
  }

  mutating func delete(_ id: ObjectID) { probe.remove(id) }
  mutating func expire(_ id: ObjectID, _ expires: UInt64) { probe.expire(id, expires) }
  func contains(_ id: ObjectID) -> Bool { probe.contains(id) }
  func remembers(_ id: ObjectID) -> Bool { probe.remembers(id) }
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
