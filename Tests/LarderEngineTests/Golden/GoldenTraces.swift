import LarderEngine

/// The generated traces of `generated.csv`, made with the tests' own random numbers, so that no
/// change elsewhere affects them.
enum GoldenTraces {
  static let all: [(name: String, trace: TestTrace)] = [
    ("skewed", skewed()), ("scans", scans()), ("loop", loop()), ("sized", sized()),
    ("mixed", mixed()),
  ]

  static func named(_ name: String) -> TestTrace? { all.first { $0.name == name }?.trace }

  private static func skewedID(_ objects: Int, _ random: inout TestRandom) -> ObjectID {
    ObjectID(1 + random.below(objects) * random.below(objects) / objects)
  }

  private static func skewed() -> TestTrace {
    var random = TestRandom(seed: 101)
    return TestTrace(ids: (0..<3000).map { _ in skewedID(500, &random) }).renumbered()
  }

  private static func scans() -> TestTrace {
    var random = TestRandom(seed: 102)
    var ids: [ObjectID] = []
    var cold: ObjectID = 1000
    for _ in 0..<15 {
      for _ in 0..<150 { ids.append(skewedID(100, &random)) }
      for _ in 0..<60 {
        ids.append(cold)
        cold += 1
      }
    }
    return TestTrace(ids: ids).renumbered()
  }

  private static func loop() -> TestTrace {
    var random = TestRandom(seed: 103)
    let ids = (0..<2500).map { step in
      ObjectID(1 + (random.oneIn(10) ? random.below(160) : step % 120))
    }
    return TestTrace(ids: ids).renumbered()
  }

  private static func sized() -> TestTrace {
    var random = TestRandom(seed: 104)
    let sizes = (0...500).map { _ in
      UInt32(1 + (random.below(1000) * random.below(1000) / 1000) * random.below(1000) / 1000)
    }
    let costs = (0...500).map { _ in Float(1 + random.below(40)) / 4 }
    let requests = (0..<3000).map { _ in
      let id = skewedID(500, &random)
      return TestRequest(id: id, size: sizes[Int(id)], cost: costs[Int(id)])
    }
    return TestTrace(requests).renumbered()
  }

  private static func mixed() -> TestTrace {
    var random = TestRandom(seed: 105)
    var time: UInt32 = 0
    let requests = (0..<3000).map { _ in
      time += UInt32(random.below(3))
      var request = TestRequest(id: skewedID(300, &random), timeSeconds: time)
      request.size = UInt32(random.below(60) + (random.oneIn(20) ? 400 : 0))
      request.ttlSeconds = random.oneIn(3) ? UInt32(1 + random.below(600)) : 0
      request.cost = Float(random.below(8))
      switch random.below(20) {
      case 0...2: request.operation = .set
      case 3: request.operation = .delete
      case 4: request.operation = .modify
      default: break
      }
      return request
    }
    return TestTrace(requests).renumbered()
  }
}
