import CBzip2
import CLZMA
import CZlib
import CZstd

/// Compression formats of files, recognised by their first bytes, independent of the name.
enum Compression: String, CaseIterable, Sendable {
  case zstd, gzip, xz, bzip2

  static func open(_ file: FileBytes) throws(TraceError) -> any ByteSource {
    switch recognise(try file.peek(6)) {
    case .zstd: try DecompressedBytes(file, ZstdDecoder(), .zstd)
    case .gzip: try DecompressedBytes(file, GzipDecoder(), .gzip)
    case .xz: try DecompressedBytes(file, XzDecoder(), .xz)
    case .bzip2: try DecompressedBytes(file, Bzip2Decoder(), .bzip2)
    case nil: file
    }
  }

  /// First bytes of a further member, after which zeros and garbage are skipped, as gzip and bzip2
  /// do with a warning; empty for decoders that take all that follows.
  fileprivate var memberMagic: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B]
    case .bzip2: [0x42, 0x5A, 0x68]
    case .zstd, .xz: []
    }
  }

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

  static let suffixes = [".zst", ".zstd", ".gz", ".gzip", ".xz", ".bz2"]

  static func baseName(ofPath path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for suffix in suffixes where name.count > suffix.count && name.lowercased().hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return name
  }
}

/// A decompressor: a step takes compressed bytes and writes decompressed ones.
private protocol Decompressor: AnyObject {
  typealias Input = UnsafeMutablePointer<UInt8>

  /// Takes up to `count` bytes from `input` and writes to `space`.
  func step(
    _ input: Input, _ count: Int, isLast: Bool, into space: UnsafeMutableRawBufferPointer
  ) -> DecompressionStep

  /// Begins another member; false if that fails.
  func restart() -> Bool
}

private struct DecompressionStep {
  var taken: Int
  var written: Int
  /// True at the end of a member.
  var hasEnded = false
  /// Fault of corrupt data.
  var problem: String?
}

/// The decompressed bytes of a file, member after member.
private final class DecompressedBytes<Decoder: Decompressor>: ByteSource {
  private(set) var remarks: [String] = []
  private let file: FileBytes
  private let decoder: Decoder
  private let kind: Compression
  private let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: DecompressedBytes.capacity)
  private var next: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var isAtEnd = false
  private var offset = 0
  /// True between two members, where the file may end.
  private var hasEnded = false
  private static var capacity: Int { 128 << 10 }

  init(_ file: FileBytes, _ decoder: Decoder?, _ kind: Compression) throws(TraceError) {
    next = memory
    guard let decoder else {
      throw TraceError("no memory for a \(kind.rawValue) decompressor", in: file.path)
    }
    (self.file, self.decoder, self.kind) = (file, decoder, kind)
  }

  deinit { memory.deallocate() }

  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    while true {
      if hasEnded {
        guard try findsMore() else { return 0 }
        guard decoder.restart() else { throw corrupt("cannot reset the decompressor") }
        hasEnded = false
      }
      if count == 0 { try refill() }
      let step = decoder.step(next, count, isLast: isAtEnd, into: space)
      use(step.taken)
      offset += step.written
      if let problem = step.problem { throw corrupt(problem) }
      hasEnded = step.hasEnded
      if step.written > 0 { return step.written }
      if isAtEnd, !hasEnded {
        throw TraceError(
          "the \(kind.rawValue) data ends in the middle of a stream", in: file.path,
          at: .byte(offset), advice: "the file is truncated; download it again")
      }
    }
  }

  private func corrupt(_ reason: String) -> TraceError {
    TraceError(
      "the \(kind.rawValue) data is corrupt (\(reason))", in: file.path, at: .byte(offset),
      advice: "download the file again")
  }

  private func use(_ used: Int) {
    next += used
    count -= used
  }

  private func refill() throws(TraceError) {
    guard !isAtEnd else { return }
    memory.update(from: next, count: count)
    next = memory
    let got = try file.read(
      into: UnsafeMutableRawBufferPointer(start: memory + count, count: Self.capacity - count))
    count += got
    isAtEnd = got == 0
  }

  private func findsMore() throws(TraceError) -> Bool {
    let magic = kind.memberMagic
    if count == 0 { try refill() }
    if magic.isEmpty { return count > 0 }
    while count > 0, next.pointee == 0 {
      use(1)
      if count == 0 { try refill() }
    }
    while count > 0, count < magic.count, !isAtEnd { try refill() }
    // A member cut within its first bytes is a truncated one.
    let head = UnsafeBufferPointer(start: next, count: min(count, magic.count))
    if count > 0, head.elementsEqual(magic.prefix(head.count)) { return true }
    var rubbish = 0
    while count > 0 {
      rubbish += count
      use(count)
      try refill()
    }
    if rubbish > 0 {
      remarks.append(
        "\(rubbish) bytes behind the end of the \(kind.rawValue) data in \(file.path) were "
          + "ignored: they are not \(kind.rawValue).")
    }
    return false
  }
}

private final class GzipDecoder: Decompressor {
  /// On the heap because zlib keeps its address.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  init?() {
    stream.initialize(to: z_stream())
    // 15 is the largest window; adding 16 selects the gzip header and its checksum.
    let result = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    if result != Z_OK { return nil }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func step(
    _ input: Input, _ count: Int, isLast: Bool, into space: UnsafeMutableRawBufferPointer
  ) -> DecompressionStep {
    let room = UInt32(clamping: space.count)
    stream.pointee.next_in = input
    stream.pointee.avail_in = UInt32(count)
    stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = room
    let result = inflate(stream, Z_NO_FLUSH)
    let isWrong = ![Z_STREAM_END, Z_OK, Z_BUF_ERROR].contains(result)
    let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(result)"
    return DecompressionStep(
      taken: count - Int(stream.pointee.avail_in), written: Int(room - stream.pointee.avail_out),
      hasEnded: result == Z_STREAM_END, problem: isWrong ? reason : nil)
  }

  func restart() -> Bool { inflateReset(stream) == Z_OK }
}

private final class ZstdDecoder: Decompressor {
  private let stream: OpaquePointer

  init?() {
    guard let stream = ZSTD_createDStream() else { return nil }
    self.stream = stream
    // Windows up to 2 GiB, as `zstd --long=31` writes them; memory is allocated on demand.
    _ = ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 31)
  }

  deinit { _ = ZSTD_freeDStream(stream) }

  func restart() -> Bool { true }

  func step(
    _ input: Input, _ count: Int, isLast: Bool, into space: UnsafeMutableRawBufferPointer
  ) -> DecompressionStep {
    var from = ZSTD_inBuffer(src: input, size: count, pos: 0)
    var into = ZSTD_outBuffer(dst: space.baseAddress, size: space.count, pos: 0)
    let result = ZSTD_decompressStream(stream, &into, &from)
    let isWrong = ZSTD_isError(result) != 0
    return DecompressionStep(
      taken: from.pos, written: into.pos, hasEnded: result == 0,
      problem: isWrong ? String(cString: ZSTD_getErrorName(result)) : nil)
  }
}

private final class XzDecoder: Decompressor {
  /// On the heap so that its address is stable.
  private let stream = UnsafeMutablePointer<lzma_stream>.allocate(capacity: 1)

  init?() {
    stream.initialize(to: lzma_stream())
    // A forged header must not exhaust the machine; xz needs at most 1.5 GiB.
    let result = lzma_stream_decoder(stream, 2 << 30, UInt32(larder_lzma_concatenated))
    if result != LZMA_OK { return nil }
  }

  deinit {
    lzma_end(stream)
    stream.deallocate()
  }

  func restart() -> Bool { true }

  func step(
    _ input: Input, _ count: Int, isLast: Bool, into space: UnsafeMutableRawBufferPointer
  ) -> DecompressionStep {
    stream.pointee.next_in = UnsafePointer(input)
    stream.pointee.avail_in = count
    stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = space.count
    let result = lzma_code(stream, isLast ? LZMA_FINISH : LZMA_RUN)
    let problem: String? =
      switch result {
      case LZMA_OK, LZMA_STREAM_END, LZMA_BUF_ERROR: nil
      case LZMA_DATA_ERROR: "bad data or checksum"
      case LZMA_FORMAT_ERROR: "not an xz stream"
      case LZMA_OPTIONS_ERROR: "options not supported by this liblzma"
      case LZMA_MEM_ERROR: "no memory for its dictionary"
      case LZMA_MEMLIMIT_ERROR: "its dictionary needs more than 2 GiB"
      default: "liblzma error \(result.rawValue)"
      }
    return DecompressionStep(
      taken: count - stream.pointee.avail_in, written: space.count - stream.pointee.avail_out,
      hasEnded: result == LZMA_STREAM_END, problem: problem)
  }
}

private final class Bzip2Decoder: Decompressor {
  /// On the heap because libbz2 keeps its address.
  private let stream = UnsafeMutablePointer<bz_stream>.allocate(capacity: 1)

  init?() {
    stream.initialize(to: bz_stream())
    if BZ2_bzDecompressInit(stream, 0, 0) != BZ_OK { return nil }
  }

  deinit {
    BZ2_bzDecompressEnd(stream)
    stream.deallocate()
  }

  func step(
    _ input: Input, _ count: Int, isLast: Bool, into space: UnsafeMutableRawBufferPointer
  ) -> DecompressionStep {
    let room = UInt32(clamping: space.count)
    input.withMemoryRebound(to: CChar.self, capacity: count) { stream.pointee.next_in = $0 }
    stream.pointee.avail_in = UInt32(count)
    stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: CChar.self)
    stream.pointee.avail_out = room
    let result = BZ2_bzDecompress(stream)
    let problem: String? =
      switch result {
      case BZ_OK, BZ_STREAM_END: nil
      case BZ_DATA_ERROR: "bad data or checksum"
      case BZ_DATA_ERROR_MAGIC: "not a bzip2 stream"
      case BZ_MEM_ERROR: "no memory for its blocks"
      default: "libbz2 error \(result)"
      }
    return DecompressionStep(
      taken: count - Int(stream.pointee.avail_in), written: Int(room - stream.pointee.avail_out),
      hasEnded: result == BZ_STREAM_END, problem: problem)
  }

  func restart() -> Bool {
    BZ2_bzDecompressEnd(stream)
    stream.initialize(to: bz_stream())
    return BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK
  }
}
