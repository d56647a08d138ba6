/// Reads a file of fixed-width records piece by piece, for threads that take turns.
///
/// Whatever goes wrong is told with the piece that it concerns, so that it comes up when all before
/// that has been used.
final class PieceReader {
  private let decoder: any FixedWidthDecoder
  private let part: FilePart
  private var opened: (file: FileBytes, reader: ByteReader)?
  private var next = 0
  private var isAtEnd = false

  /// A reader at the beginning of a file; nil where it is not of fixed-width records.
  init?(_ part: FilePart) {
    guard let decoder = part.decoder as? any FixedWidthDecoder else { return nil }
    self.decoder = decoder
    self.part = part
  }

  /// Reads the next piece; false at the end of the file. To be called by one thread at a time.
  func read(_ piece: RecordPiece) -> Bool {
    guard !isAtEnd else { return false }
    do {
      let (file, reader) = try open()
      piece.origin = (decoder, reader.path, reader.offset)
      let bytes = try reader.take(into: piece.space(forRecordsOf: decoder.recordSize))
      piece.begin(number: next, bytes: bytes)
      piece.bytesRead = file.offset
      isAtEnd = reader.isAtEnd
      if bytes == 0 { return false }
    } catch {
      piece.begin(number: next, bytes: 0)
      piece.failure = error
      isAtEnd = true
    }
    next += 1
    return true
  }

  private func open() throws -> (file: FileBytes, reader: ByteReader) {
    if let opened { return opened }
    let (file, reader) = try part.reader()
    try decoder.begin(reader)
    opened = (file, reader)
    return (file, reader)
  }
}
