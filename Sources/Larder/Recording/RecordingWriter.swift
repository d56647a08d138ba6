import CLarderShims
import Dispatch
import LarderEngine
import LarderLibc
import Synchronization

/// The thread that reads operations from the rings of caches and writes them to a file.
///
/// Caches continue whatever the disk does: operations without room in a ring, and blocks that
/// cannot be written, are counted and lost.
final class RecordingWriter: @unchecked Sendable {
  // Unchecked: state that is neither constant nor locked belongs to the writing thread.

  struct Setup: Sendable {
    var file: any RecordingFile
    var header: RecordedHeader
    var clock: any CacheClock
    var memory: RecordMemory
    var texts: @Sendable () -> [(hash: UInt64, text: String)]
  }

  private struct State {
    var statistics = RecordingStatistics()
    /// Nil once the recording ends, as it may hold the cache.
    var gets: (@Sendable () -> UInt64)?
    var getsSeen: UInt64 = 0
  }

  private let setup: Setup
  private let state: Locked<State>
  private let isEnding = Atomic<Bool>(false)
  private let hash = SipHash()
  private let threshold: UInt64
  private let beganAt: UInt64
  private let lostBefore: UInt64
  private var offset: UInt64 = 0
  private var lastWrite: UInt64 = 0
  private var lost: UInt64 = 0

  private static let pause = (busy: 5, idle: 50)
  private static let blockAge: UInt64 = 1_000_000

  init(_ setup: Setup, gets: @escaping @Sendable () -> UInt64) throws(RecordingError) {
    self.setup = setup
    threshold = setup.header.threshold
    var first = State()
    first.getsSeen = gets()
    first.gets = gets
    first.statistics.bytes = UInt64(RecordedHeader.length)
    state = Locked(first)
    beganAt = setup.clock.time
    setup.memory.rings.now.pointee.store(beganAt, ordering: .relaxed)
    // Operations recorded after an earlier recording was stopped.
    var drain = RecordDrain(setup.memory.rings)
    drain.discard()
    lostBefore = Self.lost(setup.memory.rings)
    do throws(FileFailure) {
      try write(setup.header.encoded)
    } catch {
      setup.file.discard()
      throw .file(message: "\(error)")
    }
    guard let thread = JoinedThread({ self.run() }) else {
      setup.file.discard()
      throw .noThread
    }
    thread.detach()
  }

  var statistics: RecordingStatistics { state.withLock { $0.statistics } }

  func detach() {
    state.withLock { state in
      Self.countGets(&state)
      state.gets = nil
    }
    isEnding.store(true, ordering: .sequentiallyConsistent)
    setup.memory.alarm.ring()
  }

  func wait() {
    var patience = Patience()
    while !statistics.hasEnded { patience.wait() }
  }

  func catchUp() {
    let rings = setup.memory.rings
    var patience = Patience()
    let heads = (0..<rings.count).map { rings.ring($0).head.pointee.load(ordering: .acquiring) }
    for (index, head) in heads.enumerated() {
      let tail = rings.ring(index).tail
      // Modulo 2^32; no ring is half that long.
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

  // MARK: On the writing thread

  private func run() {
    #if canImport(Darwin)
      pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
    #endif
    var isBusy = true
    // A local variable, because each access to a property is checked for exclusivity.
    var builder = RecordedBlockBuilder()
    while true {
      let isLast = isEnding.load(ordering: .sequentiallyConsistent)
      let pause = isBusy ? Self.pause.busy : Self.pause.idle
      if !isLast { setup.memory.alarm.wait(milliseconds: pause) }
      let now = setup.clock.time
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
    // A late thread may have recorded a key of an earlier recording.
    guard UInt64(UInt32(truncatingIfNeeded: unit.hash)) < threshold else { return }
    let (key, time) = (hash.hash(unit.hash), unit.time - min(unit.time, beganAt))
    let isFull: Bool
    if unit.isGet, !unit.hasMore {
      isFull = builder.add(get: key, time: time, isHit: unit.isHit)
    } else {
      builder.add(
        RecordedEvent(
          key: key, time: time, kind: unit.kind, outcome: unit.outcome, size: unit.size,
          lifetime: unit.lifetime == 0 ? nil : unit.lifetime,
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
    lastWrite = setup.clock.time
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

/// Reads all operations from the rings, in order of time as far as it is known.
///
/// Each ring is in order. Times of gets are those at which the writer last read the clock, so at
/// equal times a ring with a get comes first: the set that follows a miss comes after it.
struct RecordDrain {
  private var stretches: [RecordStretch] = []

  init(_ rings: RecordRings) {
    for index in 0..<rings.count {
      if let stretch = RecordStretch(rings.ring(index)) { stretches.append(stretch) }
    }
  }

  var isEmpty: Bool { stretches.isEmpty }

  mutating func takeAll(_ body: (RecordUnit) -> Void) {
    while !stretches.isEmpty {
      var (first, limit) = (0, UInt64.max)
      for place in stretches.indices.dropFirst() {
        let order = stretches[place].order
        if order < stretches[first].order {
          limit = stretches[first].order
          first = place
        } else {
          limit = min(limit, order)
        }
      }
      stretches[first].take(upTo: limit, body)
      if stretches[first].isEmpty { stretches.remove(at: first) }
    }
  }

  mutating func discard() { takeAll { _ in } }
}

struct RecordStretch {
  private let ring: RecordRing
  private var next: UInt32
  private let end: UInt32
  private var unit: RecordUnit
  private var words: UInt32
  /// Time of gets, which a word before the first of them holds. The next stretch repeats it only if
  /// it changes, so the ring keeps it.
  private var time: UInt64
  private var unsaid: UInt32 = 0

  init?(_ ring: RecordRing) {
    next = ring.tail.pointee.load(ordering: .relaxed)
    end = ring.head.pointee.load(ordering: .acquiring)
    guard next != end else { return nil }
    self.ring = ring
    time = ring.drainedTime
    (unit, words) = (RecordUnit(.get, 0, time: time), 0)
    read()
  }

  var isEmpty: Bool { next == end }

  var order: UInt64 { unit.time &<< 1 | (unit.isGet ? 0 : 1) }

  mutating func take(upTo limit: UInt64, _ body: (RecordUnit) -> Void) {
    repeat {
      body(unit)
      next &+= words
      unsaid += words
      if next == end || unsaid >= ring.capacity / 8 { say() }
      if next == end { return }
      read()
    } while order <= limit
  }

  private mutating func say() {
    ring.drainedTime = time
    // Everything was read before: the store is a release, which pairs with the acquiring load in
    // `RecordRing.looksForRoom`.
    larder_end_protection(ring.tail, next)
    unsaid = 0
  }

  private mutating func read() {
    var word = ring[next]
    words = 0
    if word & RecordWord.mask == RecordWord.time {
      time = word >> 2
      word = ring[next &+ 1]
      words = 1
    }
    if word & RecordWord.mask == RecordWord.operation {
      unit = RecordUnit(in: ring, at: next &+ words)
      words += unit.words
      time = unit.time
    } else {
      unit = RecordUnit(.get, word, time: time)
      unit.outcome = word & RecordWord.mask == RecordWord.hit ? .hit : .miss
      words += 1
    }
  }
}

final class RecordAlarm: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isRung = Atomic<Bool>(false)

  init() {}

  func ring() {
    if !isRung.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
  }

  func wait(milliseconds: Int) {
    if semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success {
      isRung.store(false, ordering: .sequentiallyConsistent)
    }
  }
}

package protocol RecordingFile: AnyObject, Sendable {
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileFailure)

  func close(at length: UInt64) throws(FileFailure)

  func discard()
}

package final class SystemRecordingFile: RecordingFile {
  private let file: Int32
  private let path: String

  package init(path: String) throws(FileFailure) {
    self.path = path
    file = try SystemFiles().open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileFailure) {
    try SystemFiles().write(bytes, to: file, at: offset, path)
  }

  package func close(at length: UInt64) throws(FileFailure) {
    var failure: FileFailure?
    if ftruncate(file, off_t(length)) != 0 { failure = FileFailure("truncate", path, errno) }
    if fsync(file) != 0, failure == nil { failure = FileFailure("sync", path, errno) }
    if SystemFiles.end(file) != 0, failure == nil { failure = FileFailure("close", path, errno) }
    if let failure { throw failure }
  }

  package func discard() {
    _ = SystemFiles.end(file)
    try? SystemFiles().remove(path)
  }
}
