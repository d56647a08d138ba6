import LarderContracts

// The short traces of the contract checks serve the other tests as well.
typealias TestTrace = LarderContracts.TestTrace
typealias TestTraceMaker = LarderContracts.TestTraceMaker
typealias TestRequest = LarderContracts.TestRequest
typealias TestRandom = LarderContracts.TestRandom

extension TestTrace {
  var distinctObjects: Int { Set(requests.map(\.id)).count }
}

extension TestTraceMaker.Features {
  static func random(_ random: inout TestRandom) -> Self { Self(rawValue: random.below(16)) }
}
