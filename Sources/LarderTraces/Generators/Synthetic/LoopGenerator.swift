import LarderEngine

/// All objects in a fixed order, repeatedly: the worst case of LRU.
enum LoopGenerator: Generator {
  static let description = GeneratorDescription(
    name: "loop",
    summary: """
      The same objects in the same order, repeatedly. LRU and FIFO have no hits if the cache is \
      smaller than the loop; MRU is close to the optimum.
      """,
    parameters: [.objects(default: "10k")],
    source: "The textbook case; the loop traces of LIRS (Jiang and Zhang, SIGMETRICS 2002).")

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.parameters.whole("objects")
    return GeneratorPlan(keyLimit: objects, stream: Stream(objects: UInt64(objects)))
  }

  private struct Stream: KeyStream {
    let objects: UInt64
    var key: UInt64 = 0

    @inline(__always) mutating func next() -> UInt64 {
      let current = key
      key &+= 1
      if key == objects { key = 0 }
      return current
    }
  }
}
