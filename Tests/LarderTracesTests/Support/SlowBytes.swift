@testable import LarderTraces

/// Bytes in memory as a source, returned a few at a time.
final class SlowBytes: ByteSource {
  private var rest: ArraySlice<UInt8>
  private let step: Int

  init(_ bytes: [UInt8], step: Int) {
    rest = bytes[...]
    self.step = step
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    let count = min(step, rest.count, space.count)
    space.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    return count
  }
}
