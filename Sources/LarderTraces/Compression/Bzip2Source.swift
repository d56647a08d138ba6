import CBzip2

/// Decompresses bzip2, stream after stream.
final class Bzip2Source: ByteSource {
  private let input: CompressedInput
  /// On the heap because libbz2 keeps its address.
  private let stream: UnsafeMutablePointer<bz_stream>
  private var offset = 0
  /// Between two streams, where the file may end.
  private var betweenStreams = false
  private var trailer = CompressedTrailer()

  var remarks: [String] { trailer.remarks }

  /// A decompressor of a file from its first byte.
  init(_ file: FileBytes) throws(TraceError) {
    input = CompressedInput(file)
    stream = .allocate(capacity: 1)
    stream.initialize(to: bz_stream())
    try begin()
  }

  deinit {
    BZ2_bzDecompressEnd(stream)
    stream.deallocate()
  }

  private func begin() throws(TraceError) {
    guard BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else {
      throw TraceError("no memory for a bzip2 decompressor", in: input.path)
    }
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    let room = UInt32(clamping: space.count)
    while true {
      if betweenStreams {
        guard try trailer.findsMore(in: input, magic: [0x42, 0x5A, 0x68], of: .bzip2) else {
          return 0
        }
        BZ2_bzDecompressEnd(stream)
        stream.initialize(to: bz_stream())
        try begin()
        betweenStreams = false
      }
      try input.refill()
      let available = UInt32(input.count)
      input.next.withMemoryRebound(to: CChar.self, capacity: input.count) {
        stream.pointee.next_in = $0
      }
      stream.pointee.avail_in = available
      stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: CChar.self)
      stream.pointee.avail_out = room
      let result = BZ2_bzDecompress(stream)
      input.advance(Int(available - stream.pointee.avail_in))
      let produced = Int(room - stream.pointee.avail_out)
      offset += produced
      switch result {
      case BZ_STREAM_END: betweenStreams = true
      case BZ_OK: break
      default: throw input.corrupt(.bzip2, at: offset, Bzip2Source.reason(result))
      }
      if produced > 0 { return produced }
      if input.isAtEnd && !betweenStreams { throw input.truncated(.bzip2, at: offset) }
    }
  }

  private static func reason(_ result: Int32) -> String {
    switch result {
    case BZ_DATA_ERROR: "bad data or checksum"
    case BZ_DATA_ERROR_MAGIC: "not a bzip2 stream"
    case BZ_MEM_ERROR: "no memory for its blocks"
    default: "libbz2 error \(result)"
    }
  }
}
