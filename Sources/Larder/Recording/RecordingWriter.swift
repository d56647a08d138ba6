import LarderEngine
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The thread that takes what caches note out of their rings and writes it to a file.
///
/// Whatever the disk does, caches go on: what finds no room in a ring, and blocks that cannot be
/// written, are counted and lost.
final class RecordingWriter: @unchecked Sendable {
  // Unchecked: what is not a constant or behind a lock is used by the writing thread alone.

  /// What a writer begins with.
  struct Setup: Sendable {
    var file: any RecordingFile
    var header: RecordedHeader
    var clock: any CacheClock
    var memory: RecordMemory
    /// How many gets the cache has counted; called while the cache is there.
    var gets: @Sendable () -> UInt64
    /// Takes the texts of keys that were seen for the first time.
    var texts: @Sendable () -> [(hash: UInt64, text: String)]
  }

  private struct State {
    var statistics = RecordingStatistics()
    var gets: (@Sendable () -> UInt64)?
    /// What `gets` gave when it was last asked.
    var getsSeen: UInt64 = 0
  }

  private let setup: Setup
  private let state: Locked<State>
  private let isEnding = Atomic<Bool>(false)
  private let ended = RecordAlarm()
  private let hash = SipHash()
  private let threshold: UInt64
  private let beganAt: UInt64
  private let lostBefore: UInt64
  private var offset: UInt64 = 0
  private var lastWrite: UInt64 = 0
  private var lost: UInt64 = 0

  /// Milliseconds between two looks at the rings, which is how exact the times of gets are: while
  /// there is something in them, and otherwise.
  private static let pause = (busy: 5, idle: 50)
  /// Microseconds after which a block is written even if it is not full.
  private static let blockAge: UInt64 = 1_000_000

  /// Writes the header, and begins.
  ///
  /// - Throws: `file` or `noThread`.
  init(_ setup: Setup) throws(RecordingError) {
    self.setup = setup
    threshold = setup.header.threshold
    var first = State()
    first.getsSeen = setup.gets()
    first.gets = setup.gets
    first.statistics.bytes = UInt64(RecordedHeader.length)
    state = Locked(first)
    beganAt = setup.clock.nowMicroseconds
    setup.memory.rings.now.pointee.store(beganAt, ordering: .relaxed)
    // What threads noted after an earlier recording was stopped.
    var drain = RecordDrain(setup.memory.rings)
    drain.discard()
    lostBefore = Self.lost(setup.memory.rings)
    do throws(FileFailure) {
      try write(setup.header.encoded)
    } catch {
      throw .file(message: "\(error)")
    }
    guard WriterThread.start({ self.run() }) else {
      try? setup.file.close(at: offset)
      throw .noThread
    }
  }

  /// What was done so far.
  var statistics: RecordingStatistics { state.withLock { $0.statistics } }

  /// Counts the gets for the last time: the cache goes. Does not wait for the disk.
  func detach() {
    state.withLock { state in
      Self.countGets(&state)
      state.gets = nil
    }
    isEnding.store(true, ordering: .sequentiallyConsistent)
    setup.memory.alarm.ring()
  }

  /// Waits until everything is written. From any number of threads.
  func wait() {
    var patience = Patience()
    while !statistics.hasEnded { patience.wait() }
  }

  /// Waits until what was noted so far has been taken out of the rings.
  func catchUp() {
    let rings = setup.memory.rings
    var patience = Patience()
    let heads = (0..<rings.count).map { rings.ring($0).head.pointee.load(ordering: .acquiring) }
    for (index, head) in heads.enumerated() {
      let tail = rings.ring(index).tail
      // Modulo 2^32, and no ring is half as long.
      while !statistics.hasEnded, tail.pointee.load(ordering: .acquiring) &- head >= 1 << 31 {
        setup.memory.alarm.ring()
        patience.wait()
      }
    }
  }

  private static func countGets(_ state: inout State) {
    guard let gets = state.gets?() else { return }
    // Fewer than before: they were reset meanwhile.
    state.statistics.gets += gets >= state.getsSeen ? gets - state.getsSeen : gets
    state.getsSeen = gets
  }

  private static func lost(_ rings: RecordRings) -> UInt64 {
    (0..<rings.count).reduce(0) { $0 + rings.ring($1).lost.pointee.load(ordering: .relaxed) }
  }

  // MARK: In the thread

  private func run() {
    var isBusy = true
    // Not a property: each access to one is checked.
    var builder = RecordedBlockBuilder()
    while true {
      let isLast = isEnding.load(ordering: .sequentiallyConsistent)
      let pause = isBusy ? Self.pause.busy : Self.pause.idle
      if !isLast { setup.memory.alarm.wait(milliseconds: pause) }
      let now = setup.clock.nowMicroseconds
      setup.memory.rings.now.pointee.store(now, ordering: .relaxed)
      var drain = RecordDrain(setup.memory.rings)
      isBusy = !drain.isEmpty
      writeTexts()
      drain.takeAll { add($0, to: &builder) }
      let isOld = now &- lastWrite >= Self.blockAge
      if builder.count > 0, isOld || isLast { writeBlock(&builder) }
      if builder.count == 0, isOld { lastWrite = now }
      if isLast { return finish(now) }
    }
  }

  private func add(_ unit: RecordUnit, to builder: inout RecordedBlockBuilder) {
    // A thread that was late may have noted a key of an earlier recording.
    guard UInt64(UInt32(truncatingIfNeeded: unit.hash)) < threshold else { return }
    let (key, time) = (hash.hash(unit.hash), unit.time - min(unit.time, beganAt))
    let isFull: Bool
    if unit.isGet, !unit.hasMore {
      isFull = builder.add(get: key, time: time, isHit: unit.isHit)
    } else {
      builder.add(
        RecordedEvent(
          key: key, time: time, kind: unit.kind, outcome: unit.outcome, size: unit.size,
          lifetime: unit.lifetime == 0 ? nil : UInt64(unit.lifetime),
          cost: unit.cost == 1 ? nil : unit.cost))
      isFull = builder.isFull
    }
    if isFull { writeBlock(&builder) }
  }

  private func writeTexts() {
    guard setup.header.keys == .plain else { return }
    let texts = setup.texts().map { (key: hash.hash($0.hash), text: $0.text) }
    for block in RecordedBlockBuilder.texts(texts) { writeOrDrop(block, events: 0) }
  }

  private func writeBlock(_ builder: inout RecordedBlockBuilder) {
    let events = UInt64(builder.count)
    let gets = state.withLock { state in
      Self.countGets(&state)
      return state.statistics.gets
    }
    let lost = lost &+ Self.lost(setup.memory.rings) &- lostBefore
    writeOrDrop(builder.take(gets: gets, lost: lost), events: events)
    lastWrite = setup.clock.nowMicroseconds
  }

  private func writeOrDrop(_ block: [UInt8], events: UInt64) {
    var failure: FileFailure?
    do throws(FileFailure) {
      try write(block)
    } catch {
      failure = error
      lost += events
    }
    let lost = lost &+ Self.lost(setup.memory.rings) &- lostBefore
    state.withLock { [failure, offset] state in
      state.statistics.lost = lost
      state.statistics.bytes = offset
      if let failure {
        state.statistics.droppedBlocks += 1
        state.statistics.error = "\(failure)"
      } else {
        state.statistics.written += events
        state.statistics.blocks += 1
      }
    }
  }

  /// Writes behind everything that was written; what fails is written over by what comes next.
  private func write(_ bytes: [UInt8]) throws(FileFailure) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in try setup.file.write(bytes, at: offset) }
    }
    try result.get()
    offset += UInt64(bytes.count)
  }

  private func finish(_ now: UInt64) {
    let gets = statistics.gets
    let lost = lost &+ Self.lost(setup.memory.rings) &- lostBefore
    writeOrDrop(
      RecordedBlockBuilder.end(time: now - min(now, beganAt), gets: gets, lost: lost), events: 0)
    var failure: FileFailure?
    do throws(FileFailure) { try setup.file.close(at: offset) } catch { failure = error }
    state.withLock { [failure] state in
      if let failure { state.statistics.error = "\(failure)" }
      state.statistics.hasEnded = true
    }
  }
}
