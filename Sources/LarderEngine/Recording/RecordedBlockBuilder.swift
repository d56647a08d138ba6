/// Puts events into blocks of a recording.
package struct RecordedBlockBuilder: Sendable {
  private var body: [UInt8] = []
  private var time: UInt64 = 0
  private var latest: UInt64 = 0
  /// Events since the last block was taken.
  package private(set) var count = 0

  /// From so many bytes on a block should be taken. An event adds at most 46.
  package static let bytesWanted = 64 << 10

  /// Nothing yet.
  package init() {}

  /// Whether a block should be taken now.
  package var isFull: Bool { body.count >= Self.bytesWanted }

  /// Adds an event.
  package mutating func add(_ event: RecordedEvent) {
    if count == 0 {
      time = event.time
      latest = event.time
    }
    var flags = event.kind.rawValue | event.outcome.rawValue << 3
    if event.size != nil { flags |= 0x20 }
    if event.lifetime != nil { flags |= 0x40 }
    if event.cost != nil { flags |= 0x80 }
    body.append(flags)
    body.append(little: event.key)
    let step = Int64(bitPattern: event.time &- latest)
    body.append(varint: UInt64(bitPattern: step << 1 ^ step >> 63))
    latest = event.time
    if let size = event.size { body.append(varint: size) }
    if let lifetime = event.lifetime { body.append(varint: lifetime) }
    if let cost = event.cost { body.append(little: cost.bitPattern) }
    count += 1
  }

  /// Takes what was added as a block.
  ///
  /// - Parameters:
  ///   - gets: gets of all keys since the recording began; 0 where that is not known.
  ///   - lost: events that were to be recorded and were not.
  package mutating func take(gets: UInt64, lost: UInt64) -> [UInt8] {
    let block = RecordedBlock(kind: .events, count: count, time: time, gets: gets, lost: lost)
    defer {
      body.removeAll(keepingCapacity: true)
      count = 0
    }
    return RecordedBlock.encoded(block, body)
  }

  /// Blocks with the texts of keys.
  package static func texts(_ texts: [(key: UInt64, text: String)]) -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    var (body, count): ([UInt8], Int) = ([], 0)
    func close() {
      guard count > 0 else { return }
      let block = RecordedBlock(kind: .texts, count: count, time: 0, gets: 0, lost: 0)
      blocks.append(RecordedBlock.encoded(block, body))
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
