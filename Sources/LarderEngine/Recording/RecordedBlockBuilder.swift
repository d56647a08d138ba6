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
