/// How the sizes of one object are resolved when its requests give different ones.
///
/// A cache stores an object with the size of the request that inserts it. Where the lines of a log
/// give one object several sizes, such as 0 for a 304 and a part for a 206, hits would be counted
/// with bytes that the cache never held.
public enum SizeRule: String, CaseIterable, Sendable, Hashable, Codable {
  /// Every request keeps the size that it was logged with.
  case logged
  /// The size of the last request that gives the object's whole size.
  case lastFull = "last-full"
  /// The largest size.
  case max
  /// The size of the first request that gives the object's whole size.
  case first

  /// What the rule does with the sizes of an object, as the end of a sentence.
  var effect: String {
    switch self {
    case .logged: "each request keeps its own"
    case .lastFull: "each has its last full size"
    case .max: "each has its largest size"
    case .first: "each has its first full size"
    }
  }
}
