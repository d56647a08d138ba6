import LarderEngine
import LarderLibc

/// Tells of memory pressure: the system's, or a test's or workload's own.
public protocol MemoryPressureSource: Sendable {
  /// Calls `handler` from any thread whenever memory is short, until `stop`. Called once.
  func start(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void)

  /// Ends the calls. One that is under way may still finish.
  func stop()
}

/// How short of memory the system is.
public enum MemoryPressureLevel: Sendable, Hashable, CaseIterable {
  /// Memory is getting short: what can be had again should be given up in part.
  case warning
  /// Processes are about to be ended for want of memory.
  case critical
}

/// How much of what it holds a cache keeps when the system is short of memory. The policy chooses
/// what goes. A cache that is made with a share outside 0 to 1, or with less to go when it is
/// critical than on a warning, throws.
public struct MemoryPressureRule: Sendable, Hashable {
  /// The share kept on a warning, from 0 to 1.
  public var keptOnWarning: Double
  /// The share kept when it is critical, from 0 to 1.
  public var keptWhenCritical: Double

  /// A rule; by default half is kept on a warning and nothing when it is critical.
  public init(keptOnWarning: Double = 0.5, keptWhenCritical: Double = 0) {
    self.keptOnWarning = keptOnWarning
    self.keptWhenCritical = keptWhenCritical
  }

  /// Refuses shares that are none.
  func check() throws(MemoryCacheError) {
    for (name, share) in [
      ("keptOnWarning", keptOnWarning), ("keptWhenCritical", keptWhenCritical),
    ] where !(0...1).contains(share) {
      throw .limit("pressureRule.\(name)", "\(share)", expected: "a share from 0 to 1")
    }
    guard keptWhenCritical <= keptOnWarning else {
      throw .limit(
        "pressureRule.keptWhenCritical", "\(keptWhenCritical)",
        expected: "at most keptOnWarning, \(keptOnWarning)")
    }
  }

  /// The share kept at a level.
  func kept(_ level: MemoryPressureLevel) -> Double {
    switch level {
    case .warning: keptOnWarning
    case .critical: keptWhenCritical
    }
  }
}

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

/// Why the system cannot tell of memory pressure.
public struct MemoryPressureError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file that was to be watched.
  public var path: String
  /// The system's error number.
  public var code: Int32

  /// One line for a person.
  public var description: String {
    "\(path): cannot observe memory pressure: \(String(cString: strerror(code))); "
      + "use another source, or call handle(_:) when the app is notified"
  }
}
