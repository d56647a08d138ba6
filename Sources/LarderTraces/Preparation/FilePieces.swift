#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file of fixed-width records, to be decoded by several threads.
struct FilePieces {
  let reader: PieceReader
  let log: ReadingLog
  let wanted: WantedRecords
  let threads: Int
  /// Records of a piece.
  let records: Int

  /// As many threads as there are processors.
  static let threadsDefault = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

  /// Hands all pieces to `use`, in order, in the caller's thread, with the keys looked up.
  func read(_ keys: SharedKeys, _ use: (RecordPiece) throws -> Void) throws {
    log.begin()
    var bytes = 0
    try PieceCrew.run(reader, keys: keys, wanted: wanted, threads: threads, records: records) {
      piece in
      log.noteRead(piece.bytesRead - bytes)
      bytes = piece.bytesRead
      wanted.sample?.note(gets: piece.gets)
      try use(piece)
    }
    var facts = ReadingFacts()
    if let sampling = wanted.sample?.takeFacts() { facts.sampling = sampling }
    log.end([facts])
  }
}
