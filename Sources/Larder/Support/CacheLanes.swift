import Dispatch
import LarderEngine

/// A cache's own threads, for work that may block, on behalf of a task: a task that blocks takes
/// one of the few threads of all tasks. Each lane runs one job after another.
struct CacheLanes: Sendable {
  private let queues: [DispatchQueue]

  init(_ name: String, count: Int) {
    queues = (0..<max(1, count)).map { DispatchQueue(label: "\(name).\($0)") }
  }

  func index(_ lane: Int) -> Int { Int(lane.magnitude % UInt(queues.count)) }

  /// Suspends the task until `body` has run in the lane of a number, and returns its result. Jobs
  /// of one lane run in order of arrival.
  func run<Result: Sendable, Failure: Error>(
    _ lane: Int, _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await result(of: lane, body).get()
  }

  /// Groups elements by lane, in order, and runs `body` once for each group, in its lane, all in
  /// parallel. Returns the results.
  func run<Element: Sendable, Result: Sendable, Failure: Error>(
    _ elements: some Sequence<Element>, by number: (Element) -> Int,
    _ body: @escaping @Sendable ([Element]) throws(Failure) -> Result
  ) async throws(Failure) -> [Result] {
    typealias Answer = Swift.Result<Result, Failure>
    var groups = [[Element]](repeating: [], count: queues.count)
    for element in elements { groups[index(number(element))].append(element) }
    var answers = [Answer?](repeating: nil, count: queues.count)
    await withTaskGroup(of: (Int, Answer).self) { tasks in
      for (lane, group) in groups.enumerated() where !group.isEmpty {
        tasks.addTask {
          (lane, await result(of: lane) { () throws(Failure) in try body(group) })
        }
      }
      for await (lane, answer) in tasks { answers[lane] = answer }
    }
    var results: [Result] = []
    for answer in answers { if let answer { results.append(try answer.get()) } }
    return results
  }

  private func result<Result: Sendable, Failure: Error>(
    of lane: Int, _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async -> Swift.Result<Result, Failure> {
    let body = { @Sendable () -> Swift.Result<Result, Failure> in
      do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return await withCheckedContinuation { continuation in
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
