/// A process of one of two builds that times cells.
package protocol TimedProcess {
  /// Waits until it is ready, and says what it can time.
  ///
  /// - Throws: `TimingError`.
  func ready() throws -> Set<TimedName>

  /// Runs a cell so often and says how long it took.
  ///
  /// - Throws: `TimingError`.
  func time(_ name: TimedName, runs: Int) throws -> RepetitionTime

  /// Ends the process.
  func end()
}

/// One of the two builds that are compared.
package enum BuildSide: Sendable, Hashable, CaseIterable {
  /// The build that is held against this one.
  case other
  /// This build.
  case this
}
