import LarderEngine

extension PolicyProbe {
  func get(_ request: Request) -> ScriptOutcome {
    switch self.request(request) {
    case .hit: ScriptOutcome(kind: .hit)
    case .stored(let evicted): ScriptOutcome(kind: .miss, evicted: evicted)
    case .rejected: ScriptOutcome(kind: .rejected, evicted: evicted)
    }
  }

  func set(_ request: Request) -> ScriptOutcome {
    guard contains(request.id) else {
      let outcome = get(request)
      return outcome.kind == .rejected
        ? outcome : ScriptOutcome(kind: .stored, evicted: outcome.evicted)
    }
    let evicted = replace(request)
    let isRejected = !contains(request.id) && !evicted.contains(request.id)
    return ScriptOutcome(kind: isRejected ? .rejected : .stored, evicted: evicted)
  }
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
