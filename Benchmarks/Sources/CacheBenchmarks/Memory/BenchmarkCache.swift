/// All that a cache must do to be measured: look up, and store on a miss.
protocol BenchmarkCache: Sendable {
  /// The value of a key, if it is there.
  func get(_ key: Int) -> Int?

  /// Stores a value.
  func put(_ key: Int, _ value: Int)
}
