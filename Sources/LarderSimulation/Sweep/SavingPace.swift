import LarderEngine

/// Says when to save what a long run has so far: once a second at most, and seldom enough that a
/// large result, which takes long to write, does not slow the run down by more than a tenth.
package final class SavingPace: Sendable {
  private let next: Locked<ContinuousClock.Instant>
  private let now: @Sendable () -> ContinuousClock.Instant

  /// A pace that begins now. `now` is the clock, for tests.
  package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
    self.now = now
    next = Locked(now() + .seconds(1))
  }

  /// Calls `save` when it is time for it; one caller at a time.
  package func whenDue(_ save: () throws -> Void) throws {
    try next.withLock { next in
      let start = now()
      guard start >= next else { return }
      try save()
      let end = now()
      next = end + max(.seconds(1), (end - start) * 10)
    }
  }
}
