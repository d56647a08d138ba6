public import LarderEngine

/// Why a memory cache could not be made.
public enum MemoryCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The policy does not exist, cannot have this capacity, or needs to know the future.
  case policy(PolicyError)
  /// A limit is not what it must be.
  case limit(String, String, expected: String)
  /// The number of shards is not what it must be.
  case shards(Int)

  /// One line for a person.
  public var description: String {
    switch self {
    case .policy(let error): "\(error)"
    case .limit(let name, let value, let expected):
      "memory cache: \(name) \(value) is out of range: expected \(expected)"
    case .shards(let count):
      "memory cache: invalid number of shards \(count): expected a power of two up to 1024"
    }
  }
}
