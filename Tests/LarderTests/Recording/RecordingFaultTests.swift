import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Full, slow or broken disks: the cache continues, and losses are counted.
@Suite(.endsInTime)
struct RecordingFaultTests {
  let folder: ScratchFolder
  let path: String

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    path = folder.path + "/traffic.recorded"
  }

  private func fill(_ cache: MemoryCache<Int, Int>, _ gets: Int) {
    for key in 0..<gets { _ = cache.value(for: key) }
  }

  /// Gets so slowly that no ring fills up.
  private func fillSlowly(_ cache: MemoryCache<Int, Int>, _ recording: CacheRecording, _ gets: Int)
  {
    for key in 0..<gets {
      _ = cache.value(for: key)
      if key % 2000 == 1999 { recording.catchUp() }
    }
  }

  /// Starting a recording may wait for the disk of the previous one; nobody else does.
  @Test func waitingForThePreviousWriterBlocksNobody() throws {
    let gate = DispatchSemaphore(value: 0)
    let file = try TestRecordingFile(path: path) { $0 == 1 ? .wait(gate) : .write }
    let cache = MemoryCache<Int, Int>(count: 100)
    let first = try cache.record(to: path, file: file)
    fill(cache, 10)
    cache.recorder.end()
    let group = DispatchGroup()
    let second = Locked<CacheRecording?>(nil)
    let other = path + "2"
    DispatchQueue.global().async(group: group) {
      let recording = try? cache.record(to: other)
      second.withLock { $0 = recording }
    }
    usleep(20_000)
    cache.recorder.end()
    gate.signal()
    group.wait()
    #expect(first.statistics.hasEnded)
    #expect(second.withLock { $0 != nil })
    second.withLock { $0 }?.stop()
  }

  /// A recording that cannot begin leaves neither a file nor an open descriptor.
  @Test(arguments: [false, true])
  func recordingThatCannotBeginLeavesNothing(isHalf: Bool) throws {
    let cache = MemoryCache<Int, Int>(count: 100)
    let file = try TestRecordingFile(path: path) { _ in
      isHalf ? .failHalfWay(ENOSPC) : .fail(ENOSPC)
    }
    #if os(Linux)
      #expect(openFiles() == 1)
    #endif
    #expect(throws: RecordingError.self) { try cache.record(to: path, file: file) }
    #expect(!FileManager.default.fileExists(atPath: path))
    #if os(Linux)
      #expect(openFiles() == 0)
    #endif
    let recording = try cache.record(to: path)
    fill(cache, 10)
    #expect(recording.stop().written == 10)
  }

  /// Number of this process's descriptors of the recording, by its name, removed or not.
  private func openFiles() -> Int {
    let folder = "/proc/self/fd"
    let open = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return open.count { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?
        .hasPrefix(path) ?? false
    }
  }

  @Test func aFullDiskDropsBlocksAndCountsThem() throws {
    // The header and one block are written; then the disk is full for two blocks.
    let file = try TestRecordingFile(path: path) { call in
      (2...3).contains(call) ? .failHalfWay(ENOSPC) : .write
    }
    let cache = MemoryCache<Int, Int>(count: 100)
    let recording = try cache.record(to: path, file: file)
    fillSlowly(cache, recording, 40_000)
    let statistics = recording.stop()
    #expect(statistics.droppedBlocks == 2 && statistics.error?.contains("write") ?? false)
    #expect(statistics.lost > 0 && statistics.written + statistics.lost == 40_000)
    let read = try RecordedFile(path: path)
    #expect(UInt64(read.events.count) == statistics.written && read.lost == statistics.lost)
    // A half-written block was overwritten.
    #expect(read.hasEnd && read.rest == 0 && read.gets == 40_000)
  }

  @Test func permanentlyFullDiskKeepsWrittenBlocks() throws {
    let file = try TestRecordingFile(path: path) { $0 < 2 ? .write : .failHalfWay(ENOSPC) }
    let cache = MemoryCache<Int, Int>(count: 100)
    let recording = try cache.record(to: path, file: file)
    fillSlowly(cache, recording, 40_000)
    let statistics = recording.stop()
    #expect(statistics.hasEnded && statistics.droppedBlocks > 2 && statistics.blocks == 1)
    let read = try RecordedFile(path: path)
    #expect(!read.hasEnd && read.rest == 0)
    #expect(UInt64(read.events.count) == statistics.written && statistics.written > 0)
  }

  @Test func unwritableFileIsAnErrorAtOnce() throws {
    let file = try TestRecordingFile(path: path) { _ in .fail(EIO) }
    let cache = MemoryCache<Int, Int>(count: 100)
    let error = #expect(throws: RecordingError.self) { try cache.record(to: path, file: file) }
    guard case .file = error else {
      Issue.record("\(error as Any)")
      return
    }
    // The recording has ended without events, and another one may begin.
    #expect(!cache.recorder.isOn)
    try cache.record(to: path + "2").stop()
  }

  @Test func aSlowDiskNeverHoldsTheCacheUp() throws {
    let gate = DispatchSemaphore(value: 0)
    // Call 0 is the header.
    let file = try TestRecordingFile(path: path) { call in call == 1 ? .wait(gate) : .write }
    let cache = MemoryCache<Int, Int>(count: 100)
    let recording = try cache.record(to: path, file: file)
    fill(cache, 200_000)
    // All requests came while the first block was still being written, or not even begun.
    #expect(recording.statistics.blocks == 0)
    gate.signal()
    let statistics = recording.stop()
    #expect(statistics.lost > 0 && statistics.droppedBlocks == 0)
    #expect(statistics.written + statistics.lost == 200_000)
    let read = try RecordedFile(path: path)
    #expect(read.lost == statistics.lost && UInt64(read.events.count) == statistics.written)
  }

  /// The process is killed: operations written a second before are in the file.
  @Test func truncatedFileIsReadToItsEnd() throws {
    let cache = MemoryCache<Int, Int>(count: 100)
    let recording = try cache.record(to: path)
    fillSlowly(cache, recording, 20_000)
    recording.stop()
    let whole = try RecordedFile(path: path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for cut in stride(from: RecordedHeader.length, to: bytes.count, by: 7001) {
      try bytes.prefix(cut).write(to: URL(fileURLWithPath: path + "cut"))
      let part = try RecordedFile(path: path + "cut")
      #expect(!part.hasEnd && part.events == Array(whole.events.prefix(part.events.count)))
    }
  }

  /// Without a stop, blocks are in the file after a second.
  @Test func blocksAreWrittenEverySecond() throws {
    let cache = MemoryCache<Int, Int>(count: 100)
    let recording = try cache.record(to: path)
    _ = cache.value(for: 1)
    let end = Date() + 60
    while recording.statistics.blocks == 0, Date() < end { usleep(50_000) }
    let read = try RecordedFile(path: path)
    #expect(read.story == "g-" && !read.hasEnd)
    recording.stop()
  }
}
