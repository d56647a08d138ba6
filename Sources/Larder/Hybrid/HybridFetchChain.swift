/// The fetches that the current task works for: that of its own loader, and those of the loaders
/// that wait for it. A detached task works for none.
final class HybridFetchChain: Sendable {
  @TaskLocal static var current: HybridFetchChain?

  private let cache: ObjectIdentifier
  private let key: ExactName
  private let outer: HybridFetchChain?

  /// A fetch of `key` for the cache, which lives as long as the fetch, inside the current ones.
  init(_ cache: AnyObject, key: String) {
    self.cache = ObjectIdentifier(cache)
    self.key = ExactName(key)
    outer = Self.current
  }

  /// Whether the current task works for a fetch of `key`: to wait for that would be to wait for
  /// itself. O(loaders inside each other).
  static func contains(_ cache: AnyObject, key: @autoclosure () -> String) -> Bool {
    guard var link = current else { return false }
    let key = ExactName(key())
    while link.cache != ObjectIdentifier(cache) || link.key != key {
      guard let outer = link.outer else { return false }
      link = outer
    }
    return true
  }
}
