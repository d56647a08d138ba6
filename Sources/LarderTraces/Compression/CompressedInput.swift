/// The compressed bytes that a decompressor is working on: a buffer that it empties and refills.
final class CompressedInput {
  /// The path, for errors.
  let path: String
  /// The next byte that the decompressor has not used.
  private(set) var next: UnsafeMutablePointer<UInt8>
  /// How many bytes there are from `next` on.
  private(set) var count = 0
  /// The file has no more.
  private(set) var isAtEnd = false

  private let file: FileBytes
  private let memory: UnsafeMutablePointer<UInt8>
  private static let capacity = 128 << 10

  /// An empty buffer over a file.
  init(_ file: FileBytes) {
    self.file = file
    path = file.path
    memory = .allocate(capacity: CompressedInput.capacity)
    next = memory
  }

  deinit { memory.deallocate() }

  /// Reads more when all is used. Afterwards `count` is 0 only at the end of the file.
  func refill() throws(TraceError) {
    guard count == 0, !isAtEnd else { return }
    next = memory
    count = try file.read(
      into: UnsafeMutableRawBufferPointer(start: memory, count: CompressedInput.capacity))
    isAtEnd = count == 0
  }

  /// Reads more behind what is not used; false at the end of the file.
  func extend() throws(TraceError) -> Bool {
    guard !isAtEnd else { return false }
    memory.update(from: next, count: count)
    next = memory
    let got = try file.read(
      into: UnsafeMutableRawBufferPointer(
        start: memory + count, count: CompressedInput.capacity - count))
    count += got
    isAtEnd = got == 0
    return got > 0
  }

  /// Notes that the decompressor used `used` bytes.
  func advance(_ used: Int) {
    assert(used <= count)
    next += used
    count -= used
  }

  /// The error for compressed data that stops in the middle.
  func truncated(_ kind: Compression, at offset: Int) -> TraceError {
    TraceError(
      "the \(kind.rawValue) data ends in the middle of a stream", in: path, at: .byte(offset),
      advice: "the file is truncated; download it again")
  }

  /// The error for compressed data that is not what its format allows.
  func corrupt(_ kind: Compression, at offset: Int, _ reason: String) -> TraceError {
    TraceError(
      "the \(kind.rawValue) data is corrupt (\(reason))", in: path, at: .byte(offset),
      advice: "download the file again")
  }
}
