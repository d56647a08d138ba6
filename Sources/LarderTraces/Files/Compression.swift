import CBzip2
import CLZMA
import CZlib
import CZstd

/// Compression formats of files, recognised by their first bytes, independent of the name.
enum Compression: String, CaseIterable, Sendable {
  /// RFC 8878.
  case zstd
  /// RFC 1952.
  case gzip
  /// The .xz format of XZ Utils.
  case xz
  /// The format of bzip2 1.0.
  case bzip2

  /// Returns the bytes of a file, decompressed if its first bytes are those of a compressed format.
  static func open(_ file: FileBytes) throws(TraceError) -> any ByteSource {
    switch recognise(try file.peek(6)) {
    case .zstd: try ZstdSource(file)
    case .gzip: try GzipSource(file)
    case .xz: try XzSource(file)
    case .bzip2: try Bzip2Source(file)
    case nil: file
    }
  }

  /// Returns the compression format that the first bytes indicate; nil for none that is supported.
  static func recognise(_ head: [UInt8]) -> Compression? {
    if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
    // Skippable frames, which parallel compressors put first: 184D2A50 to 184D2A5F, little-endian.
    if head.count >= 4, head[0] & 0xF0 == 0x50, head[1...3].elementsEqual([0x2A, 0x4D, 0x18]) {
      return .zstd
    }
    if head.starts(with: [0x1F, 0x8B]) { return .gzip }
    if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return .xz }
    // The block size is followed by the magic number of a block or of the end of the stream.
    if head.count >= 6, head.starts(with: Array("BZh".utf8)), (0x31...0x39).contains(head[3]),
      head[4...5].elementsEqual([0x31, 0x41]) || head[4...5].elementsEqual([0x17, 0x72])
    {
      return .bzip2
    }
    return nil
  }

  /// Usual suffixes of compressed files.
  static let suffixes = [".zst", ".zstd", ".gz", ".gzip", ".xz", ".bz2"]

  /// File name without folders and without the suffix of a compressed format.
  static func baseName(ofPath path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for suffix in suffixes where name.count > suffix.count && name.lowercased().hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return name
  }
}

/// Input buffer of a decompressor.
final class CompressedInput {
  /// Path for error messages.
  let path: String
  /// Address of the next unused byte.
  private(set) var next: UnsafeMutablePointer<UInt8>
  /// Number of unused bytes from `next` on.
  private(set) var count = 0
  private(set) var isAtEnd = false

  private let file: FileBytes
  private let memory: UnsafeMutablePointer<UInt8>
  private static let capacity = 128 << 10

  init(_ file: FileBytes) {
    self.file = file
    path = file.path
    memory = .allocate(capacity: CompressedInput.capacity)
    next = memory
  }

  deinit { memory.deallocate() }

  /// Reads more when all bytes are used. Afterwards `count` is 0 only at the end of the file.
  func refill() throws(TraceError) {
    guard count == 0, !isAtEnd else { return }
    next = memory
    count = try file.read(
      into: UnsafeMutableRawBufferPointer(start: memory, count: CompressedInput.capacity))
    isAtEnd = count == 0
  }

  /// Reads more bytes after the unused ones; false at the end of the file.
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

  /// Records that the decompressor used `used` bytes.
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

/// Bytes after the end of compressed data: another member, zero padding of a tape or disk, or
/// garbage, which gzip and bzip2 skip with a warning.
struct CompressedTrailer {
  /// Notes on skipped bytes.
  private(set) var remarks: [String] = []

  /// True if another member follows, possibly after zeros. Anything else is skipped.
  mutating func findsMore(
    in input: CompressedInput, magic: [UInt8], of kind: Compression
  ) throws(TraceError) -> Bool {
    var zeros = 0
    try input.refill()
    while input.count > 0, input.next.pointee == 0 {
      zeros += 1
      input.advance(1)
      try input.refill()
    }
    while input.count > 0, input.count < magic.count, try input.extend() {}
    if input.count > 0 {
      let head = UnsafeBufferPointer(start: input.next, count: min(input.count, magic.count))
      // A member cut within its first bytes is a truncated one.
      if head.elementsEqual(magic.prefix(head.count)) { return true }
    }
    var rubbish = 0
    while input.count > 0 {
      rubbish += input.count
      input.advance(input.count)
      try input.refill()
    }
    if rubbish > 0 {
      remarks.append(
        "\(rubbish) bytes behind the end of the \(kind.rawValue) data in \(input.path) were "
          + "ignored: they are not \(kind.rawValue).")
    }
    return false
  }
}

/// Decompresses gzip, member after member.
final class GzipSource: ByteSource {
  private let input: CompressedInput
  /// On the heap because zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var offset = 0
  /// True between two members, where the file may end.
  private var betweenMembers = false
  private var trailer = CompressedTrailer()

  var remarks: [String] { trailer.remarks }

  init(_ file: FileBytes) throws(TraceError) {
    input = CompressedInput(file)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 is the largest window; adding 16 selects the gzip header and its checksum.
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
          throw input.corrupt(.gzip, at: offset, "cannot reset the decompressor")
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

/// Decompresses zstd, frame after frame.
final class ZstdSource: ByteSource {
  private let input: CompressedInput
  private let stream: OpaquePointer
  private var offset = 0
  /// Last result of the decoder; 0 at the end of a frame.
  private var pending = 0

  /// Allows windows up to 2 GiB, as `zstd --long=31` writes them; memory is allocated on demand.
  private static let windowLogMaximum: Int32 = 31

  init(_ file: FileBytes) throws(TraceError) {
    guard let stream = ZSTD_createDStream() else {
      throw TraceError("no memory for a zstd decompressor", in: file.path)
    }
    self.stream = stream
    input = CompressedInput(file)
    _ = ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, ZstdSource.windowLogMaximum)
  }

  deinit { _ = ZSTD_freeDStream(stream) }

  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    while true {
      try input.refill()
      var from = ZSTD_inBuffer(src: input.next, size: input.count, pos: 0)
      var into = ZSTD_outBuffer(dst: space.baseAddress, size: space.count, pos: 0)
      // A finished frame must not be continued at the end of the file: that would begin another.
      if input.isAtEnd && pending == 0 { return 0 }
      let result = ZSTD_decompressStream(stream, &into, &from)
      if ZSTD_isError(result) != 0 {
        throw input.corrupt(.zstd, at: offset, String(cString: ZSTD_getErrorName(result)))
      }
      pending = result
      input.advance(from.pos)
      offset += into.pos
      if into.pos > 0 { return into.pos }
      if input.isAtEnd && pending != 0 { throw input.truncated(.zstd, at: offset) }
    }
  }
}

/// Decompresses xz, stream after stream.
final class XzSource: ByteSource {
  private let input: CompressedInput
  /// On the heap so that its address is stable.
  private let stream: UnsafeMutablePointer<lzma_stream>
  private var offset = 0
  private var hasEnded = false

  /// Memory limit of the decoder: the largest dictionary that xz writes needs 1.5 GiB, and a forged
  /// header must not exhaust the machine.
  private static let memoryLimit: UInt64 = 2 << 30

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

/// Decompresses bzip2, stream after stream.
final class Bzip2Source: ByteSource {
  private let input: CompressedInput
  /// On the heap because libbz2 keeps its address.
  private let stream: UnsafeMutablePointer<bz_stream>
  private var offset = 0
  /// True between two streams, where the file may end.
  private var betweenStreams = false
  private var trailer = CompressedTrailer()

  var remarks: [String] { trailer.remarks }

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
