/// What a generator's maker is given.
struct GeneratorSetup {
  /// The generator's own parameters.
  let parameters: ParameterReader
  /// How many records will be drawn.
  let requests: Int
  /// The seed of every random choice.
  let seed: UInt64
  /// The seed of what belongs to an object: its size and time to live. Sources that share their
  /// objects share it.
  let objectSeed: UInt64
}

/// What a generator's maker returns: the generator ready to run.
struct GeneratorPlan: Sendable {
  /// All keys are below this number; nil when it is too large for a table.
  let keyLimit: Int?
  /// Starts a run from the beginning: an endless one, the caller stops after enough records.
  let makeCursor: @Sendable () -> any RecordCursor

  /// A plan from a way to start a run.
  init(keyLimit: Int?, makeCursor: @escaping @Sendable () -> any RecordCursor) {
    self.keyLimit = keyLimit
    self.makeCursor = makeCursor
  }

  /// A plan whose records are only keys.
  init(keyLimit: Int?, stream: some KeyStream) {
    self.init(keyLimit: keyLimit) { KeyCursor(stream) }
  }
}
