import LarderEngine

/// The source of memory pressure that a cache listens to, if any.
final class PressureWatch: Sendable {
  private let source = Locked<(any MemoryPressureSource)?>(nil)
  // Held while a source starts or stops, so that one source begins after the other has ended. A
  // handler may call the cache meanwhile, but neither `observe` nor `stopObserving`.
  private let change = SleepingLock()

  /// Listens to `source` and to no other that was there before.
  func start(
    _ source: any MemoryPressureSource,
    _ handler: @escaping @Sendable (MemoryPressureLevel) -> Void
  ) {
    change.lock()
    defer { change.unlock() }
    let before = self.source.withLock { held in
      let before = held
      held = source
      return before
    }
    before?.stop()
    source.start(handler)
  }

  /// Listens to nothing.
  func stop() {
    change.lock()
    defer { change.unlock() }
    let before = source.withLock { held in
      let before = held
      held = nil
      return before
    }
    before?.stop()
  }
}
