import LarderEngine

/// Merges the files of a trace by time, however long they are and however much they overlap.
///
/// Requests of the same time are in the order of the files: by the time of their first requests,
/// then as given. An open file has a thread that decodes it, its own window for requests that are
/// out of order, and a few batches in memory. Of files that follow one another, such as rotated
/// logs, two are open at a time: a file is opened when the first request of the one before it is
/// due, and closed at its end.
struct FileMerge {
  private let parts: [FilePart]
  private let rules: ReadingRules
  private let log: ReadingLog
  private var queue = EventQueue()
  /// The open files, by their place in the order of first times.
  private var open: [MergedFile?] = []
  private var facts: [ReadingFacts]
  private var hasOverlapped: [Bool]
  /// The first file that has not been opened.
  private var next = 0
  private let output: MergeBuffer

  /// A merge of `parts`, all of which have times.
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

  /// Hands the requests of all files to `sink`, and what was noticed in them to `log`.
  ///
  /// - Throws: what is wrong with a file, when its turn comes, and what `sink` throws.
  /// - Complexity: O(requests log open files), beside decoding.
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

  /// False when the sink wants no more.
  private mutating func run(into sink: RecordSink) throws -> Bool {
    try openNext()
    while let event = queue.next() {
      let place = Int(event.id)
      guard let file = open[place] else { continue }
      if !file.hasBegun {
        begin(file, place)
        // The window of the next file may have found a request that is due before this one.
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

  /// Takes the requests of a file that are due before those of all others, at least one; false
  /// when the sink wants no more.
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

  /// The first request of a file is due: the files that have begun and not ended overlap with it.
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

/// An open file of a merge: its next requests, decoded in a thread of its own.
private final class MergedFile {
  /// Whether its first request has been due.
  var hasBegun = false
  /// The requests that have been taken over from the thread.
  let records: UnsafeMutablePointer<TraceRecord>
  /// The next of them.
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

  /// The time of the next request; nil behind the last.
  var time: UInt64? { position < count ? records[position].time : nil }

  /// What was noticed in it, once it has been read.
  var reading: ReadingFacts { source.reading }

  /// Goes on to the next request.
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

/// One file of several as a source of its own.
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

/// Requests in the order of the merge, on their way to its sink.
private final class MergeBuffer {
  private let records: UnsafeMutablePointer<TraceRecord>
  private var count = 0

  init() { records = .allocate(capacity: RecordBatch.capacity) }

  deinit { records.deallocate() }

  /// Adds a request, and returns whether the buffer is full.
  @inline(__always) func append(_ record: TraceRecord) -> Bool {
    records[count] = record
    count += 1
    return count == RecordBatch.capacity
  }

  /// Hands over what there is; false when the sink wants no more.
  func flush(into sink: RecordSink) throws -> Bool {
    defer { count = 0 }
    return count == 0 ? true : try sink(UnsafeBufferPointer(start: records, count: count))
  }
}
