/// What became of an operation on a hybrid cache.
struct HybridOutcome<Value: Sendable> {
  /// Why disk or a codec could not do its part: the first failure of the operation.
  private(set) var failure: HybridCacheError?
  /// The copy that disk found expired.
  var expired: HybridFound<Value>?
  /// Whether memory holds what was stored, or held what was removed.
  var isInMemory = false
  /// The same for disk.
  var isOnDisk = false

  /// Notes a failure; the first one is reported.
  mutating func fail(_ error: HybridCacheError) {
    if failure == nil { failure = error }
  }
}
