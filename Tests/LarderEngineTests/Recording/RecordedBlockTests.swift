import Testing

@testable import LarderEngine

/// Blocks and headers of recordings: written data is read back, and anything else is rejected.
@Suite struct RecordedBlockTests {
  private static let events: [RecordedEvent] = [
    RecordedEvent(key: 7, time: 1_000_000, kind: .get, outcome: .miss),
    RecordedEvent(
      key: 7, time: 1_000_100, kind: .set, size: 4096, lifetime: 60_000, cost: 2.5),
    // Earlier than the previous event, because it is from another thread.
    RecordedEvent(key: .max, time: 999_999, kind: .get, outcome: .hit, size: 0),
    RecordedEvent(key: 0, time: .max, kind: .remove),
    RecordedEvent(key: 1, time: 0, kind: .modify, size: .max, lifetime: .max, cost: 0),
    RecordedEvent(key: 1, time: 5, kind: .bypass),
    RecordedEvent(key: 1, time: 5, kind: .found, size: 127),
    RecordedEvent(key: 1, time: 5, kind: .clear, size: 128),
  ]

  private func block(_ events: [RecordedEvent] = events) -> [UInt8] {
    var builder = RecordedBlockBuilder()
    for event in events { builder.add(event) }
    return builder.take(gets: 12, lost: 3)
  }

  private func decode(_ bytes: [UInt8]) -> [RecordedEvent]? {
    bytes.withUnsafeBytes { bytes in
      guard let block = RecordedBlock(decoding: bytes) else { return nil }
      let length = RecordedBlock.headerLength + block.length
      guard bytes.count >= length else { return nil }
      return block.events(
        in: UnsafeRawBufferPointer(rebasing: bytes[RecordedBlock.headerLength..<length]))
    }
  }

  @Test func eventsRoundTrip() {
    let bytes = block()
    #expect(decode(bytes) == Self.events)
    let header = bytes.withUnsafeBytes { RecordedBlock(decoding: $0) }
    #expect(header?.gets == 12 && header?.lost == 3 && header?.count == Self.events.count)
    #expect(bytes.starts(with: RecordedBlock.markerBytes))
  }

  @Test func builderRestartsAfterTake() {
    var builder = RecordedBlockBuilder()
    for event in Self.events { builder.add(event) }
    _ = builder.take(gets: 0, lost: 0)
    #expect(builder.count == 0)
    builder.add(Self.events[3])
    #expect(decode(builder.take(gets: 0, lost: 0)) == [Self.events[3]])
  }

  @Test func aBuilderIsFullBeforeABlockIsTooLong() {
    var builder = RecordedBlockBuilder()
    var random = SeededGenerator(seed: 4)
    while !builder.isFull {
      builder.add(
        RecordedEvent(
          key: random.next(), time: random.next(), kind: .set, size: random.next(),
          lifetime: random.next(), cost: 3))
    }
    let count = builder.count
    let bytes = builder.take(gets: 0, lost: 0)
    #expect(bytes.count < RecordedBlock.lengthMax && decode(bytes)?.count == count)
  }

  @Test func everyBitFlipIsDetected() {
    let whole = block()
    for index in whole.indices {
      for bit in 0..<8 {
        var bytes = whole
        bytes[index] ^= 1 << UInt8(bit)
        #expect(decode(bytes) == nil, "byte \(index), bit \(bit)")
      }
    }
    for length in whole.indices { #expect(decode(Array(whole[..<length])) == nil) }
  }

  /// Bytes with a valid checksum that no writer produced: no trap, and no events.
  @Test func hostileBytesDecodeToNoEvents() {
    var random = SeededGenerator(seed: 1)
    for count in 0..<400 {
      let body = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var block = RecordedBlock(
        kind: .events, count: Int(random.next(below: UInt64(count + 2))), time: .max, gets: 0,
        lost: 0)
      block.length = count
      block.checksum = body.withUnsafeBytes { RecordedChecksum.of($0) }
      let events = body.withUnsafeBytes { block.events(in: $0) }
      #expect((events?.count ?? 0) <= count)
      block.kind = .texts
      _ = body.withUnsafeBytes { block.texts(in: $0)?.count }
    }
  }

  @Test func textsRoundTrip() {
    let texts: [(key: UInt64, text: String)] = [(1, "a"), (2, ""), (.max, "Grüße/🌍")]
    let bytes = RecordedBlockBuilder.texts(texts)
    #expect(bytes.count == 1)
    bytes.first?.withUnsafeBytes { bytes in
      let block = RecordedBlock(decoding: bytes)
      let body = UnsafeRawBufferPointer(rebasing: bytes[RecordedBlock.headerLength...])
      let found = block?.texts(in: body) ?? []
      #expect(found.map(\.key) == texts.map(\.key))
      #expect(found.map { String(decoding: $0.text, as: UTF8.self) } == texts.map(\.text))
      #expect(block?.events(in: body) == nil)
    }
    let many = (0..<20_000).map { (key: UInt64($0), text: "key number \($0)") }
    #expect(RecordedBlockBuilder.texts(many).count > 5)
    #expect(RecordedBlockBuilder.texts([]).isEmpty)
  }

  @Test func headersRoundTrip() throws {
    let header = RecordedHeader(threshold: 42_949_673, began: 17, origin: .hybrid, keys: .plain)
    let bytes = header.encoded
    #expect(bytes.count == RecordedHeader.length)
    let read = try bytes.withUnsafeBytes { bytes throws(RecordedHeader.Fault) in
      try RecordedHeader(decoding: bytes)
    }
    #expect(read == header && abs(read.rate - 0.01) < 1e-9)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 4
      #expect(throws: RecordedHeader.Fault.self) {
        try changed.withUnsafeBytes { _ = try RecordedHeader(decoding: $0) }
      }
    }
    #expect(throws: RecordedHeader.Fault.short) {
      try bytes.dropLast().withUnsafeBytes { _ = try RecordedHeader(decoding: $0) }
    }
  }

  @Test(
    arguments: [
      (1.0, 1 << 32), (0.5, 1 << 31), (0.01, 42_949_673), (0x1p-32, 1),
    ] as [(Double, UInt64)])
  func ratesBecomeThresholds(_ rate: Double, _ threshold: UInt64) {
    #expect(RecordedHeader.threshold(rate: rate) == threshold)
  }

  @Test(arguments: [0, -0.1, 1.0001, .nan, .infinity, 1e-11])
  func ratesOutOfRangeHaveNoThreshold(_ rate: Double) {
    #expect(RecordedHeader.threshold(rate: rate) == nil)
  }
}
