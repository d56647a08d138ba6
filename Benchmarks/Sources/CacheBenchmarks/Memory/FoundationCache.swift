import Foundation

/// Foundation's `NSCache`, as an app would use it: keys and values as objects.
final class FoundationCache<Key: Hashable & Sendable, Value: Sendable>: BenchmarkCache,
  @unchecked Sendable
{
  private let cache = NSCache<NSObject, Box>()
  private let object: @Sendable (Key) -> NSObject

  private final class Box {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  /// - Parameter object: The object of Foundation's that an app takes for a key.
  init(capacity: Int, object: @escaping @Sendable (Key) -> NSObject) {
    cache.countLimit = capacity
    self.object = object
  }

  func get(_ key: Key) -> Value? { cache.object(forKey: object(key))?.value }

  func put(_ key: Key, _ value: Value) { cache.setObject(Box(value), forKey: object(key)) }
}
