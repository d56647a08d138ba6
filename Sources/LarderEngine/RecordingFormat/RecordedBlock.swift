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

/// Puts events into blocks of a recording.
package struct RecordedBlockBuilder: Sendable {
  private var body: [UInt8] = []
  // Bytes of `body` that are used: it is longer, so that a get is stored without asking for room.
  private var used = 0
  private var time: UInt64 = 0
  private var latest: UInt64 = 0
  /// Events since the last block was taken.
  package private(set) var count = 0

  /// From so many bytes on a block should be taken. An event adds at most 46.
  package static let bytesWanted = 64 << 10

  /// Nothing yet.
  package init() {}

  /// Whether a block should be taken now.
  package var isFull: Bool { used >= Self.bytesWanted }

  private static let eventBytesMax = 46

  /// Adds an event. O(1).
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

  /// Adds a get, of which there are many, and says whether a block should be taken now. O(1).
  package mutating func add(get key: UInt64, time: UInt64, isHit: Bool) -> Bool {
    let step = beginEvent(time)
    let outcome: RecordedEvent.Outcome = isHit ? .hit : .miss
    put(RecordedEvent.Kind.get.rawValue | outcome.rawValue << 3, key, step)
    return isFull
  }

  /// Makes room for an event, counts it, and returns the time since the one before.
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

  /// Takes what was added as a block.
  ///
  /// - Parameters:
  ///   - gets: gets of all keys since the recording began; 0 where that is not known.
  ///   - lost: events that were to be recorded and were not.
  package mutating func take(gets: UInt64, lost: UInt64) -> [UInt8] {
    let block = RecordedBlock(kind: .events, count: count, time: time, gets: gets, lost: lost)
    defer { (used, count) = (0, 0) }
    return RecordedBlock.encoded(block, body[..<used])
  }

  /// Blocks with the texts of keys.
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
      // A text that no block has room for leaves its key as it is.
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

  /// The block that ends a recording.
  package static func end(time: UInt64, gets: UInt64, lost: UInt64) -> [UInt8] {
    RecordedBlock.encoded(
      RecordedBlock(kind: .end, count: 0, time: time, gets: gets, lost: lost), [])
  }
}

/// What a recording holds of one operation of a cache.
package struct RecordedEvent: Sendable, Hashable {
  /// What was done.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// A value was asked for.
    case get
    /// A value was stored.
    case set
    /// An entry was removed by its key.
    case remove
    /// The object changed at its origin.
    case modify
    /// A value was asked for that no cache may store.
    case bypass
    /// The get before, which memory could not answer, was a hit on disk.
    case found
    /// Many entries were removed at once; the key means nothing.
    case clear
    /// The entry was given another life, or none of its own.
    case expire
  }

  /// What came of a get.
  package enum Outcome: UInt8, Sendable {
    /// Not known, or not a get.
    case unknown
    /// A value.
    case hit
    /// None.
    case miss
  }

  /// What stands for the key.
  package var key: UInt64
  /// Microseconds since the recording began.
  package var time: UInt64
  /// What was done.
  package var kind: Kind
  /// What came of it.
  package var outcome: Outcome
  /// Bytes, or what else the cache weighs entries by; nil where that is not known.
  package var size: UInt64?
  /// The life that the entry was given, milliseconds; nil for none of its own.
  package var lifetime: UInt64?
  /// What fetching the value costs; nil for no word about it.
  package var cost: Float?

  /// An event; see the properties for the meaning of each part.
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
