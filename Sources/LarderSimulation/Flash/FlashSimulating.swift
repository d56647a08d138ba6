import LarderEngine

/// A simulation that counts what is written to flash.
protocol FlashSimulating: Simulation {
  /// What was written since the start or the last `resetCounts`.
  var flash: FlashCounts { get }
}
