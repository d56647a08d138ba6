import LarderEngine

/// Reads a recording block by block.
///
/// What is behind the last whole block is what was being written when the process ended: it is told
/// of, and no error. A damaged block in the middle is counted as bad, and reading goes on with the
/// next one.
struct RecordedDecoder: TraceDecoder {
  let header: RecordedHeader

  var columns: TraceColumns { [.size, .time, .operation, .ttl, .cost] }
  var sizeRule: SizeRule { .logged }
  var sortsTimes: Bool { true }
  var samplingRate: Double { header.rate }

  var isOneOfAKind: Bool {
    header.keys == .keyed || header.threshold < RecordedHeader.wholeThreshold
  }

  var understanding: [String] {
    let origin =
      switch header.origin {
      case .memory: "a memory cache"
      case .disk: "a disk cache"
      case .hybrid: "a hybrid cache"
      case .server: "a server"
      }
    let keys = header.keys == .keyed ? "keyed hashes" : "texts"
    return ["recorded from \(origin), \(TraceSampling.share(header.rate)) of the keys, as \(keys)"]
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    guard try reader.fill(atLeast: RecordedHeader.length) else {
      throw TraceError("the file ends in the header", in: reader.path, at: .byte(reader.offset))
    }
    reader.consume(RecordedHeader.length)
    batch.nameLines("blocks")
    // Before anything else: whoever has seen enough must know it, too.
    batch.noteSampling(TraceSampling(rate: header.rate))
    var reading = Reading(batch: batch, header: header)
    while try reader.fill(atLeast: RecordedBlock.headerLength) {
      guard try reading.readBlock(reader) else { break }
      if !batch.wantsMore { return }
    }
    reading.noteTail(reader)
    try reading.finish()
    batch.noteSampling(TraceSampling(rate: header.rate, gets: reading.recordedGets))
  }

  /// One reading of a recording.
  private struct Reading {
    let batch: RecordBatch
    let header: RecordedHeader
    var blocks = 0
    private var gets: UInt64 = 0
    private var events: UInt64 = 0
    private var lost: UInt64 = 0
    private var clears = 0
    private var hasEnd = false
    private var texts: [UInt64: UInt64] = [:]
    private var folding = RecordedFolding()
    private var growth = GrowthLimit("the texts of keys", bytesEach: 32)

    init(batch: RecordBatch, header: RecordedHeader) {
      self.batch = batch
      self.header = header
    }

    /// Reads a block, or passes over a byte that begins none; false at the end of what is whole.
    mutating func readBlock(_ reader: ByteReader) throws -> Bool {
      guard let block = RecordedBlock(decoding: reader.bytes) else { return try resync(reader) }
      let whole = RecordedBlock.headerLength + block.length
      guard try reader.fill(atLeast: whole) else { return false }
      let body = UnsafeRawBufferPointer(
        rebasing: reader.bytes[RecordedBlock.headerLength..<whole])
      blocks += 1
      batch.noteLines(blocks)
      var isWhole = true
      switch block.kind {
      case .events:
        if let events = block.events(in: body) { try add(events) } else { isWhole = false }
      case .texts:
        if let named = block.texts(in: body) {
          for (key, text) in named { texts[key] = Self.key(of: text) }
          try growth.check(texts.count, in: reader.path)
        } else {
          isWhole = false
        }
      case .end: hasEnd = true
      }
      gets = max(gets, block.gets)
      lost = max(lost, block.lost)
      if !isWhole {
        try batch.bad(
          TraceError("damaged block", in: reader.path, at: .byte(reader.offset)))
      }
      reader.consume(whole)
      return true
    }

    /// Gets of all keys, without the part that was lost where operations were. A server does not
    /// tell what it skipped, so that its gets are without them.
    var recordedGets: UInt64 {
      guard lost > 0, events > 0, header.origin != .server else { return gets }
      return UInt64(Double(gets) * Double(events) / (Double(events) + Double(lost)))
    }

    /// Passes over bytes that are no block up to the next that may be one.
    private mutating func resync(_ reader: ByteReader) throws -> Bool {
      let start = reader.offset
      while try reader.fill(atLeast: RecordedBlock.headerLength) {
        reader.consume(1)
        let bytes = reader.bytes
        let limit = bytes.count - RecordedBlock.headerLength
        var offset = 0
        while offset <= limit {
          if bytes[offset] == RecordedBlock.markerBytes[0],
            RecordedBlock(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset...])) != nil
          {
            reader.consume(offset)
            try noteDamage(from: start, reader)
            return true
          }
          offset += 1
        }
        reader.consume(max(0, limit))
      }
      reader.consume(reader.unreadCount)
      try noteDamage(from: start, reader)
      return false
    }

    private mutating func noteDamage(from start: Int, _ reader: ByteReader) throws {
      blocks += 1
      batch.noteLines(blocks)
      try batch.bad(
        TraceError(
          "\(reader.offset - start) bytes that are no block", in: reader.path, at: .byte(start)))
    }

    /// Tells of what is behind the last whole block.
    func noteTail(_ reader: ByteReader) {
      if !hasEnd {
        batch.note(
          "The recording of \(reader.path) was not stopped: it is read up to its last whole block "
            + "(\(blocks) blocks).")
      } else if reader.unreadCount > 0 {
        batch.note("There is something behind the end of the recording in \(reader.path).")
      }
      if lost > 0 {
        let reason =
          header.origin == .server
          ? "it was read too slowly" : "the writer or the disk was too slow"
        batch.note(
          "\(lost) operations were lost while \(reader.path) was recorded, because \(reason).")
      }
      if clears > 0 {
        batch.note(
          "\(clears) times many entries were removed at once; simulations do not do that.")
      }
    }

    private static func key(of text: UnsafeRawBufferPointer) -> UInt64 {
      let bytes = text.bindMemory(to: UInt8.self)
      guard let start = bytes.baseAddress else { return KeyHash.hash("") }
      return KeyHash.key(TextField(start, start + bytes.count))
    }

    private mutating func add(_ events: [RecordedEvent]) throws {
      self.events += UInt64(events.count)
      for var event in events {
        if event.kind == .clear {
          clears += 1
          continue
        }
        if let key = texts[event.key] { event.key = key }
        folding.add(event, began: header.began)
        while let record = folding.next() {
          guard try batch.append(record) else { return }
        }
      }
    }

    mutating func finish() throws {
      while let record = folding.rest() {
        guard try batch.append(record) else { return }
      }
      _ = try batch.flush()
    }
  }
}
