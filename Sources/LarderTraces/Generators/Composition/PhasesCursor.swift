/// Sources one after another.
final class PhasesCursor: RecordCursor {
  private let parts: [SourcePart]
  private var index = 0
  private var cursor: (any RecordCursor)?
  private var clock = PartClock(at: 0)

  init(_ parts: [SourcePart]) { self.parts = parts }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int {
    while index < parts.count {
      let current = try cursor ?? parts[index].makeCursor()
      cursor = current
      let count = try current.fill(buffer)
      if count > 0 {
        let keys = parts[index].keys
        for place in 0..<count {
          buffer[place].key = keys(buffer[place].key)
          buffer[place].time = clock.time(buffer[place].time)
        }
        return count
      }
      cursor = nil
      index += 1
      clock.restart()
    }
    return 0
  }
}
