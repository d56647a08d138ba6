/// A word in braces in the command of a cache's process, which stands for a value of the cell.
package enum ProcessPlaceholder: String, Sendable, Hashable, CaseIterable {
  /// The capacity, in the workload's unit.
  case capacity
  /// The same, of bytes, in whole MiB, at least 1.
  case mebibytes = "capacity:MiB"
  /// What the capacity counts: `objects` or `bytes`.
  case unit
  /// The most objects beside the capacity; 0 for no limit.
  case objects
  /// How many threads will send requests.
  case threads
  /// The seed of the cell.
  case seed
  /// An empty folder for the cache's files.
  case folder
  /// Where the process is to listen: the path of a Unix socket. Without it requests come on
  /// standard input.
  case socket
}
