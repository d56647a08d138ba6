/// The bytes that some programs begin a text file with, to say how its characters are encoded.
enum ByteOrderMark {
  /// Of UTF-8, where it says nothing.
  static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Whether the bytes begin with the mark of UTF-16, of either order.
  static func isUTF16(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
  }

  /// The error for a text trace in UTF-16.
  static func utf16Error(_ path: String) -> TraceError {
    TraceError(
      "expected UTF-8 text, found UTF-16", in: path, at: .byte(0),
      advice: "convert it: iconv -f UTF-16 -t UTF-8")
  }
}
