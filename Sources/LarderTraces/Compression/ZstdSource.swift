import CZstd

/// Decompresses zstd, frame after frame.
final class ZstdSource: ByteSource {
  private let input: CompressedInput
  private let stream: OpaquePointer
  private var offset = 0
  /// What the decoder said last: 0 at the end of a frame.
  private var pending = 0

  /// Allows windows up to 2 GiB, as `zstd --long=31` writes them; memory is taken as data asks.
  private static let windowLogMaximum: Int32 = 31

  /// A decompressor of a file from its first byte.
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
      // At the end of the file a frame that has ended must not be poked: it would begin another.
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
