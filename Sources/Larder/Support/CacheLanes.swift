import Dispatch
import LarderEngine

/// A cache's own threads, for work that may block on the disk or take long on behalf of a task.
///
/// Tasks run on as many threads as the machine has processors. A task that blocks in a system call
/// or on a lock takes one of these from all tasks of the program; a suspended one takes none. Each
/// lane runs one job after another on its own thread, which exists only while the lane has work.
struct CacheLanes: Sendable {
  private let queues: [DispatchQueue]

  /// Creates `count` lanes; `name` is for debuggers.
  init(_ name: String, count: Int) {
    queues = (0..<max(1, count)).map { DispatchQueue(label: "\(name).\($0)") }
  }

  /// Index of the lane for a number.
  func index(_ lane: Int) -> Int { Int(lane.magnitude % UInt(queues.count)) }

  /// Groups elements by lane, in order, so that each group runs as one job. No group is empty.
  func parts<Element>(
    of elements: some Sequence<Element>, by number: (Element) -> Int
  ) -> [[Element]] {
    var parts = [[Element]](repeating: [], count: queues.count)
    for element in elements { parts[index(number(element))].append(element) }
    return parts.filter { !$0.isEmpty }
  }

  /// Suspends the task until `body` has run in the lane of a number. Jobs of one lane run in order
  /// of arrival.
  func run<Result: Sendable>(
    _ lane: Int, _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      #if LARDER_SCHEDULES
        if let hook = Schedules.hook {
          hook.enqueue(lane: index(lane)) {
            continuation.resume(returning: body())
          }
          return
        }
      #endif
      queues[index(lane)].async { continuation.resume(returning: body()) }
    }
  }
}
