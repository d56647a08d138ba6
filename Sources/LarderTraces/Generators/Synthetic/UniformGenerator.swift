import LarderEngine

/// All objects equally popular.
enum UniformGenerator: Generator {
  static let description = GeneratorDescription(
    name: "uniform",
    summary: """
      Independent requests, all objects equally likely: every policy without knowledge of the \
      future has the same hit ratio.
      """,
    parameters: [.objects(default: "1M")],
    source: "The textbook case.")

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.parameters.whole("objects")
    return GeneratorPlan(
      keyLimit: objects,
      stream: Stream(random: RandomStream(seed: setup.seed), objects: UInt64(objects)))
  }

  private struct Stream: KeyStream {
    var random: RandomStream
    let objects: UInt64

    @inline(__always) mutating func next() -> UInt64 { random.next(below: objects) }
  }
}
