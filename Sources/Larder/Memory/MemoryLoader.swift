/// How a request wants a value loaded and stored.
struct MemoryLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Asks the origin.
  let load: @Sendable (Key) async throws -> Value?
  /// How long it is remembered that there is no value; nil for a loader that always has one.
  let negativeLife: Duration?
  /// How a value is stored; nil for one that is not.
  let entry: @Sendable (Value) -> MemoryEntry?

  init(
    _ cost: @escaping @Sendable (Value) -> Int,
    _ timeToLive: @escaping @Sendable (Value) -> Duration?, _ fetchCost: Float,
    _ negativeLife: Duration?, _ load: @escaping @Sendable (Key) async throws -> Value?
  ) {
    self.load = load
    self.negativeLife = negativeLife
    entry = { value in
      let life = timeToLive(value)
      if let life, life <= .zero { return nil }
      return MemoryEntry(
        cost: cost(value), timeToLive: life, fetchCost: fetchCost, isPermanent: false)
    }
  }
}
