#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder

  struct ScheduledOrigin: Sendable {
    struct Failure: Error {
      let load: Int
    }

    let recorder: ScheduleRecorder
    let failures: Int
    let absences: Int
    let lives: [UInt64?]
    let pauses: Int

    func answer(
      _ key: Int, owner: Int, _ candidate: HistoryLoad.Candidate, mayConfirm: Bool,
      mayBeAbsent: Bool = true
    ) async throws -> HistoryLoad.Answer {
      let load = recorder.beginLoad(key, owner: owner, candidate)
      for _ in 0..<recorder.random.below(1 + pauses) {
        await recorder.pause()
        if Task.isCancelled, recorder.random.oneIn(2) {
          recorder.endLoad(load, .cancelled)
          throw CancellationError()
        }
      }
      let draw = recorder.random.below(8)
      if draw < failures {
        recorder.endLoad(load, .failed)
        throw Failure(load: load)
      }
      var answer = HistoryLoad.Answer.value(
        recorder.newValue(), life: recorder.random.pick(lives).map { $0 * 1_000_000 })
      if mayBeAbsent, draw < failures + absences { answer = .absent }
      if mayConfirm, recorder.random.oneIn(2) { answer = .notModified }
      recorder.endLoad(load, answer)
      return answer
    }

    static func outcome(_ error: any Error) -> HistoryEvent.RequestOutcome {
      switch error {
      case let failure as Failure: .failed(load: failure.load)
      case is CancellationError: .cancelled
      default: .unexpected("\(error)")
      }
    }
  }
#endif
