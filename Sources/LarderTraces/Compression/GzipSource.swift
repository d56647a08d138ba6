import CZlib

/// Decompresses gzip, member after member.
final class GzipSource: ByteSource {
  private let input: CompressedInput
  /// On the heap because zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var offset = 0
  /// Between two members, where the file may end.
  private var betweenMembers = false
  private var trailer = CompressedTrailer()

  var remarks: [String] { trailer.remarks }

  /// A decompressor of a file from its first byte.
  init(_ file: FileBytes) throws(TraceError) {
    input = CompressedInput(file)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 is the largest window, 16 asks for the gzip header and its checksum.
    let result = inflateInit2_(
      stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else {
      throw TraceError("no memory for a gzip decompressor", in: file.path)
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    let room = UInt32(clamping: space.count)
    while true {
      if betweenMembers {
        guard try trailer.findsMore(in: input, magic: [0x1F, 0x8B], of: .gzip) else { return 0 }
        guard inflateReset(stream) == Z_OK else {
          throw input.corrupt(.gzip, at: offset, "the decompressor cannot be reset")
        }
        betweenMembers = false
      }
      try input.refill()
      let available = UInt32(input.count)
      stream.pointee.next_in = input.next
      stream.pointee.avail_in = available
      stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = room
      let result = inflate(stream, Z_NO_FLUSH)
      input.advance(Int(available - stream.pointee.avail_in))
      let produced = Int(room - stream.pointee.avail_out)
      offset += produced
      switch result {
      case Z_STREAM_END: betweenMembers = true
      case Z_OK, Z_BUF_ERROR: break
      default:
        let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(result)"
        throw input.corrupt(.gzip, at: offset, reason)
      }
      if produced > 0 { return produced }
      if input.isAtEnd && !betweenMembers { throw input.truncated(.gzip, at: offset) }
    }
  }
}
