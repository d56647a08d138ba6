/// Sources interleaved at random by weight.
///
/// The parts run side by side: each has a clock of its own, and the mix's time is the furthest any
/// of them has come. So the part whose clock is fastest for its weight keeps its own time, and the
/// others' requests fall in between.
final class MixCursor: RecordCursor {
  private let parts: [MixedPart]
  private let table: AliasTable
  private var random: RandomStream
  private var left: Int
  private var time: UInt64 = 0

  init(_ parts: [SourcePart], table: AliasTable, requests: Int, seed: UInt64) throws {
    self.parts = parts.map { MixedPart($0) }
    self.table = table
    random = RandomStream(seed: seed, purpose: 0x3178)
    left = requests
  }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int {
    let count = min(buffer.count, left)
    for place in 0..<count {
      let part = parts[table.index(random.next())]
      if part.next == part.count { try part.refill() }
      var record = part.records[part.next]
      part.next += 1
      record.key = part.keys(record.key)
      time = max(time, part.clock.time(record.time))
      record.time = time
      buffer[place] = record
    }
    left -= count
    return count
  }
}

/// A part of a mix and the records drawn from it in advance.
private final class MixedPart {
  let keys: SourcePart.KeyMapping
  let records = UnsafeMutableBufferPointer<TraceRecord>.allocate(capacity: 512)
  var next = 0
  var count = 0
  var clock = PartClock(at: 0)
  private let part: SourcePart
  private var cursor: (any RecordCursor)?

  init(_ part: SourcePart) {
    self.part = part
    keys = part.keys
  }

  deinit { records.deallocate() }

  /// Draws the next records, from the beginning again after the last.
  func refill() throws {
    next = 0
    let current = try cursor ?? part.makeCursor()
    cursor = current
    count = try current.fill(records)
    if count > 0 { return }
    clock.restart()
    let again = try part.makeCursor()
    cursor = again
    count = try again.fill(records)
    guard count > 0 else {
      throw ComponentError(
        component: "mix", parameter: nil, message: "a source of the mix has no requests")
    }
  }
}
