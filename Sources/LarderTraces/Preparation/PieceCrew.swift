import CLarderShims
import LarderEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Threads that read, decode and look up pieces of a trace, each a piece of its own, while the
/// caller's thread puts them together in order and does the same when no piece is due.
///
/// Only the caller's thread numbers new objects, tells progress and throws: everything is where it
/// would be without the others, and the trace does not depend on how many there are.
final class PieceCrew: @unchecked Sendable {
  // Unchecked: what is below the lock is changed under it; a piece belongs to one thread, from when
  // it is taken until it is put among the ready or idle ones. The reader is used under its lock.
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

  /// Records of a piece: its bytes and records fit into an L2 cache.
  static let recordsDefault = 8192
  /// Pieces for each thread.
  private static let piecesPerThread = 4
  /// More threads than this have nothing to do: one puts all pieces together.
  static let threadsMax = 8
  /// Looks at a lock that is held for some microseconds before going to sleep.
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

  /// Hands all pieces to `use`, in order, in this thread; `threads` work on them, this one among
  /// them. The others have ended when this returns.
  ///
  /// - Throws: what is wrong with a piece, and what `use` throws.
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

  /// What the other threads do.
  private func help() {
    while let piece = withLock({ takeIdle(isWaiting: true) }) {
      if !work(on: piece) { return }
    }
  }

  /// The piece that is due; nil behind the last.
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

  /// A piece to work on; nil when there is nothing more to read.
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

  /// Reads and decodes a piece; false behind the last.
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
      // Whoever waits, waits for the piece that is due, or for the end.
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

  @inline(__always)
  private func withLock<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }
}
