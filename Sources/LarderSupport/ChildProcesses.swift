import LarderLibc
import Synchronization

/// Processes that must not outlive this one: up to 64 at a time.
package enum ChildProcesses {
  private static let most = 64
  private static let lock = Mutex(())
  // A signal handler reads it without the lock: it never moves.
  nonisolated(unsafe) private static let pids = {
    let pids = UnsafeMutablePointer<Int32>.allocate(capacity: most)
    pids.initialize(repeating: 0, count: most)
    return pids
  }()

  package static func add(_ pid: Int32) { replace(0, by: pid) }

  /// Removes a process that has ended: its number may become another's.
  package static func remove(_ pid: Int32) { replace(pid, by: 0) }

  private static func replace(_ old: Int32, by new: Int32) {
    lock.withLock { _ in
      if let index = (0..<most).first(where: { pids[$0] == old }) { pids[index] = new }
    }
  }

  /// Kills all of them. For signal handlers, if `add` was called before.
  package static func killAll() {
    for index in 0..<most where pids[index] > 0 { kill(pids[index], SIGKILL) }
  }
}
