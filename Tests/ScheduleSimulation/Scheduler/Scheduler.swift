#if LARDER_SCHEDULES
  import DiskSimulation
  import Dispatch
  import LarderEngine

  /// Runs tasks and lanes of a cache one step at a time, in an order determined by a seed.
  ///
  /// One thread runs at any moment. At each step of the caches the running one may have to wait and
  /// another continue; all state here belongs to the running thread, and is passed on with a
  /// semaphore. Reordering by processors is not simulated: the thread sanitizer covers that.
  package final class Scheduler: ScheduleHook, @unchecked Sendable {
    private static let stepsMax = 200_000

    private var workers: [Worker] = []
    private var idle: UInt64 = 0
    private let isOver = DispatchSemaphore(value: 0)

    var random = SimulationRandom(seed: 0)
    var plan = SchedulePlan.random(switchesOneIn: 1)
    private var changes: ArraySlice<Int> = []
    private var lowest: UInt64 = .max
    private var ready: [Strand] = []
    private var spinning: [Strand] = []
    private var sleeping: [Strand] = []
    private var lanes: [Int: [@Sendable () -> Void]] = [:]
    private var current: Strand?
    private var made = 0
    private var spins = 0
    private var isUninterrupted = false
    package private(set) var steps = 0
    package private(set) var switches = 0
    package private(set) var fingerprint: UInt64 = 0
    package private(set) var failure: String?
    var trace: ((String) -> Void)?

    package init() {
      for number in 0..<24 {
        workers.append(Worker(number) { [unowned self] in run(on: $0) })
      }
    }

    func begin(_ plan: SchedulePlan, seed: UInt64) {
      random = SimulationRandom(seed: seed)
      self.plan = plan
      changes = []
      if case .priorities(let steps) = plan { changes = steps[...] }
      lowest = 1 << 32
      idle = 1 << UInt64(workers.count) - 1
      isUninterrupted = false
      (made, spins, steps, switches, fingerprint) = (0, 0, 0, 0, 0xCBF2_9CE4_8422_2325)
      failure = nil
    }

    func runAll() {
      Schedules.hook = self
      if let first = choose(nil) {
        hand(over: first)
        isOver.wait()
      }
      Schedules.hook = nil
      if failure == nil, !sleeping.isEmpty { failure = "deadlock: all wait for each other" }
    }

    // MARK: Hooks of the caches

    package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    package func enqueue(lane: Int, _ body: @escaping @Sendable () -> Void) {
      if lanes[lane] == nil {
        lanes[lane] = []
        add(.lane(lane, body))
      } else {
        lanes[lane]?.append(body)
      }
    }

    package func step() {
      guard let strand = current, !isUninterrupted else { return }
      count()
      spins = 0
      if let next = choose(strand), next !== strand { change(from: strand, to: next) }
    }

    package func spin() {
      guard let strand = current else { return }
      count()
      spins += 1
      if spins > 20_000 { stop("livelock: all look for what nobody does") }
      // Two spinning strands must not keep a third from running.
      lowest -= 1
      strand.priority = lowest
      take(&ready, strand)
      spinning.append(strand)
      if ready.isEmpty { wakeSpinning() }
      if let next = choose(nil) {
        // The others have made a step before this one checks again.
        if next !== strand { change(from: strand, to: next) }
      }
    }

    package func sleep(at place: UnsafeRawPointer) {
      guard let strand = current else { return }
      if isUninterrupted { return stop("a handler of a cancelled task waits for a lock") }
      count()
      strand.place = place
      take(&ready, strand)
      sleeping.append(strand)
      if ready.isEmpty { wakeSpinning() }
      guard let next = choose(nil) else { return stop("deadlock: all wait for each other") }
      change(from: strand, to: next)
    }

    package func wake(_ place: UnsafeRawPointer) {
      guard !sleeping.isEmpty else { return }
      ready += sleeping.filter { $0.place == place }
      sleeping.removeAll { $0.place == place }
    }

    /// Runs `body` without switching to another strand. Swift calls the handlers of a cancelled
    /// task with the task locked, and others would wait for that lock unnoticed.
    package func uninterrupted(_ body: () -> Void) {
      let outer = isUninterrupted
      isUninterrupted = true
      body()
      isUninterrupted = outer
    }

    // MARK: Strands

    private func add(_ work: Strand.Work) {
      made += 1
      ready.append(Strand(made, work, priority: (random.next() >> 1) | 1 << 33))
    }

    private func take(_ strands: inout [Strand], _ strand: Strand) {
      if let place = strands.firstIndex(where: { $0 === strand }) { strands.remove(at: place) }
    }

    private func wakeSpinning() {
      ready += spinning
      spinning.removeAll()
    }

    private func count() {
      steps += 1
      if steps > Self.stepsMax { stop("no end after \(steps) steps") }
    }

    private func stop(_ message: String) {
      if failure == nil { failure = message }
      isOver.signal()
      while true { DispatchSemaphore(value: 0).wait() }
    }

    private func choose(_ running: Strand?) -> Strand? {
      guard !ready.isEmpty else { return nil }
      var chosen: Strand?
      switch plan {
      case .random(let times):
        if let running, times > 1, !random.oneIn(times) {
          chosen = running
        } else {
          chosen = ready.count == 1 ? ready[0] : ready[random.below(ready.count)]
        }
      case .priorities:
        if let running, let change = changes.first, steps >= change {
          changes.removeFirst()
          lowest -= 1
          running.priority = lowest
        }
        chosen = ready.max { $0.priority < $1.priority }
      }
      guard let chosen else { return nil }
      if chosen !== running {
        switches += 1
        // A step of another strand may be what they wait for.
        if !spinning.isEmpty { wakeSpinning() }
      }
      fingerprint = (fingerprint ^ UInt64(chosen.number)) &* 0x100_0000_01B3
      trace?("step \(steps): \(chosen.number)")
      return chosen
    }

    // MARK: Threads

    private func change(from strand: Strand, to next: Strand) {
      let worker = strand.worker
      hand(over: next)
      worker?.wait()
    }

    private func hand(over next: Strand) {
      current = next
      if let worker = next.worker { return worker.wake() }
      guard idle != 0 else { return stop("more than \(workers.count) strands at once") }
      let worker = workers[idle.trailingZeroBitCount]
      idle &= idle - 1
      worker.next = next
      worker.wake()
    }

    private func run(on worker: Worker) {
      while let strand = worker.next {
        worker.next = nil
        strand.worker = worker
        perform(strand)
        spins = 0
        take(&ready, strand)
        if ready.isEmpty { wakeSpinning() }
        guard let next = choose(nil) else {
          idle |= 1 << UInt64(worker.number)
          current = nil
          isOver.signal()
          return
        }
        current = next
        if let other = next.worker {
          idle |= 1 << UInt64(worker.number)
          return other.wake()
        }
        worker.next = next
      }
    }

    private func perform(_ strand: Strand) {
      let work = strand.work
      strand.work = nil
      switch work {
      case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
      case .lane(let lane, let body):
        body()
        if let rest = lanes[lane], let first = rest.first {
          lanes[lane] = Array(rest.dropFirst())
          add(.lane(lane, first))
        } else {
          lanes[lane] = nil
        }
      case nil: break
      }
    }
  }
#endif
