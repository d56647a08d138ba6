/// Reads files of fixed-width records piece by piece, for threads that take turns.
///
/// Whatever goes wrong is told with the piece that it concerns, so that it comes up when all before
/// that has been used.
final class PieceReader {
  private var parts: ArraySlice<FilePart>
  private var current: (decoder: any FixedWidthDecoder, file: FileBytes, reader: ByteReader)?
  private var next = 0
  private var isAtEnd = false
  /// Bytes of the files that have been read to their end.
  private var bytesBefore = 0

  /// A reader at the beginning of the first file; nil where one is not of fixed-width records.
  init?(_ parts: [FilePart]) {
    guard parts.allSatisfy({ $0.decoder is any FixedWidthDecoder }) else { return nil }
    self.parts = parts[...]
  }

  /// Reads the next piece; false at the end of the last file. To be called by one thread at a time.
  func read(_ piece: RecordPiece) -> Bool {
    while !isAtEnd {
      do {
        guard let (decoder, file, reader) = try open() else { break }
        piece.origin = (decoder, reader.path, reader.offset)
        let bytes = try reader.take(into: piece.space(forRecordsOf: decoder.recordSize))
        piece.begin(number: next, bytes: bytes)
        piece.bytesRead = bytesBefore + file.offset
        if reader.isAtEnd {
          bytesBefore += file.offset
          current = nil
        }
        if bytes == 0 { continue }
      } catch {
        piece.begin(number: next, bytes: 0)
        piece.failure = error
        isAtEnd = true
      }
      next += 1
      return true
    }
    isAtEnd = true
    return false
  }

  private func open() throws -> (any FixedWidthDecoder, FileBytes, ByteReader)? {
    if let current { return current }
    guard let part = parts.popFirst(), let decoder = part.decoder as? any FixedWidthDecoder else {
      return nil
    }
    let (file, reader) = try part.reader()
    try decoder.begin(reader)
    current = (decoder, file, reader)
    return current
  }
}
