internal import LarderSupport

/// Collects records and passes them to a sink a few thousand at a time, to avoid dynamic calls per
/// record.
public final class RecordBatch {
  package static let capacity = 2048

  let records: UnsafeMutablePointer<TraceRecord>
  var count = 0
  private(set) var wantsMore = true

  package internal(set) var reading = ReadingFacts()

  private let skipsZeroSizes: Bool
  private let maxBadShare: Double
  private let sink: RecordSink
  /// True if the current line has no end: errors in it are due to truncation.
  var isInUnendedLine = false

  static let maxBadShareDefault = 0.01
  private static let badMinimum = 1000

  init(
    skipsZeroSizes: Bool, maxBadShare: Double = RecordBatch.maxBadShareDefault,
    sink: @escaping RecordSink
  ) {
    (self.skipsZeroSizes, self.maxBadShare, self.sink) = (skipsZeroSizes, maxBadShare, sink)
    records = .allocate(capacity: RecordBatch.capacity)
  }

  deinit { records.deallocate() }

  /// Maximum number of distinct reasons; a hostile file has as many as lines.
  private static let reasonsMaximum = 20

  /// Adds a record, and flushes a full batch; false if the sink stopped.
  @inline(__always) public func append(_ record: TraceRecord) throws -> Bool {
    records[count] = record
    count += 1
    return count == RecordBatch.capacity ? try flush() : true
  }

  /// Passes the collected records on; false if the sink stopped.
  public func flush() throws -> Bool {
    if skipsZeroSizes { count = records.removeZeroSizes(of: count) }
    var large = 0
    for index in 0..<count where records[index].size == .max { large += 1 }
    if large > 0 { note("a size of 4,294,967,295 bytes, the largest one, or more", lines: large) }
    let full = count
    count = 0
    if full > 0 && wantsMore {
      // The sink gets nothing after its error.
      wantsMore = false
      wantsMore = try sink(UnsafeBufferPointer(start: records, count: full))
    }
    return wantsMore
  }

  /// Counts a bad line.
  /// - Throws: when too many lines are bad to continue.
  @inline(never) public func bad(_ error: TraceError) throws(TraceError) {
    if isInUnendedLine { return note("The last line is incomplete and was skipped: \(error).") }
    if reading.firstBad == nil { reading.firstBad = error }
    reading.badLines += 1
    if reading.badExamples.count < ReadingFacts.examplesMaximum {
      reading.badExamples.append(error.description)
    }
    if case .line(let number) = error.place { noteLines(number) }
    let allowed = max(2 * maxBadShare, 0.5) * Double(reading.lines)
    if reading.badLines >= Self.badMinimum, Double(reading.badLines) > allowed {
      try reading.checkBadLines(maxShare: maxBadShare)
    }
  }

  /// Counts a line that is skipped on purpose.
  @inline(never) public func skip(_ reason: String, line: TextField? = nil) {
    let isKnown = reading.skipped.count < Self.reasonsMaximum || reading.skipped[reason] != nil
    reading.skipped[isKnown ? reason : "other reasons", default: 0] += 1
    if let line, reading.skippedExamples.count < ReadingFacts.examplesMaximum {
      reading.skippedExamples.append(line.quoted)
    }
  }

  func note(_ remark: String) {
    if !reading.remarks.contains(remark) { reading.remarks.append(remark) }
  }

  @inline(never) func note(nulsPassed count: Int, in path: String) {
    note(
      "\(NumberText.counted(count, "NUL byte")) in \(path) \(count == 1 ? "was" : "were") passed "
        + "over: the file was truncated while it was written (as logrotate's copytruncate does).")
  }

  func note(_ kind: String, lines: Int) { reading.kinds[kind, default: 0] += lines }

  func note(_ outcome: TraceRecord.Outcome) { reading.outcomes.add(outcome) }

  func noteKeyOption(_ option: String?) { reading.keyOption = option }

  func noteSampling(_ sampling: TraceSampling) {
    reading.sampling = TraceSampling(
      rate: sampling.rate, gets: reading.sampling.gets.addingSaturated(sampling.gets))
  }

  func noteLines(_ count: Int) { reading.lines = max(reading.lines, count) }
}

extension UnsafeMutablePointer where Pointee == TraceRecord {
  func removeZeroSizes(of count: Int) -> Int {
    var kept = 0
    for index in 0..<count where self[index].size != 0 {
      self[kept] = self[index]
      kept += 1
    }
    return kept
  }
}
