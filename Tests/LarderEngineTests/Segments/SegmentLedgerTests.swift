import Testing

@testable import LarderEngine

@Suite struct SegmentLedgerTests {
  private static let page: UInt64 = 4096

  @Test func oversizedSegmentsAreNotReused() {
    var ledger = SegmentLedger(bytesMax: 2 * Self.page)
    ledger.add(1, size: 9 * Self.page)
    ledger.noteFound(in: 1, extent: Self.page)
    ledger.finishOpening(largest: 1)
    #expect(ledger.isWasteful && ledger.victim() == 1)
    ledger.retire(SegmentLedger.Place(segment: 1, offset: 0), extent: Self.page, keeps: true)
    #expect(ledger.takeGone() == [1])
    #expect(!ledger.hasSpare)
  }

  @Test func segmentBeingReadIsNotOverwritten() {
    var ledger = SegmentLedger(bytesMax: Self.page)
    let (place, _) = ledger.place(extent: Self.page)
    ledger.noteWritten(place, extent: Self.page)
    _ = ledger.place(extent: Self.page)
    ledger.pin(1)
    ledger.retire(place, extent: Self.page, keeps: true)
    #expect(ledger.takeGone() == [1] && !ledger.numbers.contains(1))
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func copiesEqualArrayModel(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let setup = SegmentSetup(
      bytes: [4096, 16 << 10, 50_000][Int(seed % 3)], inlineBytesMax: seed % 2 * 3000)
    let objects = 8 + random.next(below: 60)
    var shelf = SegmentShelf(setup, objects: Int(objects))
    var naive = NaiveSegments(setup)
    for step in 0..<1500 {
      let id = ObjectID(1 + min(random.next(below: objects), random.next(below: objects)))
      if random.next(below: 5) == 0 {
        shelf.drop(id)
        naive.drop(id)
        shelf.commitDropped()
        naive.commitDropped()
      } else {
        let size = random.next(below: random.next(below: 4) == 0 ? 60_000 : 9000)
        shelf.store(id, UInt32(size))
        naive.store(id, Int(size))
      }
      #expect(shelf.holds(id) == naive.stored.contains(id))
      guard shelf.copies == UInt64(naive.copies), shelf.bytesMoved == UInt64(naive.moved) else {
        Issue.record("seed \(seed), step \(step): \(shelf.copies) and \(naive.copies) copies")
        return
      }
    }
    #expect(setup.bytes == 4096 || shelf.copies > 0)
  }
}
