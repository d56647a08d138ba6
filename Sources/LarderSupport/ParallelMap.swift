import Dispatch
import Synchronization

/// Results of `body` for 0 to `count` - 1, in this order, computed by up to `threads` threads at
/// once. Nil for what was not begun when `isStopped` became true, or `body` returned nil.
///
/// - Throws: the first error of `body`; nothing is begun after one.
package func parallelMap<Result: Sendable, Failure: Error>(
  count: Int, threads: Int, unless isStopped: @autoclosure @Sendable () -> Bool = false,
  _ body: @Sendable (Int) throws(Failure) -> Result?
) throws(Failure) -> [Result?] {
  let results = Mutex([Result?](repeating: nil, count: count))
  let failure = Mutex<Failure?>(nil)
  let next = Atomic(0)
  DispatchQueue.concurrentPerform(iterations: min(max(1, threads), count)) { _ in
    while !isStopped(), failure.withLock({ $0 == nil }) {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard index < count else { return }
      do throws(Failure) {
        let result = try body(index)
        results.withLock { $0[index] = result }
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
  }
  if let error = failure.withLock({ $0 }) { throw error }
  return results.withLock { $0 }
}
