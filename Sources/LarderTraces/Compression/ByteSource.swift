/// A stream of bytes that is read once, from the beginning: a file, or what a decompressor makes of
/// one.
protocol ByteSource: AnyObject {
  /// Puts the next bytes at the start of `space` and returns how many there were; 0 at the end.
  ///
  /// `space` must not be empty. Errors give the offset in the bytes that this source hands out.
  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int

  /// Sentences on what was passed over, once the source has been read to its end.
  var remarks: [String] { get }
}

extension ByteSource {
  /// Empty by default.
  var remarks: [String] { [] }
}
