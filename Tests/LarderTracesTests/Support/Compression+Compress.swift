import CBzip2
import CLZMA
import CZlib
import CZstd

@testable import LarderTraces

extension Compression {
  /// Compresses bytes as one frame, member or stream, with a checksum.
  func compress(_ bytes: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: bytes.count + bytes.count / 2 + 1024)
    var length = 0
    switch self {
    case .zstd:
      let context = ZSTD_createCCtx()
      defer { ZSTD_freeCCtx(context) }
      ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
      length = ZSTD_compress2(context, &result, result.count, bytes, bytes.count)
    case .gzip:
      length = Compression.gzip(bytes, into: &result)
    case .xz:
      lzma_easy_buffer_encode(
        6, LZMA_CHECK_CRC64, nil, bytes, bytes.count, &result, &length, result.count)
    case .bzip2:
      var source = bytes.map { CChar(bitPattern: $0) }
      var target = [CChar](repeating: 0, count: result.count)
      var count = UInt32(target.count)
      BZ2_bzBuffToBuffCompress(&target, &count, &source, UInt32(source.count), 9, 0, 0)
      result = target.map { UInt8(bitPattern: $0) }
      length = Int(count)
    }
    return Array(result[..<length])
  }

  private static func gzip(_ bytes: [UInt8], into result: inout [UInt8]) -> Int {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    defer { stream.deallocate() }
    stream.initialize(to: z_stream())
    deflateInit2_(
      stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(stream) }
    var input = bytes
    return input.withUnsafeMutableBufferPointer { input in
      result.withUnsafeMutableBufferPointer { output in
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        deflate(stream, Z_FINISH)
        return Int(stream.pointee.total_out)
      }
    }
  }
}
