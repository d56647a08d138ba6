import CLZMA

/// Decompresses xz, stream after stream.
final class XzSource: ByteSource {
  private let input: CompressedInput
  /// On the heap so that its address stays.
  private let stream: UnsafeMutablePointer<lzma_stream>
  private var offset = 0
  private var hasEnded = false

  /// The dictionary of a file may ask for no more memory than this: the largest that xz writes
  /// needs 1.5 GiB, and a forged header should not take the machine.
  private static let memoryLimit: UInt64 = 2 << 30

  /// A decompressor of a file from its first byte.
  init(_ file: FileBytes) throws(TraceError) {
    input = CompressedInput(file)
    stream = .allocate(capacity: 1)
    stream.initialize(to: lzma_stream())
    let result = lzma_stream_decoder(
      stream, XzSource.memoryLimit, UInt32(larder_lzma_concatenated))
    guard result == LZMA_OK else {
      throw TraceError("no memory for an xz decompressor", in: file.path)
    }
  }

  deinit {
    lzma_end(stream)
    stream.deallocate()
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    while !hasEnded {
      try input.refill()
      let available = input.count
      stream.pointee.next_in = UnsafePointer(input.next)
      stream.pointee.avail_in = available
      stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = space.count
      let result = lzma_code(stream, input.isAtEnd ? LZMA_FINISH : LZMA_RUN)
      input.advance(available - stream.pointee.avail_in)
      let produced = space.count - stream.pointee.avail_out
      offset += produced
      switch result {
      case LZMA_OK: break
      case LZMA_STREAM_END: hasEnded = true
      case LZMA_BUF_ERROR where input.isAtEnd: throw input.truncated(.xz, at: offset)
      case LZMA_BUF_ERROR: break
      default: throw input.corrupt(.xz, at: offset, XzSource.reason(result))
      }
      if produced > 0 { return produced }
    }
    return 0
  }

  private static func reason(_ result: lzma_ret) -> String {
    switch result {
    case LZMA_DATA_ERROR: "bad data or checksum"
    case LZMA_FORMAT_ERROR: "not an xz stream"
    case LZMA_OPTIONS_ERROR: "options not supported by this liblzma"
    case LZMA_MEM_ERROR: "no memory for its dictionary"
    case LZMA_MEMLIMIT_ERROR: "its dictionary needs more than 2 GiB"
    default: "liblzma error \(result.rawValue)"
    }
  }
}
