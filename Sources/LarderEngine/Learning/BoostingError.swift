/// Why there is no library or no model.
public enum BoostingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no library: what is missing and what to do, to stand behind "needs".
  case unavailable(String)
  /// The library refused to train, with its message.
  case failed(String)
  /// A model is not made of binary trees over the features that it was trained on.
  case badModel(String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .unavailable(let need): "needs \(need)"
    case .failed(let message): "training failed: \(message)"
    case .badModel(let problem): "unexpected model: \(problem)"
    }
  }
}
