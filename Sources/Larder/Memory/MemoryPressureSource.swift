import LarderEngine
import LarderLibc

/// A source of memory-pressure reports: the system's, or one made by a test or workload.
package protocol MemoryPressureSource: Sendable {
  /// Calls `handler` from any thread whenever memory is short, until `stop`. Called once.
  func start(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void)
  func stop()
}

/// Severity of the system's memory shortage.
public enum MemoryPressureLevel: Sendable, Hashable, CaseIterable {
  /// Memory is running short: part of what can be fetched again should be evicted.
  case warning
  /// The system is about to kill processes to free memory.
  case critical
}

/// Share of its contents that a cache keeps under memory pressure. The policy chooses the entries
/// to evict. Creating a cache throws if a share is outside 0 to 1, or if more is kept when critical
/// than on a warning.
public struct MemoryPressureRule: Sendable, Hashable {
  /// Share kept on a warning, from 0 to 1.
  public var keptOnWarning: Double
  /// Share kept when memory is critical, from 0 to 1.
  public var keptWhenCritical: Double

  /// Creates a rule; by default half is kept on a warning and nothing when memory is critical.
  public init(keptOnWarning: Double = 0.5, keptWhenCritical: Double = 0) {
    self.keptOnWarning = keptOnWarning
    self.keptWhenCritical = keptWhenCritical
  }

  /// True if caches observe the system's memory pressure unless configured otherwise: on Apple's
  /// systems.
  public static var isObservedByDefault: Bool {
    #if canImport(Darwin)
      true
    #else
      false
    #endif
  }

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

  func kept(_ level: MemoryPressureLevel) -> Double {
    switch level {
    case .warning: keptOnWarning
    case .critical: keptWhenCritical
    }
  }
}

/// A source of memory pressure that any number of caches share. It exists as long as one of them
/// observes it.
package final class PressureHub: Sendable {
  package typealias Handler = @Sendable (MemoryPressureLevel) -> Void

  private struct State {
    var source: (any MemoryPressureSource)?
    var handlers: [UInt64: Handler] = [:]
    var lastNumber: UInt64 = 0
  }

  package static let system = PressureHub { () throws(MemoryCacheError) in
    #if canImport(Darwin)
      SystemMemoryPressure()
    #elseif os(Linux)
      try SystemMemoryPressure()
    #else
      throw .memoryPressure(path: "memory pressure", code: ENOSYS)
    #endif
  }

  private let state = Locked(State())
  private let make: @Sendable () throws(MemoryCacheError) -> any MemoryPressureSource

  package init(
    _ make: @escaping @Sendable () throws(MemoryCacheError) -> any MemoryPressureSource
  ) {
    self.make = make
  }

  /// Calls `handler` under memory pressure until the token is cancelled or destroyed.
  func join(_ handler: @escaping Handler) throws(MemoryCacheError) -> CacheEventToken {
    let number = try state.withLock { (state) throws(MemoryCacheError) in
      if state.source == nil {
        let source = try make()
        source.start { [weak self] in self?.deliver($0) }
        state.source = source
      }
      state.lastNumber += 1
      state.handlers[state.lastNumber] = handler
      return state.lastNumber
    }
    return CacheEventToken { [weak self] in self?.leave(number) }
  }

  private func leave(_ number: UInt64) {
    state.withLock { state in
      state.handlers[number] = nil
      guard state.handlers.isEmpty else { return }
      state.source?.stop()
      state.source = nil
    }
  }

  /// Calls all handlers without the lock: a handler may be the last to hold its cache.
  private func deliver(_ level: MemoryPressureLevel) {
    let handlers = state.withLock { Array($0.handlers.values) }
    for handler in handlers { handler(level) }
  }
}
