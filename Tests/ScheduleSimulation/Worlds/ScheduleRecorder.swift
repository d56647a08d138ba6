#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder
  import LarderEngine

  final class ScheduleRecorder: @unchecked Sendable {
    let clock = ScheduledClock()
    let scheduler: Scheduler
    private(set) var history = History()
    private var time = 0
    private var values = 0
    var random: SimulationRandom
    private var tasks: [(call: Int, task: Task<HistoryEvent.RequestOutcome, Never>)] = []
    private var pauses = 1_000
    var pending = 0

    init(_ scheduler: Scheduler, _ random: SimulationRandom) {
      self.scheduler = scheduler
      self.random = random
    }

    func tick() -> Int {
      time += 1
      return time
    }

    func newValue() -> Int {
      // Every other one has a version.
      values += random.oneIn(2) ? 1 : 2
      return values
    }

    // MARK: Calls

    func begin(_ client: Int, _ key: Int, asksForAbsence: Bool = false) -> Int {
      let now = tick()
      var event = HistoryEvent(
        client: client, key: key, .nothing("pending"), now...Int.max,
        clock: clock.time...UInt64.max)
      event.asksForAbsence = asksForAbsence
      history.events.append(event)
      pending += 1
      return history.events.count - 1
    }

    struct Instant: Sendable {
      var time: Int
      var clock: UInt64
    }

    func now() -> Instant { Instant(time: tick(), clock: clock.time) }

    func end(_ call: Int, _ action: HistoryEvent.Action, at instant: Instant? = nil) {
      let instant = instant ?? now()
      history.events[call].action = action
      history.events[call].responded = instant.time
      history.events[call].clockResponded = instant.clock
      pending -= 1
    }

    // MARK: Loads

    func beginLoad(_ key: Int, owner: Int, _ candidate: HistoryLoad.Candidate) -> Int {
      let now = tick()
      history.loads.append(
        HistoryLoad(
          key: key, owner: owner, candidate: candidate, .failed, now...Int.max,
          clock: clock.time...UInt64.max))
      return history.loads.count - 1
    }

    func endLoad(_ load: Int, _ answer: HistoryLoad.Answer) {
      history.loads[load].answer = answer
      history.loads[load].ended = tick()
      history.loads[load].clockEnded = clock.time
    }

    func pause() async {
      pauses += 1
      let lane = pauses
      await withCheckedContinuation { continuation in
        scheduler.enqueue(lane: lane) { continuation.resume() }
      }
    }

    // MARK: Cancelling

    func cancellable(
      _ call: Int, _ body: @escaping @Sendable () async -> HistoryEvent.RequestOutcome
    ) async -> HistoryEvent.RequestOutcome {
      let task = Task(executorPreference: scheduler) { await body() }
      tasks.append((call, task))
      let outcome = await task.value
      tasks.removeAll { $0.call == call }
      return outcome
    }

    func cancelOne() {
      guard !tasks.isEmpty else { return }
      let (call, task) = tasks.remove(at: random.below(tasks.count))
      history.events[call].wasCancelled = true
      scheduler.uninterrupted { task.cancel() }
    }
  }
#endif
