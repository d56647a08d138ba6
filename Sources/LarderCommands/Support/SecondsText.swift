/// Durations for a person.
enum SecondsText {
  /// The time that has passed since `start`, such as `3.2 s`.
  static func since(_ start: ContinuousClock.Instant) -> String {
    text(ContinuousClock.now - start)
  }

  /// The duration in seconds, rounded down to a tenth.
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
  }
}
