/// How much of what it holds a cache keeps when the system is short of memory. The policy chooses
/// what goes.
public struct MemoryPressureRule: Sendable, Hashable {
  /// The share kept on a warning, from 0 to 1.
  public var keptOnWarning: Double
  /// The share kept when it is critical, from 0 to 1.
  public var keptWhenCritical: Double

  /// A rule; by default half is kept on a warning and nothing when it is critical. Shares outside
  /// 0 to 1 are taken as the nearer of the two.
  public init(keptOnWarning: Double = 0.5, keptWhenCritical: Double = 0) {
    self.keptOnWarning = min(max(keptOnWarning, 0), 1)
    self.keptWhenCritical = min(max(keptWhenCritical, 0), 1)
  }

  /// The share kept at a level.
  func kept(_ level: MemoryPressureLevel) -> Double {
    switch level {
    case .warning: keptOnWarning
    case .critical: keptWhenCritical
    }
  }
}
