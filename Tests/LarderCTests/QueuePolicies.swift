import CLarder

/// FIFO behind the callbacks of `larder.h`, correct or with one fault.
final class QueuePolicies {
  enum Fault {
    case none, forgetsRemovals, evictsTwice, deniesResidents, refusesCreation, refusesEvents,
      evictsStrangers, evictsNothing, evictsBeyondIds
  }

  private struct Queue {
    var setup: larder_policy_setup
    var entries: [UInt32] = []
  }

  private let fault: Fault
  private var queues: [Int64: Queue] = [:]
  private var last: Int64 = -1

  init(fault: Fault = .none) { self.fault = fault }

  /// The number of policies that are not destroyed.
  var alive: Int { queues.count }

  /// Calls `body` with the callbacks.
  func withPolicy<Result>(_ body: (UnsafePointer<larder_policy>) -> Result) -> Result {
    var policy = larder_policy()
    policy.context = Unmanaged.passUnretained(self).toOpaque()
    policy.create = { context, setup in
      guard let queues = QueuePolicies.of(context), let setup else { return -1 }
      return queues.create(setup.pointee)
    }
    policy.apply = { context, policy, count, evicts in
      QueuePolicies.of(context)?.apply(policy, Int(count), evicts: evicts != 0) ?? -1
    }
    policy.contains = { context, policy, object in
      QueuePolicies.of(context)?.contains(policy, object) ?? -1
    }
    policy.destroy = { context, policy in
      QueuePolicies.of(context)?.queues[policy] = nil
    }
    return withUnsafePointer(to: policy, body)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> QueuePolicies? {
    context.map { Unmanaged<QueuePolicies>.fromOpaque($0).takeUnretainedValue() }
  }

  private func create(_ setup: larder_policy_setup) -> Int64 {
    if fault == .refusesCreation { return -1 }
    last += 1
    queues[last] = Queue(setup: setup)
    return last
  }

  private func contains(_ policy: Int64, _ object: UInt32) -> Int32 {
    guard let queue = queues[policy] else { return -1 }
    if fault == .deniesResidents, queue.entries.count == 3 { return 0 }
    return queue.entries.contains(object) ? 1 : 0
  }

  private func apply(_ policy: Int64, _ count: Int, evicts: Bool) -> Int64 {
    guard var queue = queues.removeValue(forKey: policy) else { return -1 }
    defer { queues[policy] = queue }
    if fault == .refusesEvents { return -1 }
    for index in 0..<count {
      let event = queue.setup.events[index]
      let object = UInt32(truncatingIfNeeded: event)
      switch Int(event >> 32) {
      case Int(LARDER_EVENT_INSERT): queue.entries.append(object)
      case Int(LARDER_EVENT_REMOVE) where fault != .forgetsRemovals:
        queue.entries.removeAll { $0 == object }
      default: break
      }
    }
    guard evicts else { return 0 }
    switch fault {
    case .evictsStrangers: return 4_000_000_000
    case .evictsNothing: return 0
    case .evictsBeyondIds: return 9_000_000_000_000_000_000
    case .evictsTwice: return queue.entries.first.map(Int64.init) ?? 0
    default: return queue.entries.isEmpty ? 0 : Int64(queue.entries.removeFirst())
    }
  }
}
