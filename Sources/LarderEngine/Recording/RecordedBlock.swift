/// The beginning of a block of a recording.
///
/// Little-endian, 56 bytes: u32 marker, u32 kind, u32 bytes behind the header, u32 events or texts
/// in them, u64 time of the block, u64 gets so far, u64 lost events so far, u64 checksum of the
/// bytes behind, u64 checksum of the 48 bytes before.
///
/// A block of events holds for each: a byte (3 bits of kind, 2 of outcome, then whether there is a
/// size, a life, a cost), u64 key, the time since the event before it or since that of the block
/// (microseconds, signed, zigzag), and the parts that there are: size, life in milliseconds, cost
/// (float). Numbers without a width are in groups of seven bits, the lowest first. A block of texts
/// holds for each: u64 key, number of bytes, UTF-8. The last block of a recording that was stopped
/// says so and holds nothing.
package struct RecordedBlock: Sendable, Hashable {
  /// What a block holds.
  package enum Kind: UInt32, Sendable {
    /// Operations.
    case events
    /// The texts of keys.
    case texts
    /// Nothing: the recording was stopped here.
    case end
  }

  /// What it holds.
  package var kind: Kind
  /// Bytes behind the header.
  package var length: Int
  /// Events or texts.
  package var count: Int
  /// The time from which the first event's is told, microseconds since the recording began.
  package var time: UInt64
  /// Gets of all keys since the recording began, those that were not sampled among them; 0 where
  /// that is not known.
  package var gets: UInt64
  /// Events that were to be recorded and were not, since the recording began.
  package var lost: UInt64
  /// The checksum of what is behind the header.
  package var checksum: UInt64

  /// What a block begins with.
  static let marker: UInt32 = 0x4B4C_4252
  /// The same as bytes of the file.
  package static let markerBytes: [UInt8] = Array("RBLK".utf8)
  /// Bytes of a block's header.
  package static let headerLength = 56
  /// The most bytes behind a header.
  package static let lengthMax = 4 << 20

  /// The block with its header.
  static func encoded(_ block: RecordedBlock, _ body: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerLength + body.count)
    bytes.append(little: marker)
    bytes.append(little: block.kind.rawValue)
    bytes.append(little: UInt32(body.count))
    bytes.append(little: UInt32(block.count))
    bytes.append(little: block.time)
    bytes.append(little: block.gets)
    bytes.append(little: block.lost)
    bytes.append(little: body.withUnsafeBytes { RecordedChecksum.of($0) })
    bytes.append(little: bytes.withUnsafeBytes { RecordedChecksum.of($0) })
    return bytes + body
  }

  /// Reads the header of a block; nil where `bytes` do not begin with one.
  package init?(decoding bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headerLength, bytes.little(0, as: UInt32.self) == Self.marker,
      let kind = Kind(rawValue: bytes.little(4, as: UInt32.self)),
      bytes.little(48, as: UInt64.self)
        == RecordedChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<48]))
    else { return nil }
    self.kind = kind
    length = Int(bytes.little(8, as: UInt32.self))
    count = Int(bytes.little(12, as: UInt32.self))
    time = bytes.little(16, as: UInt64.self)
    gets = bytes.little(24, as: UInt64.self)
    lost = bytes.little(32, as: UInt64.self)
    checksum = bytes.little(40, as: UInt64.self)
    guard length <= Self.lengthMax, count <= length else { return nil }
  }

  init(kind: Kind, count: Int, time: UInt64, gets: UInt64, lost: UInt64) {
    self.kind = kind
    (length, checksum) = (0, 0)
    self.count = count
    self.time = time
    self.gets = gets
    self.lost = lost
  }

  /// The events of a block; nil where its bytes are not what was written, or say what cannot be.
  ///
  /// - Complexity: O(bytes).
  package func events(in body: UnsafeRawBufferPointer) -> [RecordedEvent]? {
    guard kind == .events, body.count == length, RecordedChecksum.of(body) == checksum else {
      return nil
    }
    var cursor = RecordedCursor(body)
    var events: [RecordedEvent] = []
    events.reserveCapacity(count)
    var time = time
    for _ in 0..<count {
      guard let flags = cursor.byte(), let kind = RecordedEvent.Kind(rawValue: flags & 7),
        let outcome = RecordedEvent.Outcome(rawValue: flags >> 3 & 3), let key = cursor.word(),
        let step = cursor.varint()
      else { return nil }
      time = time &+ (step >> 1 ^ (0 &- (step & 1)))
      var event = RecordedEvent(key: key, time: time, kind: kind, outcome: outcome)
      if flags & 0x20 != 0 {
        guard let size = cursor.varint() else { return nil }
        event.size = size
      }
      if flags & 0x40 != 0 {
        guard let lifetime = cursor.varint() else { return nil }
        event.lifetime = lifetime
      }
      if flags & 0x80 != 0 {
        guard let cost = cursor.float(), cost >= 0, cost.isFinite else { return nil }
        event.cost = cost
      }
      events.append(event)
    }
    return cursor.isAtEnd ? events : nil
  }

  /// The texts of keys in a block; nil where its bytes are not what was written.
  ///
  /// - Complexity: O(bytes).
  package func texts(
    in body: UnsafeRawBufferPointer
  ) -> [(key: UInt64, text: UnsafeRawBufferPointer)]? {
    guard kind == .texts, body.count == length, RecordedChecksum.of(body) == checksum else {
      return nil
    }
    var cursor = RecordedCursor(body)
    var texts: [(key: UInt64, text: UnsafeRawBufferPointer)] = []
    for _ in 0..<count {
      guard let key = cursor.word(), let length = cursor.varint(), let text = cursor.bytes(length)
      else { return nil }
      texts.append((key, text))
    }
    return cursor.isAtEnd ? texts : nil
  }
}
