import Foundation
import Testing

@testable import Larder

@Suite struct ExpiryTests {
  @Test func sumsSaturateToNever() {
    #expect(Expiry(after: 7, from: 5) == Expiry(12))
    #expect(Expiry(after: 0, from: 5) == Expiry(5))
    #expect(Expiry(after: nil, from: 5) == .never)
    #expect(Expiry(after: .max, from: 5) == .never)
    #expect(Expiry(after: .max - 5, from: 5) == .never)
    #expect(Expiry(after: .max - 6, from: 5) == Expiry(.max - 1))
  }

  @Test func entryExpiresAtItsTime() {
    let expiry = Expiry(10)
    #expect(!expiry.isOver(at: 9) && expiry.isOver(at: 10) && expiry.isOver(at: 11))
    #expect([9, 10, 13].map { expiry.lifeLeft(at: $0) } == [1, 0, 0])
    #expect([9, 10, 13].map { expiry.overdue(at: $0) } == [0, 0, 3])
    #expect(Expiry.never.lifeLeft(at: 9) == .max && Expiry.never.overdue(at: .max) == 0)
    #expect(!Expiry.never.isOver(at: .max - 1))
  }

  @Test func dateIsNilForNever() {
    #expect(Expiry(Date?.none) == .never && Expiry.never.date == nil)
    let date = Date(timeIntervalSince1970: 1.5)
    #expect(Expiry(date) == Expiry(1_500_000) && Expiry(1_500_000).date == date)
    #expect(Expiry(3) < Expiry(4) && Expiry(4) < .never)
  }

  @Test func expiryHasEightBytes() { #expect(MemoryLayout<Expiry>.size == 8) }
}
