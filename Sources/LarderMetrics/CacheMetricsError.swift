#if Metrics
  /// Why metrics could not be reported.
  public enum CacheMetricsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The interval between two reports is outside its range.
    case interval(Duration)

    /// One line for a person.
    public var description: String {
      switch self {
      case .interval(let interval):
        "cache metrics: interval \(interval) is out of range: expected a millisecond to 365 days"
      }
    }
  }
#endif
