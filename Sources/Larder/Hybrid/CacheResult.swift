/// The result of a request to a cache with an origin.
public enum CacheResult<Value: Sendable>: Sendable {
  /// The value was cached, or the origin confirmed the cached value.
  case hit(CacheHit<Value>)
  /// The value was not cached and comes from the origin.
  case miss(Value)
  /// No value: the origin does not have it, or was not asked.
  case absent
  /// The origin failed, and the cache has no value that may be returned instead.
  case failure(any Error)

  /// The source of a value.
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

  /// The source of the value, if there is one.
  public var source: Source? {
    switch self {
    case .hit(let hit): hit.tier == .memory ? .memory : .disk
    case .miss: .origin
    case .absent, .failure: nil
    }
  }

  /// The value, or nil if it is absent.
  ///
  /// - Throws: the failure.
  public func get() throws -> Value? {
    if case .failure(let error) = self { throw error }
    return value
  }
}
