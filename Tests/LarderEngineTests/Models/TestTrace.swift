import LarderContracts
import LarderEngine

// The short traces of the contract checks serve the other tests as well.
typealias TestTrace = LarderContracts.TestTrace
typealias TestTraceMaker = LarderContracts.TestTraceMaker
typealias TestRequest = LarderContracts.TestRequest
typealias TestRandom = LarderContracts.TestRandom

extension TestTrace {
  init(ids: [ObjectID], sizes: [UInt32]) {
    self.init(zip(ids, sizes).map { TestRequest(id: $0, size: $1) })
  }

  /// Gets, of which the first objects have most.
  init(requests: Int, objects: Int, sized: Bool, _ random: inout SeededGenerator) {
    let sizes = (0...objects).map { _ in sized ? UInt32(1 + random.next(below: 9)) : 1 }
    let ids = (0..<requests).map { _ in
      let unit = random.nextUnit()
      return 1 + ObjectID(Double(objects) * unit * unit)
    }
    self.init(ids: ids, sizes: ids.map { sizes[Int($0)] })
  }
}

extension TestTraceMaker.Features {
  static func random(_ random: inout TestRandom) -> Self { Self(rawValue: random.below(16)) }
}
