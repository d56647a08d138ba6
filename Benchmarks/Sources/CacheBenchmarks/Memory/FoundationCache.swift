import Foundation

/// Foundation's `NSCache`, as an app would use it for integers: boxed keys and values.
final class FoundationCache: BenchmarkCache, @unchecked Sendable {
  private let cache = NSCache<NSNumber, Box>()

  private final class Box {
    let value: Int

    init(_ value: Int) { self.value = value }
  }

  init(capacity: Int) { cache.countLimit = capacity }

  func get(_ key: Int) -> Int? { cache.object(forKey: key as NSNumber)?.value }

  func put(_ key: Int, _ value: Int) { cache.setObject(Box(value), forKey: key as NSNumber) }
}
