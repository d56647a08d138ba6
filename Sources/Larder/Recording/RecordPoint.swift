import LarderEngine
import LarderLibc
public import Synchronization

/// Recording state of a cache. Without a recording, checking costs one read of memory that does not
/// change.
@usableFromInline final class RecordPoint: Sendable {
  @usableFromInline let threshold = Atomic<UInt64>(0)
  // Address of the rings, from the first recording on. Stored before the threshold; loading it
  // acquires their contents.
  @usableFromInline let place = Atomic<UInt>(0)
  @usableFromInline let wantsTexts = Atomic<Bool>(false)
  let notesGetsOnly = Atomic<Bool>(false)
  let seed = UInt64.random(in: .min ... .max)

  private struct State {
    var memory: RecordMemory?
    var recording: CacheRecording?
    var ended: RecordingWriter?
    var arm: (@Sendable (UInt64) -> Void)?
  }

  private struct Texts {
    var seen: Set<UInt64> = []
    var fresh: [(hash: UInt64, text: String)] = []
  }

  private let state = Locked(State())
  private let texts = Locked(Texts())
  private let lock = SleepingLock()

  init() {}

  @inlinable var isOn: Bool { threshold.load(ordering: .relaxed) != 0 }

  @inlinable @inline(__always) func rings(_ hash: UInt64) -> RecordRings? {
    guard
      UInt64(UInt32(truncatingIfNeeded: hash)) < threshold.load(ordering: .relaxed),
      let place = UnsafeMutableRawPointer(bitPattern: place.load(ordering: .acquiring))
    else { return nil }
    return RecordRings(at: place)
  }

  @usableFromInline @inline(never) func keep(_ hash: UInt64, text: () -> String) {
    let hash = RecordUnit.known(hash)
    texts.withLock { texts in
      guard texts.seen.insert(hash).inserted else { return }
      texts.fresh.append((hash, text()))
    }
  }

  func note(_ unit: RecordUnit) {
    guard let rings = rings(unit.hash) else { return }
    rings.know(unit.time)
    lock.lock()
    let wakes = rings.ring(0).note(unit)
    lock.unlock()
    if wakes { rings.wake() }
  }

  // MARK: Beginning and end

  struct Plan {
    var path: String
    var sampling: Double
    var plainKeys: Bool
    var origin: RecordedHeader.Origin
    var clock: any CacheClock
    var rings = 1
    var file: (any RecordingFile)?
    var notesGetsOnly = false
    var gets: @Sendable () -> UInt64
    var arm: @Sendable (UInt64) -> Void = { _ in }
  }

  func begin(_ plan: Plan) throws(RecordingError) -> CacheRecording {
    guard let wanted = RecordedHeader.threshold(rate: plan.sampling) else {
      throw .sampling(plan.sampling)
    }
    // Rounded up, so that clearing the bits that are not recorded does not move a hash across it.
    let threshold = (wanted + RecordWord.mask) & ~RecordWord.mask
    while true {
      // Two writers would read from the same rings. Nobody else waits during this wait for the
      // disk.
      state.withLock { $0.recording == nil ? $0.ended : nil }?.wait()
      if let recording = try beginOnce(plan, threshold) { return recording }
    }
  }

  private func beginOnce(
    _ plan: Plan, _ threshold: UInt64
  ) throws(RecordingError) -> CacheRecording? {
    try state.withLock { (state) throws(RecordingError) in
      if let recording = state.recording { throw .alreadyRecording(path: recording.path) }
      if let ended = state.ended, !ended.statistics.hasEnded { return nil }
      state.ended = nil
      let memory = state.memory ?? RecordMemory(count: plan.rings)
      state.memory = memory
      let file: any RecordingFile
      if let given = plan.file { file = given } else { file = try Self.file(plan.path) }
      texts.withLock { $0 = Texts() }
      let writer = try RecordingWriter(
        RecordingWriter.Setup(
          file: file,
          header: RecordedHeader(
            threshold: threshold, began: Self.timeOfDay, origin: plan.origin,
            keys: plan.plainKeys ? .plain : .keyed),
          clock: plan.clock, memory: memory,
          // Does not capture this object, which is destroyed with its cache before the last texts
          // are written.
          texts: { [texts] in Self.takeFresh(texts) }), gets: plan.gets)
      let recording = CacheRecording(plan.path, threshold: threshold, writer, self)
      state.recording = recording
      state.arm = plan.arm
      place.store(UInt(bitPattern: memory.rings.base), ordering: .sequentiallyConsistent)
      wantsTexts.store(plan.plainKeys, ordering: .sequentiallyConsistent)
      notesGetsOnly.store(plan.notesGetsOnly, ordering: .sequentiallyConsistent)
      self.threshold.store(threshold, ordering: .sequentiallyConsistent)
      plan.arm(threshold)
      return recording
    }
  }

  private static func file(_ path: String) throws(RecordingError) -> any RecordingFile {
    // The system would see the part before it.
    if path.utf8.contains(0) { throw .file(message: "\(path.debugDescription) is not a path") }
    do throws(FileFailure) {
      return try SystemRecordingFile(path: path)
    } catch {
      throw error.number == EEXIST ? .exists(path: path) : .file(message: "\(error)")
    }
  }

  private static func takeFresh(
    _ texts: Locked<Texts>
  ) -> [(hash: UInt64, text: String)] {
    texts.withLock { texts in
      defer { texts.fresh = [] }
      return texts.fresh
    }
  }

  func end(_ recording: CacheRecording? = nil) {
    state.withLock { state in
      guard let current = state.recording, recording == nil || current === recording else {
        return
      }
      threshold.store(0, ordering: .sequentiallyConsistent)
      wantsTexts.store(false, ordering: .sequentiallyConsistent)
      texts.withLock { $0.seen = [] }
      state.arm?(0)
      state.arm = nil
      state.recording = nil
      state.ended = current.writer
      current.writer.detach()
    }
  }

  private static var timeOfDay: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }
}
