import LarderEngine

struct RecordedFormat: TraceFormat {
  let description = FormatDescription(
    name: "recorded",
    summary: "recordings of `cache.record(to:)` and `larder trace record`",
    layout: """
      Little-endian: a header of 64 bytes that begins with 89 4C 41 52 52 45 43 0A, with the version
      and the share of keys that was recorded; then blocks with a length and two checksums, up to
      the last whole one. An event is an operation (get, set, remove ...), the hash of a key, a time
      in microseconds, whether a get was a hit, and size, TTL and cost if known. A set that follows
      a miss of its key is the fetched value: the two are one get. A hit has the size and TTL of
      the last stored value.
      """,
    suffixes: [".recorded"], parameters: [.size(.logged), .maxBad])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    sample.head.starts(with: RecordedHeader.magic) || sample.isNamed(description.suffixes)
      ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    do {
      let header = try sample.head.withUnsafeBytes { bytes throws(RecordedHeader.Fault) in
        try RecordedHeader(decoding: bytes)
      }
      return RecordedDecoder(header: header)
    } catch let fault as RecordedHeader.Fault {
      throw Self.error(fault, sample)
    }
  }

  private static func error(_ fault: RecordedHeader.Fault, _ sample: FormatSample) -> TraceError {
    switch fault {
    case .short:
      TraceError(
        "\(sample.head.count) bytes are too few for a recording", in: sample.path,
        at: .byte(sample.head.count))
    case .magic:
      TraceError(
        "the file does not start with the magic number of a recording", in: sample.path,
        at: .byte(0))
    case .version(let version):
      TraceError(
        "version \(version) of recordings, but this larder reads \(RecordedHeader.version)",
        in: sample.path, at: .byte(8))
    case .damaged:
      TraceError("the header's checksum is wrong", in: sample.path, at: .byte(56))
    }
  }
}

/// Reads a recording block by block. Bytes after the last complete block, which was being written
/// when the process ended, are reported and no error. A damaged block in the middle counts as bad.
struct RecordedDecoder: TraceDecoder {
  let header: RecordedHeader

  var columns: TraceColumns { [.size, .time, .operation, .ttl, .cost] }
  var sizeRule: SizeRule { .logged }
  var sortsTimes: Bool { true }
  var foldsFills: Bool { true }
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
    batch.reading.lineName = "blocks"
    // First, because a reader that stops early needs it too.
    batch.noteSampling(TraceSampling(rate: header.rate))
    var reading = Reading(batch: batch, header: header)
    while try reader.fill(atLeast: RecordedBlock.headerLength) {
      guard try reading.readBlock(reader) else { break }
      if !batch.wantsMore { return }
    }
    reading.noteTail(reader)
    _ = try batch.flush()
    batch.noteSampling(TraceSampling(rate: header.rate, gets: reading.recordedGets))
  }

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
    private var growth = GrowthLimit("the texts of keys", bytesEach: 32)

    init(batch: RecordBatch, header: RecordedHeader) {
      self.batch = batch
      self.header = header
    }

    mutating func readBlock(_ reader: ByteReader) throws -> Bool {
      guard let block = RecordedBlock(decoding: reader.bytes) else { return try resync(reader) }
      let whole = RecordedBlock.headerLength + block.length
      guard try reader.fill(atLeast: whole) else { return false }
      let body = UnsafeRawBufferPointer(rebasing: reader.bytes[RecordedBlock.headerLength..<whole])
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
        try batch.bad(TraceError("damaged block", in: reader.path, at: .byte(reader.offset)))
      }
      reader.consume(whole)
      return true
    }

    /// Gets of all keys, without the share of dropped operations, which servers do not count.
    var recordedGets: UInt64 {
      guard lost > 0, events > 0, header.origin != .server else { return gets }
      return UInt64(Double(gets) * Double(events) / (Double(events) + Double(lost)))
    }

    private mutating func resync(_ reader: ByteReader) throws -> Bool {
      let start = reader.offset
      reader.consume(1)
      while try reader.fill(atLeast: RecordedBlock.headerLength) {
        let bytes = reader.bytes
        let last = bytes.count - RecordedBlock.headerLength
        for offset in 0...last
        where bytes[offset] == RecordedBlock.markerBytes[0]
          && RecordedBlock(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset...])) != nil
        {
          reader.consume(offset)
          try noteDamage(from: start, reader)
          return true
        }
        reader.consume(last + 1)
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
          "\(reader.offset - start) bytes that are not a block", in: reader.path, at: .byte(start)))
    }

    func noteTail(_ reader: ByteReader) {
      if !hasEnd {
        batch.note(
          "The recording \(reader.path) was not closed; it is read up to its last complete block "
            + "(\(blocks) blocks).")
      } else if reader.unreadCount > 0 {
        batch.note("\(reader.path) has data after the end of the recording.")
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
          "\(clears) bulk \(clears == 1 ? "removal was" : "removals were") recorded; "
            + "simulations do not apply them.")
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
        guard try batch.append(TraceRecord(event, began: header.began)) else { return }
      }
    }
  }
}

extension TraceRecord {
  fileprivate init(_ event: RecordedEvent, began: UInt64) {
    self.init(
      key: event.key, time: began &+ event.time, size: UInt32(clamping: event.size ?? 0),
      ttl: TraceRecord.seconds(event.lifetime), cost: event.cost ?? TraceRecord.unknownCost,
      operation: TraceRecord.operation(event.kind), isSizeKnown: event.size != nil)
    outcome = Outcome(rawValue: event.outcome.rawValue) ?? .unknown
    if event.kind == .found { outcome = .found }
    if event.kind == .set, event.outcome != .fill { outcome = .unknown }
  }

  private static func operation(_ kind: RecordedEvent.Kind) -> Operation {
    switch kind {
    case .get: .get
    case .set: .set
    case .remove: .delete
    case .modify, .clear: .modify
    case .bypass: .bypass
    case .expire, .found: .expire
    }
  }

  /// Seconds, rounded up; 0 for no limit.
  private static func seconds(_ milliseconds: UInt64?) -> UInt32 {
    guard let milliseconds, milliseconds > 0 else { return 0 }
    return UInt32(clamping: milliseconds / 1000 + (milliseconds % 1000 == 0 ? 0 : 1))
  }
}
