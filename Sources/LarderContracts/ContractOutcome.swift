import LarderEngine

/// What a request came to.
struct ContractOutcome: Equatable, CustomStringConvertible {
  /// In the words of scripts.
  enum Kind: String {
    case hit
    case miss
    case stored
    case rejected
    case deleted
    case nothing
  }

  var kind: Kind
  var evicted: [ObjectID]

  init(_ kind: Kind, evicted: [ObjectID] = []) {
    self.kind = kind
    self.evicted = evicted
  }

  var description: String {
    let victims = evicted.map(String.init).joined(separator: " ")
    return kind.rawValue + (evicted.isEmpty ? "" : " evicts \(victims)")
  }
}
