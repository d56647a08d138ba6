import LarderEngine
internal import LarderSupport
import Synchronization

extension UInt64 {
  func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

/// Findings and corrections made while a trace was read, reported with its results.
public struct ReadingFacts: Sendable, Hashable {
  var sizes: SizeFacts?
  var timesSorted = 0
  var lines = 0
  package var badLines = 0
  var badExamples: [String] = []
  package var skipped: [String: Int] = [:]
  var skippedExamples: [String] = []
  package var eventsSkipped: UInt64 = 0
  var kinds: [String: Int] = [:]
  var costsFilled = 0
  var sizesCut = 0
  var outcomes = RecordedOutcomes()
  /// Option of a web log's format that drops query parameters that may not change the response.
  package var keyOption: String?
  var emptyFiles: [String] = []
  package var sampling = TraceSampling()
  var remarks: [String] = []
  var lineName = "lines"

  var firstBad: TraceError?

  static let examplesMaximum = 3

  /// Facts without findings.
  public init() {}

  /// Hit ratio by the outcomes in the log; nil without them.
  package var recordedHitRatio: Double? { outcomes.hitRatio }

  func notes(objects: Int) -> [String] {
    var notes = sizes?.notes(objects: objects) ?? []
    if timesSorted > 0 {
      notes.append(
        timesSorted == 1
          ? "1 request was out of order and was sorted by time."
          : "\(timesSorted) requests were out of order and were sorted by time.")
    }
    if badLines > 0 {
      let examples = badExamples.joined(separator: "; ")
      notes.append("\(badLines) of \(lines) \(lineName) could not be read: \(examples).")
    }
    notes += skippedNotes
    if let note = holesNote { notes.append(note) }
    if let note = outcomes.note { notes.append(note) }
    if sizesCut > 0 {
      notes.append(
        NumberText.counted(sizesCut, "request")
          + " of 4 GiB or more \(sizesCut == 1 ? "counts" : "count") with \(UInt32.max) bytes, the "
          + "largest size of a request.")
    }
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

  package var skippedNotes: [String] {
    skipped.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { reason, count in
      "\(NumberText.counted(count, "line")) \(count == 1 ? "was" : "were") skipped: \(reason)."
    }
  }

  func noRequests(in source: String) -> TraceError {
    let reasons = skipped.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
      "\(NumberText.counted($0.value, "line")) skipped: \($0.key)"
    }
    let examples =
      (skippedExamples + badExamples + remarks.filter { $0.contains("is incomplete") })
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

  package var holesNote: String? {
    guard eventsSkipped > 0 else { return nil }
    let events = eventsSkipped == 1 ? "1 event" : "\(eventsSkipped) events"
    return "The server skipped \(events) because its output was read too slowly: the trace has "
      + "gaps."
  }

  func checkBadLines(maxShare: Double) throws(TraceError) {
    guard var error = firstBad, Double(badLines) > maxShare * Double(max(1, lines)) else { return }
    let others = badExamples.dropFirst().map { "also \($0)" }
    let share = SizeFacts.share(badLines, of: max(1, lines))
    let limit = SizeFacts.share(Int(maxShare * 1e6), of: 1_000_000)
    let last =
      "\(badLines) of \(lines) \(lineName) cannot be read (\(share)), and "
      + "\(maxShare == 0 ? "none" : limit) may; check the format, or allow more with "
      + "--format auto:max-bad=5%"
    error.advice = ([error.advice].compactMap { $0 } + others + [last]).joined(separator: "; ")
    throw error
  }

  mutating func add(_ other: ReadingFacts) {
    timesSorted += other.timesSorted
    lines += other.lines
    badLines += other.badLines
    badExamples += other.badExamples.prefix(Self.examplesMaximum - badExamples.count)
    skipped.merge(other.skipped) { $0 + $1 }
    skippedExamples += other.skippedExamples.prefix(Self.examplesMaximum - skippedExamples.count)
    eventsSkipped = eventsSkipped.addingSaturated(other.eventsSkipped)
    kinds.merge(other.kinds) { $0 + $1 }
    outcomes.add(other.outcomes)
    keyOption = keyOption ?? other.keyOption
    emptyFiles += other.emptyFiles
    remarks += other.remarks.filter { !remarks.contains($0) }
    firstBad = firstBad ?? other.firstBad
    lineName = other.lineName
    sampling = TraceSampling(
      rate: min(sampling.rate, other.sampling.rate),
      gets: sampling.gets.addingSaturated(other.sampling.gets))
  }
}

final class ReadingLog: Sendable {
  private let state = Locked(ReadingFacts())
  private let choices = Locked<[String]>([])
  private let bytesRead = Atomic<Int>(0)

  var facts: ReadingFacts { state.withLock { $0 } }

  func begin() {
    state.withLock { state in
      let emptyFiles = state.emptyFiles
      state = ReadingFacts()
      state.emptyFiles = emptyFiles
      state.remarks = choices.withLock { $0 }
    }
    bytesRead.store(0, ordering: .relaxed)
  }

  func noteChoices(_ remarks: [String]) {
    choices.withLock { choices in
      for remark in remarks where !choices.contains(remark) { choices.append(remark) }
    }
  }

  func noteEmpty(_ path: String) { state.withLock { $0.emptyFiles.append(path) } }

  func noteRead(_ more: Int) { bytesRead.wrappingAdd(more, ordering: .relaxed) }

  func end(_ files: [ReadingFacts], remark: String? = nil) {
    state.withLock { state in
      for facts in files { state.add(facts) }
      if let remark { state.remarks.append(remark) }
    }
  }

  func checkBadLines(_ rules: ReadingRules) throws(TraceError) {
    try facts.checkBadLines(maxShare: rules.maxBadShare)
  }

  func shareRead(of sizes: [Int?]) -> Double? {
    let known = sizes.compactMap { $0 }
    let total = known.reduce(0, +)
    guard known.count == sizes.count, total > 0 else { return nil }
    return min(1, Double(bytesRead.load(ordering: .relaxed)) / Double(total))
  }
}
