/// Stands for a fetch among those that a task works for.
///
/// A reference and not an identifier: a task may outlive the fetch that it was started for, and
/// must not be taken for one that works for a later fetch. Not the fetch itself: its value could
/// not go as long as the task lives.
final class FetchMark: Sendable {
  /// The marks of the fetches that the current task works for: that of its own loader, and those of
  /// the loaders that wait for it. A detached task works for none.
  @TaskLocal static var current: [FetchMark] = []

  /// Whether the mark is among others. A task that works for a fetch must not wait for it, which
  /// would be to wait for itself. O(loaders inside each other).
  func isOne(of marks: [FetchMark]) -> Bool { marks.contains { $0 === self } }
}
