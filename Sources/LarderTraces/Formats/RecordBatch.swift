internal import LarderSupport

/// Collects records and hands them to a sink a few thousand at a time, so that nothing dynamic
/// happens per record.
public final class RecordBatch {
  /// How many records fit: 64 KiB of them, which leaves the L2 cache room for the file's bytes.
  public static let capacity = 2048

  /// Where to write the next records, from `count` on.
  public let records: UnsafeMutablePointer<TraceRecord>
  /// How many have been written since the last `flush`.
  public var count = 0
  /// Whether the sink still takes records.
  public private(set) var wantsMore = true

  /// Lines read, bad lines, and lines left out.
  public private(set) var reading = ReadingFacts()

  private let skipsZeroSizes: Bool
  private let maxBadShare: Double
  private let sink: RecordSink
  /// The line that is being read has no end: whatever is wrong with it, it was cut.
  var isInUnendedLine = false

  /// The share of lines that may be bad by default.
  static let maxBadShareDefault = 0.01
  /// Bad lines from which on a file is given up as soon as the share is far exceeded.
  private static let badMinimum = 1000

  /// An empty batch in front of `sink`.
  init(
    skipsZeroSizes: Bool, maxBadShare: Double = RecordBatch.maxBadShareDefault,
    sink: @escaping RecordSink
  ) {
    self.skipsZeroSizes = skipsZeroSizes
    self.maxBadShare = maxBadShare
    self.sink = sink
    records = .allocate(capacity: RecordBatch.capacity)
  }

  deinit { records.deallocate() }

  /// Reasons that are told apart: a hostile file has as many as lines.
  private static let reasonsMaximum = 20

  /// Adds a record and flushes when that fills the batch; false when the sink wants no more.
  @inline(__always) public func append(_ record: TraceRecord) throws -> Bool {
    records[count] = record
    count += 1
    return count == RecordBatch.capacity ? try flush() : true
  }

  /// Hands over what there is; false when the sink wants no more.
  public func flush() throws -> Bool {
    if skipsZeroSizes { count = records.removeZeroSizes(of: count) }
    if count > 0 && wantsMore {
      wantsMore = try sink(UnsafeBufferPointer(start: records, count: count))
    }
    count = 0
    return wantsMore
  }

  /// Counts a line that cannot be read.
  ///
  /// - Throws: when so many were bad that the file is hopeless.
  @inline(never) public func bad(_ error: TraceError) throws(TraceError) {
    if isInUnendedLine {
      return note("The last line has no end and was left out: \(error).")
    }
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

  /// The result of `parse`; nil where it throws, and the line is counted as a bad one.
  ///
  /// - Throws: when so many were bad that the file is hopeless.
  @inline(__always) func read<Result>(
    _ parse: () throws(TraceError) -> Result
  ) throws(TraceError) -> Result? {
    do {
      return try parse()
    } catch {
      try bad(error)
      return nil
    }
  }

  /// Counts a line that is left out on purpose.
  ///
  /// - Parameters:
  ///   - reason: why, for the note.
  ///   - line: the line, of which the first few are kept as examples.
  @inline(never) public func skip(_ reason: String, line: TextField? = nil) {
    let isKnown = reading.skipped.count < Self.reasonsMaximum || reading.skipped[reason] != nil
    reading.skipped[isKnown ? reason : "other reasons", default: 0] += 1
    if let line, reading.skippedExamples.count < ReadingFacts.examplesMaximum {
      reading.skippedExamples.append(line.quoted)
    }
  }

  /// Notes a sentence for whoever reads results, once.
  func note(_ remark: String) {
    if !reading.remarks.contains(remark) { reading.remarks.append(remark) }
  }

  /// Notes that NULs were passed over.
  @inline(never) func note(nulsPassed count: Int, in path: String) {
    note(
      "\(NumberText.counted(count, "NUL byte")) in \(path) \(count == 1 ? "was" : "were") passed "
        + "over: the file was truncated while it was written (as logrotate's copytruncate does).")
  }

  /// Counts events that a server says it did not tell.
  func noteSkippedEvents(_ count: UInt64) {
    reading.eventsSkipped = reading.eventsSkipped.addingSaturated(count)
  }

  /// Notes how a number of lines was read.
  func note(_ kind: String, lines: Int) { reading.kinds[kind, default: 0] += lines }

  /// Notes which part of the objects the file has, and how many gets of all objects there were.
  public func noteSampling(_ sampling: TraceSampling) {
    reading.sampling = TraceSampling(
      rate: sampling.rate, gets: reading.sampling.gets.addingSaturated(sampling.gets))
  }

  /// Notes what the bad and other lines of the file are called.
  func nameLines(_ name: String) { reading.lineName = name }

  /// Notes how many lines there were.
  public func noteLines(_ count: Int) {
    reading.lines = max(reading.lines, count)
  }
}

extension UnsafeMutablePointer where Pointee == TraceRecord {
  /// Moves those of `count` records to the front whose size is not 0, and returns how many.
  func removeZeroSizes(of count: Int) -> Int {
    var kept = 0
    for index in 0..<count where self[index].size != 0 {
      self[kept] = self[index]
      kept += 1
    }
    return kept
  }
}
