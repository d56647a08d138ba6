/// What a request wants of a cache and its origin.
struct HybridAsking<Key: DiskKeyRepresentable, Value: Sendable>: Sendable {
  let key: Key
  let strategy: CacheStrategy
  /// False where memory has been asked.
  var asksMemory = true
  /// What memory answered then.
  var known: CacheHit<Value>?
  /// What memory held then that had expired.
  var expired: HybridHeld<Value>?
  /// Whether the result of a refresh is waited for, too.
  var waitsForRefresh = false
  /// Those of the fetches that it works for.
  let marks = FetchMark.current
}
