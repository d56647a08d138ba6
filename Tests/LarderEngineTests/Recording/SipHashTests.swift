import Testing

@testable import LarderEngine

@Suite struct SipHashTests {
  /// The eight-byte test vector of the authors' reference implementation: the key is 0, 1 ... 15
  /// and the message 0, 1 ... 7.
  @Test func matchesReferenceVector() {
    let hash = SipHash(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
    #expect(hash.hash(0x0706_0504_0302_0100) == 0x93f5_f579_9a93_2462)
  }

  @Test func differsByKey() {
    let words: [UInt64] = [0, 1, 17, .max]
    #expect(words.map(SipHash(1, 2).hash) != words.map(SipHash(1, 3).hash))
    #expect(words.map(SipHash().hash) != words.map(SipHash().hash))
    #expect(Set((0..<10_000).map(SipHash().hash)).count == 10_000)
  }
}
