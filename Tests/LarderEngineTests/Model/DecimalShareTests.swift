import LarderEngine
import Testing

@Suite struct DecimalShareTests {
  @Test func sharesMatchDecimalArithmetic() {
    #expect(DecimalShare(0.29).of(100) == 29)
    #expect(DecimalShare(0.29).ceiling(of: 100) == 29)
    #expect(DecimalShare(0.1).of(134_217_728) == 13_421_772)
    #expect(DecimalShare(0.1).ceiling(of: 134_217_728) == 13_421_773)
    #expect(DecimalShare(6).of(7) == 42)
    #expect(DecimalShare(0).of(7) == 0)
  }

  @Test func thousandthsAreExact() {
    for thousandths in 0...3000 as ClosedRange<UInt64> {
      let share = DecimalShare(Double(thousandths) / 1000)
      for whole in [1, 7, 100, 999, 1000, 1 << 30] as [UInt64] {
        #expect(share.of(whole) == whole * thousandths / 1000)
      }
    }
  }

  @Test func theLargestFits() {
    #expect(DecimalShare(1000).of(PolicySetup.capacityMax) == PolicySetup.capacityMax * 1000)
    #expect(DecimalShare(5000) == DecimalShare(1000))
    #expect(DecimalShare(-1) == DecimalShare(0))
    #expect(DecimalShare(.nan) == DecimalShare(0))
    #expect(Share(percent: 150) == Share(percent: 100))
  }

  @Test func invalidSharesAreReported() throws {
    let spec = try PolicySpec(parsing: "s4-fifo:small=0.25:ghost=x")
    #expect(try spec.share("small", default: 0.1, in: 0...1) == DecimalShare(0.25))
    #expect(try spec.share("skip", default: 0.5, in: 0...1) == DecimalShare(0.5))
    #expect(throws: PolicyError.self) { try spec.share("ghost", default: 0, in: 0...1) }
  }
}
