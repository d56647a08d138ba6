import CLarder
import LarderC
import TestSupport
import Testing

@Suite(.endsInTime) struct PolicyCallTests {
  @Test(arguments: [
    "capacity=7\nignore-size", "capacity=40B", "capacity=10%\nadmission=always,second-hit",
  ])
  func aQueueBehindCallbacksCountsAsFIFO(options: String) {
    let ids = CallText.ids(5000)
    let trace = CallText.trace(ids, sizes: ids.map { $0 % 5 + 1 })
    defer { _ = larder_trace_destroy(trace) }
    let queues = QueuePolicies()
    let expected = CallText { larder_simulate(trace, "policy=fifo\n\(options)", 0, $0, $1) }
    let found = queues.withPolicy { policy in
      CallText { larder_policy_simulate(trace, policy, "mine", options, 0, $0, $1) }
    }
    #expect(found.error == nil)
    #expect(found.text?.replacing(",mine,", with: ",fifo,") == expected.text)
    #expect(expected.error == nil)
    #expect(queues.alive == 0)
  }

  @Test func aQueueKeepsTheContract() {
    let queues = QueuePolicies()
    let checked = queues.withPolicy { policy in
      CallText { larder_policy_check(policy, "mine", nil, $0) }
    }
    #expect(checked.error == nil)
    #expect(checked.status == LARDER_OK)
    #expect(queues.alive == 0)
  }

  @Test(arguments: [QueuePolicies.Fault.forgetsRemovals, .evictsTwice, .deniesResidents])
  func contractViolationsAreReported(fault: QueuePolicies.Fault) {
    let checked = QueuePolicies(fault: fault).withPolicy { policy in
      CallText { larder_policy_check(policy, "mine", nil, $0) }
    }
    #expect(checked.status == LARDER_CHECK_FAILED)
    #expect(checked.error?.hasPrefix("policy 'mine' breaks the rule '") ?? false)
  }

  @Test(arguments: [
    (QueuePolicies.Fault.refusesCreation, "create failed"), (.refusesEvents, "apply failed"),
    (.evictsStrangers, "evict returned 4000000000, which is not resident"),
    (.evictsNothing, "evict returned 0, which is not resident"),
    (.evictsBeyondIds, "evict returned 9000000000000000000, which is not resident"),
  ])
  func failuresEndTheCall(fault: QueuePolicies.Fault, problem: String) {
    let trace = CallText.trace(CallText.ids(5000))
    defer { _ = larder_trace_destroy(trace) }
    let queues = QueuePolicies(fault: fault)
    let answer = queues.withPolicy { policy in
      CallText { larder_policy_simulate(trace, policy, "mine", "capacity=7", 0, $0, $1) }
    }
    #expect(answer.status == LARDER_MISUSE && answer.text == nil)
    #expect(answer.error == "policy 'mine': \(problem)")
    #expect(queues.alive == 0)
  }

  @Test(arguments: [
    (
      larder_gets(used: 0, hits: 4, bytes_hit: 0, rejections: 0, evictions: 0, bytes_written: 0),
      "counted more hits than requests"
    ),
    (
      larder_gets(used: 0, hits: 1, bytes_hit: 9, rejections: 0, evictions: 0, bytes_written: 0),
      "counted more bytes hit than requested"
    ),
    (
      larder_gets(
        used: 0, hits: 1, bytes_hit: 1, rejections: .max, evictions: 0, bytes_written: 0),
      "counted more evictions and rejections than misses"
    ),
    (
      larder_gets(used: 0, hits: 1, bytes_hit: 1, rejections: 1, evictions: 2, bytes_written: 0),
      "counted more evictions and rejections than misses"
    ),
  ])
  func invalidCallerCountsAreRejected(gets: larder_gets, problem: String) {
    let trace = CallText.trace([1, 2, 3])
    defer { _ = larder_trace_destroy(trace) }
    let found = withUnsafePointer(to: gets) { gets in
      QueuePolicies().withPolicy { policy in
        var replaying = policy.pointee
        replaying.context = UnsafeMutableRawPointer(mutating: gets)
        replaying.create = { _, _ in 0 }
        replaying.destroy = nil
        replaying.replay = { context, _, _, _, _, gets in
          guard let context, let gets else { return -1 }
          gets.pointee = context.load(as: larder_gets.self)
          return 0
        }
        return CallText {
          larder_policy_simulate(trace, &replaying, "mine", "capacity=2", 0, $0, $1)
        }
      }
    }
    #expect(found.error == "policy 'mine': \(problem)")
    #expect(found.status == LARDER_MISUSE)
  }

  @Test func invalidPoliciesAreRejected() {
    let trace = CallText.trace([1, 2, 3])
    defer { _ = larder_trace_destroy(trace) }
    var policy = larder_policy()
    func error(_ name: String?, _ options: String) -> String? {
      CallText { larder_policy_simulate(trace, &policy, name, options, 0, $0, $1) }.error
    }
    #expect(error(nil, "capacity=1") == "name is null")
    #expect(error("a\nb", "capacity=1")?.contains("a name of one non-empty line") ?? false)
    #expect(error("a", "capacity=1") == "policy.create is null")
    #expect(
      error("a", "threads=1")
        == "option 'threads': unknown parameter; it has capacity, ignore-size, admission, seed")
    #expect(
      CallText { larder_policy_check(nil, "a", nil, $0) }.error == "policy is null")
    QueuePolicies().withPolicy { queue in
      #expect(
        CallText {
          larder_policy_simulate(trace, queue, "a", "capacity=1\nadmission=tinylfu", 0, $0, $1)
        }.error?.contains("policy 'a'") ?? false)
      var silent = queue.pointee
      silent.contains = nil
      #expect(
        CallText { larder_policy_check(&silent, "a", nil, $0) }.error == "policy.contains is null")
      let task = larder_task_create()
      _ = larder_task_cancel(task)
      #expect(
        CallText { larder_policy_simulate(trace, queue, "a", "capacity=1", task, $0, $1) }.status
          == LARDER_CANCELLED)
      _ = larder_task_destroy(task)
    }
  }
}
