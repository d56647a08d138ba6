import CLarderShims
import LarderEngine
import LarderLibc

/// Threads that each read, decode and look up separate pieces of a trace, while the caller's thread
/// assembles them in order, and helps if no piece is due.
///
/// Only the caller's thread numbers new objects, reports progress and throws, so the result does
/// not depend on the number of threads.
final class PieceCrew: @unchecked Sendable {
  // Unchecked: the state below the lock changes only under it; a piece belongs to one thread from
  // when it is taken until it is ready or idle. The reader is used under its own lock.
  private let reader: PieceReader
  private let keys: SharedKeys
  private let wanted: WantedRecords
  private let reading = SleepingLock()
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  private var idle: [RecordPiece]
  private var ready: [RecordPiece?]
  private var due = 0
  private var taken = 0
  private var isAtEnd = false
  private var isStopped = false

  /// Records per piece: its bytes and records fit into an L2 cache.
  static let recordsDefault = 8192
  /// Pieces per thread.
  private static let piecesPerThread = 4
  /// Maximum number of useful threads, because one thread assembles all pieces.
  static let threadsMax = 8
  /// Number of spins on a lock, which is held for a few microseconds, before sleeping.
  private static let patience = 500

  private init(
    _ reader: PieceReader, _ keys: SharedKeys, _ wanted: WantedRecords, pieces: Int, records: Int
  ) {
    self.reader = reader
    self.keys = keys
    self.wanted = wanted
    idle = (0..<pieces).map { _ in RecordPiece(capacity: records) }
    ready = Array(repeating: nil, count: pieces)
    lock = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    changed.initialize(to: pthread_cond_t())
    pthread_mutex_init(lock, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    lock.deallocate()
    changed.deallocate()
  }

  /// Passes all pieces to `use`, in order, in this thread; `threads` threads, including this one,
  /// process them. The others have ended when this returns.
  ///
  /// - Throws: errors of a piece, and any error of `use`.
  static func run(
    _ reader: PieceReader, keys: SharedKeys, wanted: WantedRecords, threads: Int,
    records: Int = recordsDefault, _ use: (RecordPiece) throws -> Void
  ) throws {
    let threads = max(1, min(threads, threadsMax))
    let crew = PieceCrew(
      reader, keys, wanted, pieces: threads * piecesPerThread, records: records)
    let others = (1..<threads).compactMap { _ in JoinedThread { crew.help() } }
    defer {
      crew.stop()
      for other in others { other.join() }
    }
    while let piece = crew.next() {
      try use(piece)
      if let failure = piece.failure { throw failure }
      crew.giveBack(piece)
    }
  }

  /// Loop of the helper threads.
  private func help() {
    while let piece = withLock({ takeIdle(isWaiting: true) }) {
      if !work(on: piece) { return }
    }
  }

  /// The piece that is due; nil after the last.
  private func next() -> RecordPiece? {
    while true {
      enum Turn {
        case use(RecordPiece)
        case work(RecordPiece)
        case end, wait
      }
      let turn: Turn = withLock {
        if let piece = ready[due % ready.count] {
          ready[due % ready.count] = nil
          due += 1
          return .use(piece)
        }
        if let piece = takeIdle(isWaiting: false) { return .work(piece) }
        if isAtEnd, taken == 0 { return .end }
        pthread_cond_wait(changed, lock)
        return .wait
      }
      switch turn {
      case .use(let piece): return piece
      case .work(let piece): _ = work(on: piece)
      case .end: return nil
      case .wait: continue
      }
    }
  }

  /// An idle piece to process; nil if nothing is left to read.
  private func takeIdle(isWaiting: Bool) -> RecordPiece? {
    while !isAtEnd, !isStopped {
      if let piece = idle.popLast() {
        taken += 1
        return piece
      }
      guard isWaiting else { return nil }
      pthread_cond_wait(changed, lock)
    }
    return nil
  }

  /// Reads and decodes a piece; false after the last.
  private func work(on piece: RecordPiece) -> Bool {
    var patience = Self.patience
    while !reading.tryLock() {
      patience -= 1
      if patience == 0 {
        reading.lock()
        break
      }
      larder_pause()
    }
    let isThere = reader.read(piece)
    reading.unlock()
    if isThere { piece.decode(wanted, keys) }
    withLock {
      taken -= 1
      if isThere {
        ready[piece.number % ready.count] = piece
      } else {
        idle.append(piece)
        isAtEnd = true
      }
      // Threads wait only for the due piece or for the end.
      if !isThere || piece.number == due { pthread_cond_broadcast(changed) }
    }
    return isThere
  }

  private func giveBack(_ piece: RecordPiece) {
    withLock {
      idle.append(piece)
      pthread_cond_broadcast(changed)
    }
  }

  private func stop() {
    withLock {
      isStopped = true
      pthread_cond_broadcast(changed)
    }
  }

  @inline(__always) private func withLock<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }
}

/// A file of fixed-width records, for decoding by several threads.
struct FilePieces {
  let reader: PieceReader
  let log: ReadingLog
  let wanted: WantedRecords
  let threads: Int
  /// Records per piece.
  let records: Int

  /// One thread per processor.
  static let threadsDefault = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

  /// Passes all pieces with looked-up keys to `use`, in order, in the caller's thread.
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

/// Reads a file of fixed-width records piece by piece; threads take turns.
///
/// Errors are stored with their piece, so that they are thrown after all preceding records have
/// been used.
final class PieceReader {
  private let decoder: any FixedWidthDecoder
  private let part: FilePart
  private var opened: (file: FileBytes, reader: ByteReader)?
  private var next = 0
  private var isAtEnd = false

  /// A reader at the beginning of a file; nil if its records are not of fixed width.
  init?(_ part: FilePart) {
    guard let decoder = part.decoder as? any FixedWidthDecoder else { return nil }
    self.decoder = decoder
    self.part = part
  }

  /// Reads the next piece; false at the end of the file. Must be called by one thread at a time.
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

/// A run of consecutive records of a file, owned by one thread at a time: their bytes, the decoded
/// records, and the known ids of their objects.
final class RecordPiece {
  /// The wanted records, up to `count`.
  let records: UnsafeMutablePointer<TraceRecord>
  /// Their ids; 0 for records listed in `missing`.
  let ids: UnsafeMutablePointer<UInt32>
  /// Number of records.
  private(set) var count = 0
  /// Index in the order of the trace, from 0.
  var number = 0
  /// Gets of all objects, if the records are a sample.
  private(set) var gets: UInt64 = 0
  /// Error after the last record, if any.
  var failure: (any Error)?
  /// Bytes of the file read up to the end of this piece.
  var bytesRead = 0
  /// Decoder of the bytes, the path they are from, and their offset in the file.
  var origin: (decoder: any FixedWidthDecoder, path: String, offset: Int)?

  private let capacity: Int
  private let missingPlaces: UnsafeMutablePointer<UInt32>
  private var missingCount = 0
  private var memory: UnsafeMutableRawBufferPointer
  private var filled = 0

  init(capacity: Int) {
    self.capacity = capacity
    records = .allocate(capacity: capacity)
    ids = .allocate(capacity: capacity)
    // One more, because an index is always written and counted only if needed.
    missingPlaces = .allocate(capacity: capacity + 1)
    memory = .allocate(byteCount: 0, alignment: 64)
  }

  deinit {
    records.deallocate()
    ids.deallocate()
    missingPlaces.deallocate()
    memory.deallocate()
  }

  /// Indices of records whose keys were not found, in ascending order.
  var missing: UnsafeBufferPointer<UInt32> {
    UnsafeBufferPointer(start: missingPlaces, count: missingCount)
  }

  var batch: UnsafeBufferPointer<TraceRecord> {
    UnsafeBufferPointer(start: records, count: count)
  }

  /// Space for the bytes of up to `capacity` records of a size.
  func space(forRecordsOf size: Int) -> UnsafeMutableRawBufferPointer {
    if memory.count < capacity * size {
      memory.deallocate()
      memory = .allocate(byteCount: capacity * size, alignment: 64)
    }
    return UnsafeMutableRawBufferPointer(rebasing: memory[..<(capacity * size)])
  }

  /// Resets the piece for `bytes` bytes in its space.
  func begin(number: Int, bytes: Int) {
    self.number = number
    filled = bytes
    (count, missingCount, gets) = (0, 0, 0)
    failure = nil
  }

  /// Decodes the bytes, filters the records and looks up their keys.
  func decode(_ wanted: WantedRecords, _ keys: SharedKeys) {
    guard let (decoder, path, offset) = origin else { return }
    let (size, bytes) = (decoder.recordSize, UnsafeRawBufferPointer(memory))
    guard let first = bytes.baseAddress, filled > 0 else { return }
    let whole = filled / size
    count = decoder.decode(first, count: whole, into: records)
    let end = count * size
    if count < whole {
      failure = decoder.damage(at: first + end, in: path, offset: offset + end)
    } else if let error = decoder.leftOver(filled - end, in: path, offset: offset + end) {
      failure = error
    }
    if wanted.skipsZeroSizes { count = records.removeZeroSizes(of: count) }
    if let sample = wanted.sample { (count, gets) = sample.keep(records, count: count) }
    missingCount = keys.find(records, count: count, into: ids, missing: missingPlaces)
  }
}

/// Filter for the records of a file.
struct WantedRecords {
  /// True to skip records of size 0.
  var skipsZeroSizes = false
  /// Sample of the objects whose records are wanted; nil for all.
  var sample: ObjectSample?
}
