import Dispatch
import LarderEngine

/// Threads of a cache's own, for everything that may wait for the disk or take long on behalf of a
/// task.
///
/// Tasks run on as many threads as there are processors. One that waits in a system call or for a
/// lock takes one of these from all tasks of the program; one that is suspended takes none. Each
/// lane does one thing after the other on a thread of its own, which it has only while there is
/// something to do.
struct CacheLanes: Sendable {
  private let queues: [DispatchQueue]

  /// So many lanes; `name` is for debuggers.
  init(_ name: String, count: Int) {
    queues = (0..<max(1, count)).map { DispatchQueue(label: "\(name).\($0)") }
  }

  /// The lane of a number.
  func index(_ lane: Int) -> Int { Int(lane.magnitude % UInt(queues.count)) }

  /// The elements of each lane, in their order: what is to be done in one go. No part is empty.
  func parts<Element>(
    of elements: some Sequence<Element>, by number: (Element) -> Int
  ) -> [[Element]] {
    var parts = [[Element]](repeating: [], count: queues.count)
    for element in elements { parts[index(number(element))].append(element) }
    return parts.filter { !$0.isEmpty }
  }

  /// Suspends the task until `body` has been done in a lane, by any number. What has the same
  /// number is done in the order in which it came.
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
