import LarderSimulation
import LarderWorkloads

/// When the requests of an open loop are to be made.
struct LoadPace: Sendable {
  private enum Rule: Sendable {
    case trace(TraceReader, nanosecondsPerMicrosecond: Double)
    case rate(nanosecondsPerRequest: Double)
  }

  private let rule: Rule
  private let first: Int
  private let start: UInt64

  /// A pace whose request `first` is due at `start`; nil for a closed loop.
  ///
  /// - Throws: `ExecutionError.load` when the trace has no times to keep.
  init?(
    _ load: ExecutionSpec.Load, _ reader: TraceReader, first: Int, start: UInt64
  ) throws(ExecutionError) {
    switch load {
    case .closed:
      return nil
    case .trace(let speed):
      guard reader.hasTimes else {
        throw .load("the trace has no times: set a rate, or use a closed loop")
      }
      guard speed > 0, speed.isFinite else {
        throw .load("invalid speed \(speed): expected a number above 0")
      }
      rule = .trace(reader, nanosecondsPerMicrosecond: 1000 / speed)
    case .rate(let perSecond):
      guard perSecond > 0, perSecond.isFinite else {
        throw .load("invalid rate \(perSecond): expected a number above 0")
      }
      rule = .rate(nanosecondsPerRequest: 1e9 / perSecond)
    }
    self.first = first
    self.start = start
  }

  /// When a request is due, in nanoseconds of the run's time.
  func due(_ index: Int) -> UInt64 {
    let after: Double
    switch rule {
    case .trace(let reader, let nanosecondsPerMicrosecond):
      after = Double(reader.time(index) - reader.time(first)) * nanosecondsPerMicrosecond
    case .rate(let nanosecondsPerRequest):
      after = Double(index - first) * nanosecondsPerRequest
    }
    return start &+ UInt64(min(after, 1e18))
  }
}
