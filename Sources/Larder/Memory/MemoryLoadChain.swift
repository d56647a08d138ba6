/// The loads that the current task works for: that of its own loader, and those of the loaders that
/// wait for it. A detached task works for none.
enum MemoryLoadChain {
  /// References and not identifiers: a task that outlives its load must not be taken for one that
  /// works for another load at the same address.
  @TaskLocal static var current: [any AnyObject & Sendable] = []

  /// Whether the current task works for a load: to wait for that would be to wait for itself.
  /// O(loaders inside each other).
  static func contains(_ load: AnyObject) -> Bool { current.contains { $0 === load } }
}
