/// Keys of which the origin has said that it has no value.
extension MemoryLoads {
  /// Whether it is remembered that a key has no value.
  func isAbsent(_ key: Key) -> Bool { absences?.value(for: key) ?? false }

  /// Remembers that a key has no value, unless it was set or removed while that was found out.
  func remember(_ key: Key, for life: Duration, _ load: MemoryLoad<Value>) {
    guard life > .zero, let absences else { return }
    absences.set(true, for: key, timeToLive: life)
    // A set or a removal tells the load first and forgets the absence then: it either forgets this
    // one, or has told the load by now.
    if !load.mayRemember { absences.remove(key) }
  }

  /// A key was set or removed.
  func noteChange(_ key: Key) {
    guard let absences else { return }
    noteChangeOfLoad(key)
    absences.remove(key)
  }
}
