#if LARDER_SCHEDULES
  import Larder

  /// Removals reported by a memory cache: each value once, for a possible reason, and nobody
  /// receives it afterwards.
  final class ToldRemovals: @unchecked Sendable {
    private let recorder: ScheduleRecorder
    private let reasons: Set<MemoryRemovalReason>
    private var times: [Int: Int] = [:]
    private(set) var message: String?

    init(_ recorder: ScheduleRecorder, _ reasons: Set<MemoryRemovalReason>) {
      self.recorder = recorder
      self.reasons = reasons
    }

    func note(_ number: Int?, _ key: Int, _ reason: MemoryRemovalReason) {
      guard let number else {
        message = "told of a value that nobody stored"
        return
      }
      if times.updateValue(recorder.tick(), forKey: number) != nil {
        message = "told twice of value \(number) of key \(key)"
      }
      if !reasons.contains(reason) { message = "value \(number) of key \(key) left: \(reason)" }
    }

    func check() {
      for event in recorder.history.events {
        switch event.action {
        case .set(let value, _, _): expectTold(value, event)
        case .update(let old, let new):
          expectTold(new, event)
          if let old { expectThere(old, event) }
        case .get(let found?): expectThere(found, event)
        case .get(nil), .look, .remove, .request, .nothing: break
        }
      }
    }

    private func expectTold(_ value: Int, _ event: HistoryEvent) {
      if times[value] == nil { message = "never told of value \(value) of key \(event.key)" }
    }

    private func expectThere(_ value: Int, _ event: HistoryEvent) {
      guard let told = times[value], told < event.invoked else { return }
      message = "value \(value) of key \(event.key) is there after it was told of, at \(told)"
    }
  }
#endif
