/// An entry that has left a memory cache, or a value that it refused.
public struct MemoryRemoval<Key: Sendable, Value: Sendable>: Sendable {
  /// The key.
  public var key: Key
  /// The value that is no longer stored under it; a refused one never was.
  public var value: Value
  /// Why it is not there.
  public var reason: MemoryRemovalReason

  /// A removal, as for a test of a listener.
  public init(key: Key, value: Value, reason: MemoryRemovalReason) {
    self.key = key
    self.value = value
    self.reason = reason
  }
}
