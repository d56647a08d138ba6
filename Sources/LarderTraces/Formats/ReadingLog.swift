import LarderEngine
import Synchronization

/// What is noticed while a file is read, kept for whoever asks afterwards.
final class ReadingLog: Sendable {
  private let state = Locked(ReadingFacts())
  /// What the decoders chose before anything was read.
  private let choices = Locked<[String]>([])
  /// Bytes of the files that have been read to their end.
  private let bytesBefore = Atomic<Int>(0)
  /// Bytes of the file that is being read.
  private let bytesNow = Atomic<Int>(0)

  /// What has been noticed.
  var facts: ReadingFacts { state.withLock { $0 } }

  /// Forgets all but the files that are empty: the trace is read from its beginning.
  func begin() {
    state.withLock { state in
      let emptyFiles = state.emptyFiles
      state = ReadingFacts()
      state.emptyFiles = emptyFiles
      state.remarks = choices.withLock { $0 }
    }
    bytesBefore.store(0, ordering: .relaxed)
    bytesNow.store(0, ordering: .relaxed)
  }

  /// Keeps what the decoders of the files chose, for the notes of every reading.
  func noteChoices(_ remarks: [String]) {
    choices.withLock { choices in
      for remark in remarks where !choices.contains(remark) { choices.append(remark) }
    }
  }

  /// A file has no bytes.
  func noteEmpty(_ path: String) { state.withLock { $0.emptyFiles.append(path) } }

  /// So many requests came late.
  func noteLate(_ count: Int) { state.withLock { $0.timesSorted = count } }

  /// So many bytes of the present file have been read.
  func noteRead(_ bytes: Int) { bytesNow.store(bytes, ordering: .relaxed) }

  /// A file has been read, and everything so far amounts to `facts`.
  func endFile(_ facts: ReadingFacts, bytes: Int) {
    state.withLock { $0 = facts }
    bytesNow.store(0, ordering: .relaxed)
    bytesBefore.wrappingAdd(bytes, ordering: .relaxed)
  }

  /// The share of all bytes that has been read.
  func shareRead(of sizes: [Int?]) -> Double? {
    let known = sizes.compactMap { $0 }
    let total = known.reduce(0, +)
    guard known.count == sizes.count, total > 0 else { return nil }
    let read = bytesBefore.load(ordering: .relaxed) + bytesNow.load(ordering: .relaxed)
    return min(1, Double(read) / Double(total))
  }
}
