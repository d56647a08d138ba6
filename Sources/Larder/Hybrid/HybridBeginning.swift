/// What a request begins with.
struct HybridBeginning<Key: DiskKeyRepresentable, Value: Sendable>: Sendable {
  /// A fetch that the request has begun, and is to launch.
  struct Launch: Sendable {
    let flight: CacheFlight<Value>
    let request: OriginRequest<Key>
  }

  /// What comes next.
  enum Next: Sendable {
    /// There is an answer.
    case answer(CacheResult<Value>)
    /// The answer of a fetch is to be waited for.
    case wait(CacheFlight<Value>)
  }

  /// What the cache has that may be answered.
  var hit: CacheHit<Value>?
  var next: Next
  var launch: Launch?
}
