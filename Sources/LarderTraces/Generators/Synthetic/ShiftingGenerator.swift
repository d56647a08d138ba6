import LarderEngine

/// A working set that moves through the objects.
enum ShiftingGenerator: Generator {
  static let description = GeneratorDescription(
    name: "shifting",
    summary: """
      Requests within a working set that moves through the objects in a circle: its oldest part is \
      replaced periodically. Past popularity is worthless.
      """,
    parameters: [
      .objects(default: "1M"),
      Parameter(
        "working-set", .count(1...Parameter.objectsMax), default: "10k",
        "Objects in the working set; at most all."),
      .exponent(
        default: "0.6",
        "Exponent of Zipf's law within the working set, the newest first; 0 is uniform."),
      Parameter(
        "every", .count(1...Parameter.objectsMax), default: "50k",
        "Requests between two moves."),
      Parameter(
        "step", .count(1...Parameter.objectsMax), default: "1k",
        "Objects replaced per move."),
    ],
    source: """
      Working sets and their phases: Denning, CACM 1968; the figures are round numbers, five \
      requests per object between moves and a tenth replaced.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.parameters.whole("objects")
    let size = try setup.parameters.whole("working-set")
    guard size <= objects else {
      throw setup.parameters.wrong("working-set", expected: "at most objects (\(objects))")
    }
    let every = try setup.parameters.whole("every")
    return GeneratorPlan(
      keyLimit: objects,
      stream: Stream(
        random: RandomStream(seed: setup.seed),
        sampler: ZipfSampler(count: size, exponent: try setup.parameters.number("exponent")),
        objects: UInt64(objects), end: UInt64(size),
        step: UInt64(try setup.parameters.whole("step") % objects), every: every, left: every))
  }

  private struct Stream: KeyStream {
    var random: RandomStream
    let sampler: ZipfSampler
    let objects: UInt64
    /// Index after the newest object of the working set, from 1 to `objects`.
    var end: UInt64
    let step: UInt64
    let every: Int
    var left: Int

    @inline(__always) mutating func next() -> UInt64 {
      if left == 0 {
        left = every
        end &+= step
        if end > objects { end &-= objects }
      }
      left &-= 1
      let rank = sampler.rank(&random)
      return rank <= end ? end &- rank : end &+ objects &- rank
    }
  }
}
