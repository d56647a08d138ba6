/// As many records of a generator as were asked for, with what the workload adds to them.
final class DecoratedCursor: RecordCursor {
  private let generator: any RecordCursor
  private var decoration: Decoration
  private var left: Int

  init(_ generator: any RecordCursor, decoration: Decoration, requests: Int) {
    self.generator = generator
    self.decoration = decoration
    left = requests
  }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int {
    guard left > 0 else { return 0 }
    let wanted = UnsafeMutableBufferPointer(rebasing: buffer[..<min(buffer.count, left)])
    let count = try generator.fill(wanted)
    decoration.apply(to: UnsafeMutableBufferPointer(rebasing: wanted[..<count]))
    left -= count
    return count
  }
}
