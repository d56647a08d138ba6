import LarderEngine
import LarderSystem

/// An origin that takes its time: each fetch ends at an instant of the run's clock, which is known
/// when it begins. With a number of servers, fetches wait for the first that is free, in the order
/// in which they came.
final class TimedOrigin: Sendable {
  private struct State {
    /// When each server is free, nanoseconds; empty for any number of servers.
    var free: [UInt64]
    var fetches: UInt64 = 0
    var inFlight: UInt64 = 0
    var inFlightMax: UInt64 = 0
  }

  private let model: FetchModel
  /// Nanoseconds of the run in a microsecond of the trace.
  private let scale: Double
  private let state: Locked<State>

  /// An origin for a run that goes `speed` times as fast as its trace.
  init(_ model: FetchModel, speed: Double) {
    self.model = model
    scale = 1000 / speed
    state = Locked(State(free: [UInt64](repeating: 0, count: model.servers ?? 0)))
  }

  /// Begins the fetch of the request at a place of the trace, and says when it ends. O(servers).
  func begin(request index: Int, bytes: UInt32, now: UInt64, isCounted: Bool) -> UInt64 {
    let service = Double(model.service(request: UInt64(index), bytes: bytes)) * scale
    return state.withLock { state in
      var start = now
      let server = state.free.indices.min { state.free[$0] < state.free[$1] }
      if let server { start = max(start, state.free[server]) }
      let end = start &+ UInt64(min(service, 1e18))
      if let server { state.free[server] = end }
      state.inFlight += 1
      if isCounted {
        state.fetches += 1
        state.inFlightMax = max(state.inFlightMax, state.inFlight)
      }
      return end
    }
  }

  /// A fetch has ended.
  func end() { state.withLock { $0.inFlight -= 1 } }

  /// Fetches that were counted, and how many were under way at the most.
  var counts: (fetches: UInt64, inFlightMax: UInt64) {
    state.withLock { ($0.fetches, $0.inFlightMax) }
  }
}
