/// The header of a block of a recording: 56 bytes, little-endian: u32 marker, kind, bytes after the
/// header, events or texts in them, u64 time of the block, gets and lost events so far, checksum of
/// the bytes after the header, checksum of the 48 bytes before.
///
/// An event is a byte (3 bits of kind, 2 of outcome, flags for size, lifetime and cost), u64 key,
/// the time since the previous event or the block (microseconds, zigzag), and the flagged parts:
/// size, lifetime in milliseconds, cost (float). Numbers without a width are in groups of seven
/// bits, the lowest first. A text is: u64 key, number of bytes, UTF-8.
package struct RecordedBlock: Sendable, Hashable {
  package enum Kind: UInt32, Sendable {
    case events
    case texts
    /// An empty block: the recording was stopped here.
    case end
  }

  package var kind: Kind
  package var length: Int
  package var count: Int
  /// The base time of the first event, in microseconds since the recording began.
  package var time: UInt64
  /// Gets of all keys since the recording began, including those not sampled; 0 if unknown.
  package var gets: UInt64
  package var lost: UInt64
  package var checksum: UInt64

  static let marker: UInt32 = 0x4B4C_4252
  package static let markerBytes: [UInt8] = Array("RBLK".utf8)
  package static let headerLength = 56
  package static let lengthMax = 4 << 20

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

  /// Decodes the texts of keys in a block; nil if its bytes are damaged.
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

/// Encodes events into blocks of a recording.
package struct RecordedBlockBuilder: Sendable {
  private var body: [UInt8] = []
  // Used bytes of `body`, which is longer so that a get is stored without a check for room.
  private var used = 0
  private var time: UInt64 = 0
  private var latest: UInt64 = 0
  package private(set) var count = 0

  /// The length in bytes from which a block should be taken. An event adds at most 46.
  package static let bytesWanted = 64 << 10

  package init() {}

  package var isFull: Bool { used >= Self.bytesWanted }

  private static let eventBytesMax = 46

  package mutating func add(_ event: RecordedEvent) {
    let step = beginEvent(event.time)
    var flags = event.kind.rawValue | event.outcome.rawValue << 3
    if event.size != nil { flags |= 0x20 }
    if event.lifetime != nil { flags |= 0x40 }
    if event.cost != nil { flags |= 0x80 }
    put(flags, event.key, step)
    if let size = event.size { put(varint: size) }
    if let lifetime = event.lifetime { put(varint: lifetime) }
    if let cost = event.cost {
      for place in 0..<4 { body[used + place] = UInt8(cost.bitPattern >> (8 * place) & 0xff) }
      used += 4
    }
  }

  package mutating func add(get key: UInt64, time: UInt64, isHit: Bool) -> Bool {
    let step = beginEvent(time)
    let outcome: RecordedEvent.Outcome = isHit ? .hit : .miss
    put(RecordedEvent.Kind.get.rawValue | outcome.rawValue << 3, key, step)
    return isFull
  }

  private mutating func beginEvent(_ time: UInt64) -> UInt64 {
    if used + Self.eventBytesMax > body.count {
      let more = max(Self.bytesWanted + 2 * Self.eventBytesMax, body.count)
      body.append(contentsOf: repeatElement(0, count: more))
    }
    if count == 0 {
      self.time = time
      latest = time
    }
    count += 1
    let step = Int64(bitPattern: time &- latest)
    latest = time
    return UInt64(bitPattern: step << 1 ^ step >> 63)
  }

  private mutating func put(_ flags: UInt8, _ key: UInt64, _ step: UInt64) {
    body.withUnsafeMutableBytes { [used] bytes in
      bytes[used] = flags
      bytes.storeBytes(of: key.littleEndian, toByteOffset: used + 1, as: UInt64.self)
    }
    used += 9
    put(varint: step)
  }

  private mutating func put(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      body[used] = UInt8(truncatingIfNeeded: rest) | 0x80
      used += 1
      rest >>= 7
    }
    body[used] = UInt8(truncatingIfNeeded: rest)
    used += 1
  }

  package mutating func take(gets: UInt64, lost: UInt64) -> [UInt8] {
    let block = RecordedBlock(kind: .events, count: count, time: time, gets: gets, lost: lost)
    defer { (used, count) = (0, 0) }
    return RecordedBlock.encoded(block, body[..<used])
  }

  package static func texts(_ texts: [(key: UInt64, text: String)]) -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    var (body, count): ([UInt8], Int) = ([], 0)
    func close() {
      guard count > 0 else { return }
      let block = RecordedBlock(kind: .texts, count: count, time: 0, gets: 0, lost: 0)
      blocks.append(RecordedBlock.encoded(block, body[...]))
      (body, count) = ([], 0)
    }
    for (key, text) in texts {
      // A text too long for any block is omitted.
      guard text.utf8.count < RecordedBlock.lengthMax / 2 else { continue }
      body.append(little: key)
      body.append(varint: UInt64(text.utf8.count))
      body += text.utf8
      count += 1
      if body.count >= bytesWanted { close() }
    }
    close()
    return blocks
  }

  package static func end(time: UInt64, gets: UInt64, lost: UInt64) -> [UInt8] {
    RecordedBlock.encoded(
      RecordedBlock(kind: .end, count: 0, time: time, gets: gets, lost: lost), [])
  }
}

/// One operation of a cache in a recording.
package struct RecordedEvent: Sendable, Hashable {
  package enum Kind: UInt8, Sendable, CaseIterable {
    case get
    case set
    case remove
    case modify
    /// A value was requested that no cache may store.
    case bypass
    /// The previous get, which missed in memory, was a hit on disk.
    case found
    /// Many entries were removed at once; the key is meaningless.
    case clear
    case expire
  }

  package enum Outcome: UInt8, Sendable {
    case unknown
    case hit
    case miss
    case fill
  }

  package var key: UInt64
  package var time: UInt64
  package var kind: Kind
  package var outcome: Outcome
  /// The size in bytes, or in the cache's unit of weight; nil if unknown.
  package var size: UInt64?
  /// The entry's TTL in milliseconds; nil if it has none.
  package var lifetime: UInt64?
  /// The cost of fetching the value; nil if unknown.
  package var cost: Float?

  package init(
    key: UInt64, time: UInt64, kind: Kind, outcome: Outcome = .unknown, size: UInt64? = nil,
    lifetime: UInt64? = nil, cost: Float? = nil
  ) {
    self.key = key
    self.time = time
    self.kind = kind
    self.outcome = outcome
    self.size = size
    self.lifetime = lifetime
    self.cost = cost
  }
}
