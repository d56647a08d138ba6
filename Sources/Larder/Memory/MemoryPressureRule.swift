/// How much of what it holds a cache keeps when the system is short of memory. The policy chooses
/// what goes. A cache that is made with a share outside 0 to 1, or with less to go when it is
/// critical than on a warning, throws.
public struct MemoryPressureRule: Sendable, Hashable {
  /// The share kept on a warning, from 0 to 1.
  public var keptOnWarning: Double
  /// The share kept when it is critical, from 0 to 1.
  public var keptWhenCritical: Double

  /// A rule; by default half is kept on a warning and nothing when it is critical.
  public init(keptOnWarning: Double = 0.5, keptWhenCritical: Double = 0) {
    self.keptOnWarning = keptOnWarning
    self.keptWhenCritical = keptWhenCritical
  }

  /// Refuses shares that are none.
  func check() throws(MemoryCacheError) {
    for (name, share) in [
      ("keptOnWarning", keptOnWarning), ("keptWhenCritical", keptWhenCritical),
    ] where !(0...1).contains(share) {
      throw .limit("pressureRule.\(name)", "\(share)", expected: "a share from 0 to 1")
    }
    guard keptWhenCritical <= keptOnWarning else {
      throw .limit(
        "pressureRule.keptWhenCritical", "\(keptWhenCritical)",
        expected: "at most keptOnWarning, \(keptOnWarning)")
    }
  }

  /// The share kept at a level.
  func kept(_ level: MemoryPressureLevel) -> Double {
    switch level {
    case .warning: keptOnWarning
    case .critical: keptWhenCritical
    }
  }
}
