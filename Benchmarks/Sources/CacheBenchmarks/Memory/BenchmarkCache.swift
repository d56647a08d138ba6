/// All that a cache must do to be measured: look up, and store on a miss.
protocol BenchmarkCache<Key, Value>: Sendable {
  associatedtype Key: Hashable & Sendable
  associatedtype Value: Sendable

  /// The value of a key, if it is there.
  func get(_ key: Key) -> Value?

  /// Stores a value.
  func put(_ key: Key, _ value: Value)
}
