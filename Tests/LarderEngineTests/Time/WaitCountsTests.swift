import Testing

@testable import LarderEngine

@Suite struct WaitCountsTests {
  @Test func growingWaitsTakeBoundedMemory() {
    var waits = WaitCounts()
    let count: UInt64 = 2_500_000
    for wait in 1...count { waits.add(wait * 3) }
    #expect(waits.bytes <= 64 << 20 + 1 << 10)
    #expect(waits.total == 3 * count * (count + 1) / 2)
    for (share, wait) in zip([0.25, 0.5, 0.99], waits.percentiles([0.25, 0.5, 0.99], of: count)) {
      let exact = share * Double(count) * 3
      #expect(abs(Double(wait) - exact) <= exact / 1_024, "\(share)")
    }
  }
}
