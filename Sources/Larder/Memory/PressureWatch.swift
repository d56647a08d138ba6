import LarderEngine

/// The source of memory pressure that a cache listens to, if any.
final class PressureWatch: Sendable {
  private let source = Locked<(any MemoryPressureSource)?>(nil)

  /// Listens to `source` and to no other that was there before.
  func start(
    _ source: any MemoryPressureSource,
    _ handler: @escaping @Sendable (MemoryPressureLevel) -> Void
  ) {
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
    let before = source.withLock { held in
      let before = held
      held = nil
      return before
    }
    before?.stop()
  }
}
