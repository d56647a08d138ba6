/// What came of asking a cache with an origin behind it.
public enum CacheResult<Value: Sendable>: Sendable {
  /// The cache had it, or the origin said that what the cache has still holds.
  case hit(CacheHit<Value>)
  /// The cache did not have it: it comes from the origin.
  case miss(Value)
  /// Nobody has it: the origin said so, or was not to be asked.
  case absent
  /// The origin could not be asked, and the cache has nothing that may stand in.
  case failure(any Error)

  /// Where a value came from.
  public enum Source: String, Sendable, Hashable {
    case memory, disk, origin
  }

  /// The value, if there is one.
  public var value: Value? {
    switch self {
    case .hit(let hit): hit.value
    case .miss(let value): value
    case .absent, .failure: nil
    }
  }

  /// Where the value came from, if there is one.
  public var source: Source? {
    switch self {
    case .hit(let hit): hit.tier == .memory ? .memory : .disk
    case .miss: .origin
    case .absent, .failure: nil
    }
  }

  /// The value, nil where nobody has one.
  ///
  /// - Throws: the failure.
  public func get() throws -> Value? {
    if case .failure(let error) = self { throw error }
    return value
  }
}
