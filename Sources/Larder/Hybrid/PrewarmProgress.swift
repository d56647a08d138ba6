/// How far pre-warming a cache has come.
public struct PrewarmProgress: Sendable, Hashable {
  /// Keys to see to.
  public let total: Int
  /// Keys that the cache had.
  public private(set) var present = 0
  /// Keys whose values were fetched.
  public private(set) var fetched = 0
  /// Keys that the origin does not have.
  public private(set) var absent = 0
  /// Keys whose fetch failed or was cancelled.
  public private(set) var failed = 0

  /// Progress, as for a test of code that shows it; see the properties for the meaning of each.
  public init(
    total: Int, present: Int = 0, fetched: Int = 0, absent: Int = 0, failed: Int = 0
  ) {
    self.total = total
    self.present = present
    self.fetched = fetched
    self.absent = absent
    self.failed = failed
  }

  /// Keys that were seen to, whatever came of it.
  public var done: Int { present + fetched + absent + failed }

  mutating func count<Value>(_ result: CacheResult<Value>) {
    switch result {
    case .hit: present += 1
    case .miss: fetched += 1
    case .absent: absent += 1
    case .failure: failed += 1
    }
  }
}
