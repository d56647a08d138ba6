/// The place where a thread's worker stands between the parts of a run. One thread at a time has
/// it.
final class WorkerSlot: @unchecked Sendable {
  private(set) var failure: (any Error)?
  var worker: RequestWorker

  /// A place with its worker.
  init(_ worker: RequestWorker) { self.worker = worker }

  /// Lets the worker make requests. When the cache fails, all threads stop.
  func work(on dealer: RequestDealer, _ cache: any CacheUnderTest, _ mode: RequestWorker.Mode) {
    do {
      if try !worker.work(on: dealer, cache, mode) { dealer.stop() }
    } catch {
      failure = error
      dealer.stop()
    }
  }
}
