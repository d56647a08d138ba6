import LarderEngine

/// Merges the files of a trace by time, whatever their length and overlap.
///
/// Requests with equal times keep the order of the files: by the time of their first requests, then
/// as given. Each open file has a decoding thread, a window for out-of-order requests, and a few
/// batches in memory. Of files that follow one another, such as rotated logs, two are open at a
/// time: a file is opened when the first request of the previous one is due, and closed at its end.
struct FileMerge {
  private let parts: [FilePart]
  private let rules: ReadingRules
  private let log: ReadingLog
  private var queue = EventQueue()
  /// Open files, indexed by the order of first times.
  private var open: [MergedFile?] = []
  private var facts: [ReadingFacts]
  private var hasOverlapped: [Bool]
  /// Index of the first file that has not been opened.
  private var next = 0
  private let output: MergeBuffer

  /// Merges `parts`, which all have times.
  private init(_ parts: [FilePart], _ rules: ReadingRules, _ log: ReadingLog) throws {
    self.rules = rules
    self.log = log
    var timed: [(part: FilePart, file: MergedFile?, time: UInt64)] = []
    for part in parts {
      // A pipe can be read only once.
      let file = try part.opened.map { _ in try MergedFile(part, rules, log) }
      timed.append((part, file, try file.map { $0.time ?? .max } ?? part.firstTime(rules)))
    }
    let order = timed.indices.sorted { (timed[$0].time, $0) < (timed[$1].time, $1) }
    self.parts = order.map { timed[$0].part }
    open = order.map { timed[$0].file }
    facts = Array(repeating: ReadingFacts(), count: parts.count)
    hasOverlapped = Array(repeating: false, count: parts.count)
    output = MergeBuffer()
  }

  /// Passes the requests of all files to `sink` and reports findings to `log`.
  ///
  /// - Throws: errors of a file when its turn comes, and any error of `sink`.
  /// - Complexity: O(requests log open files), plus decoding.
  static func run(
    _ parts: [FilePart], _ rules: ReadingRules, _ log: ReadingLog, into sink: RecordSink
  ) throws {
    var merge = try FileMerge(parts, rules, log)
    let isWhole = try merge.run(into: sink)
    log.end(merge.facts, remark: merge.remark)
    if isWhole { try log.checkBadLines(rules) }
  }

  private var remark: String? {
    let count = hasOverlapped.count { $0 }
    return count == 0
      ? nil : "\(count) of \(parts.count) files overlap in time and were merged by time."
  }

  /// Returns false if the sink stopped.
  private mutating func run(into sink: RecordSink) throws -> Bool {
    try openNext()
    while let event = queue.next() {
      let place = Int(event.id)
      guard let file = open[place] else { continue }
      if !file.hasBegun {
        begin(file, place)
        // The window of the next file may hold a request that is due before this one.
        try openNext()
        queue.insert(event)
        continue
      }
      guard try take(from: file, event, into: sink) else { return false }
      if let time = file.time {
        queue.insert(EventQueue.Event(time: time, id: event.id))
      } else {
        close(file, place)
      }
    }
    return try output.flush(into: sink)
  }

  /// Takes the requests of a file that are due before those of all other files, at least one; false
  /// if the sink stopped.
  private func take(
    from file: MergedFile, _ event: EventQueue.Event, into sink: RecordSink
  ) throws -> Bool {
    let bound = queue.first
    var event = event
    repeat {
      let isFull = output.append(file.records[file.position])
      if isFull, !(try output.flush(into: sink)) { return false }
      try file.advance()
      guard let time = file.time else { break }
      event.time = time
    } while bound.map { event.isBefore($0) } ?? true
    return true
  }

  /// Opens files until one has a request.
  private mutating func openNext() throws {
    while next < parts.count {
      let place = next
      next += 1
      let file = try open[place] ?? MergedFile(parts[place], rules, log)
      if let time = file.time {
        open[place] = file
        queue.insert(EventQueue.Event(time: time, id: UInt32(place)))
        return
      }
      close(file, place)
    }
  }

  /// Marks a file's first request as due: it overlaps with files that have begun and not ended.
  private mutating func begin(_ file: MergedFile, _ place: Int) {
    file.hasBegun = true
    for other in 0..<next where other != place && open[other]?.hasBegun == true {
      hasOverlapped[other] = true
      hasOverlapped[place] = true
    }
  }

  private mutating func close(_ file: MergedFile, _ place: Int) {
    facts[place] = file.reading
    open[place] = nil
  }
}

/// An open file of a merge: its next requests, decoded in a separate thread.
private final class MergedFile {
  /// True once its first request has been due.
  var hasBegun = false
  /// Requests received from the thread.
  let records: UnsafeMutablePointer<TraceRecord>
  /// Index of the next request.
  private(set) var position = 0

  private var count = 0
  private let source: PartSource
  private let cursor: PushedCursor

  /// Opens a file and waits for its first requests.
  init(_ part: FilePart, _ rules: ReadingRules, _ log: ReadingLog) throws {
    records = .allocate(capacity: RecordBatch.capacity)
    source = PartSource(part: part, rules: rules, log: log)
    cursor = PushedCursor(source)
    try refill()
  }

  deinit { records.deallocate() }

  /// Time of the next request; nil at the end.
  var time: UInt64? { position < count ? records[position].time : nil }

  /// Findings of the reading, complete once the file has been read.
  var reading: ReadingFacts { source.reading }

  @inline(__always) func advance() throws {
    position += 1
    if position == count { try refill() }
  }

  private func refill() throws {
    position = 0
    count = try cursor.fill(
      UnsafeMutableBufferPointer(start: records, count: RecordBatch.capacity))
  }
}

/// One of several files as a record source.
private struct PartSource: RecordSource {
  let part: FilePart
  let rules: ReadingRules
  let log: ReadingLog
  private let facts = Locked(ReadingFacts())

  init(part: FilePart, rules: ReadingRules, log: ReadingLog) {
    self.part = part
    self.rules = rules
    self.log = log
  }

  var columns: TraceColumns { part.decoder.columns }
  var reading: ReadingFacts { facts.withLock { $0 } }

  func records(into sink: RecordSink) throws {
    let read = try withoutActuallyEscaping(sink) { try part.read(rules, log, into: $0).facts }
    facts.withLock { $0 = read }
  }
}

/// Buffer of merged requests in front of the sink.
private final class MergeBuffer {
  private let records: UnsafeMutablePointer<TraceRecord>
  private var count = 0

  init() { records = .allocate(capacity: RecordBatch.capacity) }

  deinit { records.deallocate() }

  /// Adds a request; returns true if the buffer is full.
  @inline(__always) func append(_ record: TraceRecord) -> Bool {
    records[count] = record
    count += 1
    return count == RecordBatch.capacity
  }

  /// Passes the buffered requests on; false if the sink stopped.
  func flush(into sink: RecordSink) throws -> Bool {
    defer { count = 0 }
    return count == 0 ? true : try sink(UnsafeBufferPointer(start: records, count: count))
  }
}
