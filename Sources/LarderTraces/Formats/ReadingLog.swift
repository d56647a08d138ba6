import LarderEngine
import Synchronization

/// What is noticed while a file is read, kept for whoever asks afterwards.
final class ReadingLog: Sendable {
  private let state = Locked(ReadingFacts())
  /// What the decoders chose before anything was read.
  private let choices = Locked<[String]>([])
  /// Bytes of all files that have been read.
  private let bytesRead = Atomic<Int>(0)

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
    bytesRead.store(0, ordering: .relaxed)
  }

  /// Keeps what the decoders of the files chose, for the notes of every reading.
  func noteChoices(_ remarks: [String]) {
    choices.withLock { choices in
      for remark in remarks where !choices.contains(remark) { choices.append(remark) }
    }
  }

  /// A file has no bytes.
  func noteEmpty(_ path: String) { state.withLock { $0.emptyFiles.append(path) } }

  /// More bytes have been read.
  func noteRead(_ more: Int) { bytesRead.wrappingAdd(more, ordering: .relaxed) }

  /// The trace has been read; `files` is what was noticed in each of its files, in order.
  func end(_ files: [ReadingFacts], remark: String? = nil) {
    state.withLock { state in
      for facts in files { state.add(facts) }
      if let remark { state.remarks.append(remark) }
    }
  }

  /// Checks that few enough lines of all files were bad.
  func checkBadLines(_ rules: ReadingRules) throws(TraceError) {
    try facts.checkBadLines(maxShare: rules.maxBadShare)
  }

  /// The share of all bytes that has been read.
  func shareRead(of sizes: [Int?]) -> Double? {
    let known = sizes.compactMap { $0 }
    let total = known.reduce(0, +)
    guard known.count == sizes.count, total > 0 else { return nil }
    return min(1, Double(bytesRead.load(ordering: .relaxed)) / Double(total))
  }
}
