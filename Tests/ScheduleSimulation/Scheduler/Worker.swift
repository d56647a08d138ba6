#if LARDER_SCHEDULES
  import CLarderShims
  import Dispatch
  import Foundation

  final class Worker: @unchecked Sendable {
    let number: Int
    private let turn = DispatchSemaphore(value: 0)
    var next: Strand?

    /// Starts the thread. It has its number for the caches' reader slots before this returns, so
    /// that the number is the same in each process.
    init(_ number: Int, _ run: @escaping @Sendable (Worker) -> Void) {
      self.number = number
      let isReady = DispatchSemaphore(value: 0)
      let thread = Thread { [self] in
        _ = larder_thread_number()
        isReady.signal()
        while true {
          wait()
          run(self)
        }
      }
      thread.stackSize = 512 << 10
      thread.start()
      isReady.wait()
    }

    func wait() { turn.wait() }

    func wake() { turn.signal() }
  }
#endif
