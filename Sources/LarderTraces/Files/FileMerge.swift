import LarderEngine

struct FileMerge {
  private let parts: [FilePart]
  private let rules: ReadingRules
  private let log: ReadingLog
  private var queue = EventQueue()
  private var open: [MergedFile?] = []
  private var facts: [ReadingFacts]
  private var hasOverlapped: [Bool]
  private var next = 0
  private let output: RecordBatch

  private init(
    _ parts: [FilePart], _ rules: ReadingRules, _ log: ReadingLog, into sink: @escaping RecordSink
  ) throws {
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
    output = RecordBatch(skipsZeroSizes: false, sink: sink)
  }

  static func run(
    _ parts: [FilePart], _ rules: ReadingRules, _ log: ReadingLog, into sink: @escaping RecordSink
  ) throws {
    var merge = try FileMerge(parts, rules, log, into: sink)
    let isWhole = try merge.run()
    log.end(merge.facts, remark: merge.remark)
    if isWhole { try log.checkBadLines(rules) }
  }

  private var remark: String? {
    let count = hasOverlapped.count { $0 }
    return count == 0
      ? nil : "\(count) of \(parts.count) files overlap in time and were merged by time."
  }

  private mutating func run() throws -> Bool {
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
      guard try take(from: file, event) else { return false }
      if let time = file.time {
        queue.insert(EventQueue.Event(time: time, id: event.id))
      } else {
        close(file, place)
      }
    }
    return try output.flush()
  }

  private func take(from file: MergedFile, _ event: EventQueue.Event) throws -> Bool {
    let bound = queue.first
    var event = event
    repeat {
      guard try output.append(file.records[file.position]) else { return false }
      try file.advance()
      guard let time = file.time else { break }
      event.time = time
    } while bound.map { event.isBefore($0) } ?? true
    return true
  }

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
  var hasBegun = false
  let records: UnsafeMutablePointer<TraceRecord>
  private(set) var position = 0

  private var count = 0
  private let facts: Locked<ReadingFacts>
  private let cursor: PushedCursor

  init(_ part: FilePart, _ rules: ReadingRules, _ log: ReadingLog) throws {
    records = .allocate(capacity: RecordBatch.capacity)
    let facts = Locked(ReadingFacts())
    cursor = PushedCursor { sink in
      let read = try withoutActuallyEscaping(sink) { try part.read(rules, log, into: $0).facts }
      facts.withLock { $0 = read }
    }
    self.facts = facts
    try refill()
  }

  deinit { records.deallocate() }

  var time: UInt64? { position < count ? records[position].time : nil }

  var reading: ReadingFacts { facts.withLock { $0 } }

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
