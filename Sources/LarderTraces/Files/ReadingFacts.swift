import LarderEngine
internal import LarderSupport
import Synchronization

extension UInt64 {
  /// The sum, or the largest number where that is exceeded.
  func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

/// What was noticed while a trace was read, and changed in it: told wherever its results are.
public struct ReadingFacts: Sendable, Hashable {
  /// How sizes were resolved; nil where the trace has none.
  public var sizes: SizeFacts?
  /// Requests out of order that were put where their time belongs.
  public var timesSorted = 0
  /// Lines read.
  public var lines = 0
  /// Lines that could not be read.
  public var badLines = 0
  /// The first of them, with what is wrong.
  public var badExamples: [String] = []
  /// Lines that were left out on purpose, by the reason.
  public var skipped: [String: Int] = [:]
  /// The first of the lines that were left out.
  public var skippedExamples: [String] = []
  /// Events that a server says it did not tell.
  public var eventsSkipped: UInt64 = 0
  /// Lines by the way in which they were read, where a file has lines of several kinds.
  public var kinds: [String: Int] = [:]
  /// Requests whose cost was filled from others of the object.
  public var costsFilled = 0
  /// Files of a joined trace that are empty.
  public var emptyFiles: [String] = []
  /// Which part of the objects the trace has.
  public var sampling = TraceSampling()
  /// Other sentences to tell.
  public var remarks: [String] = []
  /// What `lines` counts.
  public var lineName = "lines"

  /// What is wrong with the first bad line.
  var firstBad: TraceError?

  /// How many bad lines are quoted.
  static let examplesMaximum = 3

  /// Nothing to tell.
  public init() {}

  /// Sentences for whoever reads results, for a trace of `objects` objects.
  func notes(objects: Int) -> [String] {
    var notes = sizes?.notes(objects: objects) ?? []
    if timesSorted > 0 {
      notes.append(
        timesSorted == 1
          ? "1 request was out of order and was moved to its time."
          : "\(timesSorted) requests were out of order and were moved to their time.")
    }
    if badLines > 0 {
      let examples = badExamples.joined(separator: "; ")
      notes.append("\(badLines) of \(lines) \(lineName) could not be read: \(examples).")
    }
    for (reason, count) in skipped.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      notes.append(
        "\(NumberText.counted(count, "line")) \(count == 1 ? "was" : "were") left out: \(reason).")
    }
    if let note = holesNote { notes.append(note) }
    for (kind, count) in kinds.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      notes.append("\(NumberText.counted(count, "line")): \(kind).")
    }
    if costsFilled > 0 {
      notes.append(
        NumberText.counted(costsFilled, "request")
          + " had no cost and "
          + (costsFilled == 1
            ? "was given that of its object." : "were given that of their object."))
    }
    for file in emptyFiles { notes.append("\(file) is empty.") }
    if let note = sampling.note { notes.append(note) }
    notes += remarks
    return notes
  }

  /// The error for a trace of which no request is left: the reasons, and the first lines that were
  /// left out.
  func noRequests(in source: String) -> TraceError {
    let reasons = skipped.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
      "\(NumberText.counted($0.value, "line")) left out: \($0.key)"
    }
    let examples =
      (skippedExamples + badExamples + remarks.filter { $0.contains("no end") })
      .prefix(Self.examplesMaximum)
    guard !reasons.isEmpty || !examples.isEmpty else {
      return TraceError("has no requests", in: source, advice: "a trace needs at least one")
    }
    let bad = badLines > 0 ? ["\(NumberText.counted(badLines, "line")) cannot be read"] : []
    let text = (["has no requests"] + reasons + bad).joined(separator: "; ")
    return TraceError(
      text, in: source,
      advice: examples.isEmpty ? nil : "the first are \(examples.joined(separator: ", "))")
  }

  /// A sentence on the events that are missing; nil where none is known to be.
  public var holesNote: String? {
    guard eventsSkipped > 0 else { return nil }
    let events = eventsSkipped == 1 ? "1 event" : "\(eventsSkipped) events"
    return "The server skipped \(events) because it was read too slowly: the trace has holes."
  }

  /// Checks at the end that few enough lines were bad.
  ///
  /// - Throws: the first bad line's error, with how many there were.
  func checkBadLines(maxShare: Double) throws(TraceError) {
    guard var error = firstBad, Double(badLines) > maxShare * Double(max(1, lines)) else { return }
    let others = badExamples.dropFirst().map { "also \($0)" }
    let share = SizeFacts.share(badLines, of: max(1, lines))
    let limit = SizeFacts.share(Int(maxShare * 1e6), of: 1_000_000)
    let last =
      "\(badLines) of \(lines) \(lineName) cannot be read (\(share)), and "
      + "\(maxShare == 0 ? "none" : limit) may; check the format, or allow more with --max-bad"
    error.advice = ([error.advice].compactMap { $0 } + others + [last]).joined(separator: "; ")
    throw error
  }

  /// Adds what was noticed in another file of the same trace.
  mutating func add(_ other: ReadingFacts) {
    timesSorted += other.timesSorted
    lines += other.lines
    badLines += other.badLines
    badExamples += other.badExamples.prefix(Self.examplesMaximum - badExamples.count)
    skipped.merge(other.skipped) { $0 + $1 }
    skippedExamples += other.skippedExamples.prefix(
      Self.examplesMaximum - skippedExamples.count)
    eventsSkipped = eventsSkipped.addingSaturated(other.eventsSkipped)
    kinds.merge(other.kinds) { $0 + $1 }
    emptyFiles += other.emptyFiles
    remarks += other.remarks.filter { !remarks.contains($0) }
    firstBad = firstBad ?? other.firstBad
    lineName = other.lineName
    sampling = TraceSampling(
      rate: min(sampling.rate, other.sampling.rate), gets: sampling.gets + other.sampling.gets)
  }
}

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
