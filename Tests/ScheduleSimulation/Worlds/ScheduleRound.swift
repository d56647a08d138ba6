#if LARDER_SCHEDULES
  import DiskSimulation
  import LarderEngine

  /// One schedule: a cache, its clients and an order of their steps, all determined by a seed.
  package struct ScheduleRound {
    package struct Outcome: Sendable {
      package var failure: String?
      package var steps = 0
      package var switches = 0
      package var calls = 0
      package var loads = 0
      package var keysTooLarge = 0
      package var fingerprint: UInt64 = 0

      package init(failure: String? = nil) { self.failure = failure }
    }

    /// Runs a schedule. After a failure of the scheduler itself (`isStuck`) threads are stopped
    /// midway.
    package static func run(
      _ scheduler: Scheduler, seed: UInt64, trace: ((String) -> Void)? = nil
    ) -> Outcome {
      var random = SimulationRandom(seed: seed)
      _ = random.next()
      let plan = SchedulePlan.draw(&random)
      do {
        let world = try makeWorld(scheduler, &random)
        trace?("\(world.description); schedule: \(plan)")
        return run(scheduler, world, plan, &random, trace)
      } catch {
        return Outcome(failure: "the cache cannot be made: \(error)")
      }
    }

    private static func makeWorld(
      _ scheduler: Scheduler, _ random: inout SimulationRandom
    ) throws -> any ScheduledWorld {
      switch random.below(4) {
      case 0: try MemoryWorld<PlainValue>(scheduler, &random)
      case 1: try MemoryWorld<ObjectValue>(scheduler, &random)
      default: try HybridWorld(scheduler, &random)
      }
    }

    private static func run(
      _ scheduler: Scheduler, _ world: any ScheduledWorld, _ plan: SchedulePlan,
      _ random: inout SimulationRandom, _ trace: ((String) -> Void)?
    ) -> Outcome {
      scheduler.begin(plan, seed: random.next())
      scheduler.trace = trace
      let clients = 2 + random.below(3)
      let count = 4 + random.below(9)
      var queues = [[ScheduledOperation]](repeating: [], count: clients)
      for _ in 0..<count {
        queues[random.below(clients)].append(.draw(&random, world.setting))
      }
      for (number, queue) in queues.enumerated() where !queue.isEmpty {
        Task(executorPreference: scheduler) {
          for operation in queue { await world.perform(operation, number) }
        }
      }
      scheduler.runAll()
      var outcome = Outcome(failure: scheduler.failure)
      if outcome.failure == nil {
        if world.recorder.pending > 0 {
          outcome.failure = "\(world.recorder.pending) calls are never answered"
        } else {
          Task(executorPreference: scheduler) { await world.finish() }
          scheduler.runAll()
          outcome.failure = scheduler.failure ?? world.fault()
        }
      }
      let history = world.recorder.history
      outcome.keysTooLarge = history.keysTooLarge(world.rules)
      if outcome.failure == nil, let key = history.unexplainedKeys(world.rules).first {
        outcome.failure =
          "no order explains key \(key):\n"
          + history.lines(of: key).map { "  \($0)" }.joined(separator: "\n")
      } else if outcome.failure != nil, let trace {
        for key in 0..<world.setting.keys { history.lines(of: key).forEach(trace) }
      }
      if let failure = outcome.failure {
        outcome.failure = "\(world.description); schedule: \(plan)\n\(failure)"
      }
      outcome.steps = scheduler.steps
      outcome.switches = scheduler.switches
      outcome.calls = history.events.count
      outcome.loads = history.loads.count
      outcome.fingerprint = scheduler.fingerprint
      return outcome
    }
  }
#endif
