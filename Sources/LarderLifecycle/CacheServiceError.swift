#if Lifecycle
  /// Why a service of a cache could not be made.
  public enum CacheServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The interval between two removals of expired entries is outside its range.
    case interval(Duration)

    /// One line for a person.
    public var description: String {
      switch self {
      case .interval(let interval):
        "cache service: interval \(interval) is out of range: expected a millisecond to 365 days"
      }
    }
  }
#endif
