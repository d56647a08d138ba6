import LarderEngine
import Synchronization

/// A trace file, or several that form one trace, as a source of records: opened, decompressed and
/// decoded while it is read, with a few MiB of memory per open file whatever its size.
public struct FileSource: RecordSource {
  /// Path as given; of several files, the first one.
  public let path: String
  /// Format of the file, given or recognised.
  public let format: FormatDescription
  /// Inferred parsing rules, one sentence each, for inspection; empty if nothing was inferred.
  public var understanding: [String] { parts.first?.decoder.understanding ?? [] }
  /// Columns that the format finds in the file.
  public let columns: TraceColumns
  /// Rule for resolving different sizes of one object.
  public let sizeRule: SizeRule

  private let parts: [FilePart]
  private var rules: ReadingRules
  private let log = ReadingLog()

  /// Upper bound of all keys, exclusive; nil if the file does not give one.
  public var keyLimit: Int? { parts.count == 1 ? parts.first?.decoder.keyLimit : nil }

  /// Findings of the reading, complete once the file has been read.
  public var reading: ReadingFacts { log.facts }

  /// Share of the files read so far, from 0 to 1; nil if their size is unknown.
  public var shareRead: Double? { log.shareRead(of: parts.map(\.size)) }

  /// Share of the objects whose requests the files have; 1 for all.
  public var samplingRate: Double { rules.sample ?? parts.first?.decoder.samplingRate ?? 1 }

  /// Name for results: the file name without folders, and the number of further files.
  public var name: String {
    let name = path == FileBytes.standardInput ? "stdin" : Compression.baseName(ofPath: path)
    return parts.count > 1 ? "\(name)+\(parts.count - 1)" : name
  }

  /// Reads the beginning of a file and determines its format.
  /// - Throws: `TraceError` for the file, `ComponentError` for the format.
  public init(path: String, format: ComponentSpec? = nil) throws {
    try self.init(TraceReference(path: path, format: format))
  }

  /// Reads the beginnings of all files of a reference and determines their format.
  public init(_ reference: TraceReference) throws {
    path = reference.path
    let parts = try FilePart.open(reference, skipping: log)
    guard let first = parts.first else { throw TraceError("no file", in: reference.path) }
    self.parts = parts
    format = first.format
    log.noteChoices(parts.flatMap(\.decoder.remarks))
    for part in parts where part.format.name != first.format.name {
      throw TraceError(
        "is \(part.format.name), but \(first.path) is \(first.format.name)", in: part.path,
        advice: "joined files must have one format; set it with --format")
    }
    if parts.count > 1, let part = parts.first(where: \.decoder.isOneOfAKind) {
      throw TraceError(
        "has private keys and cannot be joined", in: part.path,
        advice: first.format.name == LarderFormat.name
          ? "join the files that it was converted from"
          : "read recordings separately; only unsampled recordings with plain keys can be joined")
    }
    let options = first.options
    let names = format.parameters.map(\.name)
    let ruleName = ["sizes", "size"].first { names.contains($0) }
    let rule = try ruleName.flatMap {
      options.text($0) == nil ? nil : try options.choice($0, of: SizeRule.self)
    }
    sizeRule = rule ?? first.decoder.sizeRule
    rules = ReadingRules(
      skipsZeroSizes: try options.flag(Parameter.skipZeroSize.name) ?? false,
      sample: try Self.sample(reference, of: first),
      maxBadShare: try reference.maxBadShare ?? options.share(Parameter.maxBad.name)
        ?? RecordBatch.maxBadShareDefault,
      hasSeveralFiles: parts.count > 1)
    let found = parts.reduce(into: TraceColumns()) { $0.formUnion($1.decoder.columns) }
    // A sample has only some blocks of a prompt.
    columns = rules.sample == nil ? found : found.subtracting(.prompt)
  }

  private static func sample(
    _ reference: TraceReference, of part: FilePart
  ) throws(TraceError) -> Double? {
    guard let rate = reference.sample, rate != 1 else { return nil }
    guard rate > 0, rate < 1 else {
      throw TraceError(
        "a sample of \(rate) of the objects: expected a share above 0 and at most 1",
        in: part.path)
    }
    guard part.decoder.samplingRate == 1 else {
      let share = TraceSampling.share(part.decoder.samplingRate)
      throw TraceError(
        "is already a sample of \(share) of the objects", in: part.path,
        advice: "read it without --sample")
    }
    return rate
  }

  package var withoutFolding: FileSource {
    var copy = self
    copy.rules.foldsFills = false
    return copy
  }

  /// Decodes the files from their beginning.
  /// - Throws: `TraceError` at the first error, and any error of `sink`.
  /// - Complexity: O(bytes of the decompressed files).
  public func records(into sink: RecordSink) throws {
    log.begin()
    let bytes = parts.reduce(0) { $0 + ($1.size ?? 0) }
    if parts.count > 1, untimed == nil {
      try withSizes(sink) { try FileMerge.run(parts, rules, log, into: $0) }
    } else if RecordPipe.isWorthIt, bytes >= RecordPipe.bytesMinimum {
      try RecordPipe.run({ try withSizes($0) { try decode(into: $0) } }, into: sink)
    } else {
      try withSizes(sink) { try decode(into: $0) }
    }
  }

  private var untimed: FilePart? { parts.first { !$0.decoder.columns.contains(.time) } }

  private func withSizes(
    _ sink: RecordSink, _ body: (@escaping RecordSink) throws -> Void
  ) throws {
    try withoutActuallyEscaping(sink) { sink in
      guard parts.contains(where: \.decoder.remembersSizes) else { return try body(sink) }
      let sizes = KnownSizes(skipsZeroSizes: rules.skipsZeroSizes, source: path)
      try body { try sizes.pass($0, to: sink) }
    }
  }

  private func decode(into sink: @escaping RecordSink) throws {
    var facts: [ReadingFacts] = []
    var wantsMore = true
    for part in parts where wantsMore {
      let read = try part.read(rules, log, into: sink)
      facts.append(read.facts)
      wantsMore = read.wantsMore
    }
    let remark = untimed.map {
      "\($0.path) has no times: the files were read one after another, in the order given."
    }
    log.end(facts, remark: parts.count > 1 ? remark : nil)
    // A sample of the first requests is too small to judge the rest.
    if wantsMore { try log.checkBadLines(rules) }
  }
}

extension FileSource {
  /// The trace of a prepared file, loaded or mapped by its size; nil if it has to be prepared.
  func prepared(memory: MemoryBudget = .machine) throws(TraceError) -> PreparedTrace? {
    guard format.name == LarderFormat.name, !rules.skipsZeroSizes, rules.sample == nil,
      parts.count == 1, let part = parts.first
    else { return nil }
    if part.opened == nil {
      let file = try FileBytes(path: path)
      if let size = file.size, UInt64(size) > memory.available() / 2,
        Compression.recognise(try file.peek(6)) == nil
      {
        let mapped = try MappedFile(path: path)
        return try LarderFormat.trace(in: mapped.bytes, owner: mapped, path: path)
      }
    }
    let loaded = try LoadedBytes(try part.reader().reader, memory: memory)
    return try LarderFormat.trace(in: loaded.bytes, owner: loaded, path: path)
  }
}

struct ReadingRules: Sendable {
  var skipsZeroSizes = false
  var sample: Double?
  var maxBadShare = RecordBatch.maxBadShareDefault
  var hasSeveralFiles = false
  var foldsFills = true

  /// Not limited with several files, because the others may have enough good lines.
  var maxBadShareOfFile: Double { hasSeveralFiles ? 1 : maxBadShare }
}

/// One file of a trace, with its format recognised, ready to be read.
struct FilePart: Sendable {
  let path: String
  let format: FormatDescription
  let options: ParameterReader
  let decoder: any TraceDecoder
  let hasLocalTimes: Bool
  let size: Int?
  /// The reader that recognised the format, kept because a pipe cannot be reopened.
  let opened: OpenedReader?

  init(_ file: FileBytes, format spec: ComponentSpec?) throws {
    path = file.path
    var format = try FormatRegistry.format(of: spec)
    let reader = ByteReader(try Compression.open(file), path: path)
    let sample = try FormatSample(path: path, reader)
    if sample.head.isEmpty {
      throw TraceError(
        reader.nulsPassed > 0
          ? "the file has nothing but NUL bytes" : "the file is empty once decompressed", in: path,
        advice: "a trace needs at least one request")
    }
    if format != nil, let error = FileKind.error(sample, isGiven: true) { throw error }
    if format == nil { format = try FormatRegistry.recognise(sample) }
    guard let format else { throw TraceError("no format", in: path) }
    self.format = format.description
    options = try format.options(spec)
    decoder = try format.decoder(options: options, sample: sample)
    hasLocalTimes = LogTime.isLocal(sample.lines(20))
    size = file.size
    opened = file.isRegular ? nil : OpenedReader(file, reader)
  }

  /// Opens all files; of several, empty ones (a log that was just rotated) are noted in `log`.
  static func open(_ reference: TraceReference, skipping log: ReadingLog) throws -> [FilePart] {
    let paths = reference.paths
    for (index, path) in paths.enumerated() where paths[..<index].contains(path) {
      throw TraceError("is given twice", in: path)
    }
    guard paths.count > 1 else {
      return [try FilePart(FileBytes(path: reference.path), format: reference.format)]
    }
    var parts: [FilePart] = []
    for path in paths {
      let file = try FileBytes(path: path, allowsEmpty: true)
      if file.size == 0 {
        log.noteEmpty(path)
      } else {
        parts.append(try FilePart(file, format: reference.format))
      }
    }
    if parts.isEmpty {
      throw TraceError(
        "the files are all empty", in: reference.path,
        advice: "a trace needs at least one request")
    }
    return parts
  }

  func firstTime(_ rules: ReadingRules) throws -> UInt64 {
    var first = UInt64.max
    let reader = try reader().reader
    try decoder.decode(
      reader,
      into: RecordBatch(skipsZeroSizes: rules.skipsZeroSizes, maxBadShare: 1) { batch in
        first = batch.reduce(into: first) { $0 = min($0, $1.time) }
        return false
      })
    return first
  }

  func read(
    _ rules: ReadingRules, _ log: ReadingLog, into sink: @escaping RecordSink
  ) throws -> (facts: ReadingFacts, wantsMore: Bool) {
    let (file, reader) = try reader()
    let folding = decoder.foldsFills && rules.foldsFills ? FillFolding(path: path, sink: sink) : nil
    let folded: RecordSink = if let folding { { try folding.add($0) } } else { sink }
    let window =
      decoder.columns.contains(.time) && decoder.sortsTimes
      ? TimeWindow(hasLocalTimes: hasLocalTimes, shifts: !rules.hasSeveralFiles, sink: folded) : nil
    let sample = rules.sample.map(ObjectSample.init)
    let ordered: RecordSink = if let window { { try window.add($0) } } else { folded }
    var bytes = 0
    let batch = RecordBatch(
      skipsZeroSizes: rules.skipsZeroSizes && !decoder.remembersSizes,
      maxBadShare: rules.maxBadShareOfFile
    ) { batch in
      log.noteRead(file.offset - bytes)
      bytes = file.offset
      return try sample.map { try $0.pass(batch, to: ordered) } ?? ordered(batch)
    }
    try decoder.decode(reader, into: batch)
    for remark in reader.remarks { batch.note(remark) }
    log.noteRead(file.offset - bytes)
    if batch.wantsMore {
      try window?.finish()
      try folding?.finish()
    }
    if let sample { batch.noteSampling(sample.facts) }
    var facts = batch.reading
    facts.timesSorted = window?.late ?? 0
    if let folding { facts.outcomes.add(folding.outcomes) }
    if window?.hasStep == true {
      facts.remarks.append(
        "The clock goes back an hour (end of summer time, in times without a zone): requests keep "
          + "the order of \(path), and those after it "
          + (rules.hasSeveralFiles
            ? "have the last time before it until it comes again." : "count as an hour later."))
    }
    return (facts, batch.wantsMore)
  }

  func reader() throws(TraceError) -> (file: FileBytes, reader: ByteReader) {
    if let opened { return try opened.take(path: path) }
    let file = try FileBytes(path: path)
    return (file, ByteReader(try Compression.open(file), path: path))
  }
}

final class OpenedReader: Sendable {
  private let isTaken = Atomic<Bool>(false)
  nonisolated(unsafe) private let file: FileBytes
  nonisolated(unsafe) private let reader: ByteReader

  init(_ file: FileBytes, _ reader: ByteReader) {
    self.file = file
    self.reader = reader
  }

  func take(path: String) throws(TraceError) -> (file: FileBytes, reader: ByteReader) {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else {
      throw TraceError(
        "is a pipe and has been read already", in: path, advice: "save it to a file first")
    }
    return (file, reader)
  }
}

/// Sorts requests that are slightly out of order: a log has a line when a response ends, and some
/// responses take longer than others.
final class TimeWindow {
  static let length = 1 << 16

  private(set) var late = 0

  private(set) var hasStep = false

  private let records: UnsafeMutablePointer<TraceRecord>
  private let capacity: Int
  private var count = 0
  private var isSorted = true
  private var latest: UInt64 = 0
  private var clock: LocalClock?
  private let sink: RecordSink

  init(
    length: Int = TimeWindow.length, hasLocalTimes: Bool = false, shifts: Bool = true,
    sink: @escaping RecordSink
  ) {
    capacity = 2 * length
    clock = hasLocalTimes ? LocalClock(shifts: shifts) : nil
    records = .allocate(capacity: capacity)
    self.sink = sink
  }

  deinit { records.deallocate() }

  func add(_ batch: UnsafeBufferPointer<TraceRecord>) throws -> Bool {
    for var record in batch {
      if clock != nil { readClock(&record) }
      if record.time < latest {
        late += 1
        isSorted = false
      } else {
        latest = record.time
      }
      records[count] = record
      count += 1
      if count == capacity {
        clock?.restart()
        if try !release(capacity / 2) { return false }
      }
    }
    return true
  }

  private func readClock(_ record: inout TraceRecord) {
    applyStep(clock?.add(record.time, latest: latest) ?? 0)
    record.time = clock?.time(of: record.time, latest: latest) ?? record.time
  }

  private func applyStep(_ number: Int) {
    guard number > 0, let clock else { return }
    hasStep = true
    late -= number
    for index in (count - number)..<count {
      records[index].time = clock.time(of: records[index].time, latest: latest)
      latest = max(latest, records[index].time)
    }
  }

  func finish() throws {
    applyStep(clock?.end() ?? 0)
    _ = try release(count)
  }

  private func release(_ released: Int) throws -> Bool {
    if !isSorted { sort() }
    var start = 0
    var goesOn = true
    while goesOn, start < released {
      let size = min(RecordBatch.capacity, released - start)
      goesOn = try sink(UnsafeBufferPointer(start: records + start, count: size))
      start += size
    }
    records.update(from: records + released, count: count - released)
    count -= released
    return goesOn
  }

  private func sort() {
    let held = UnsafeMutableBufferPointer(start: records, count: count)
    let order = held.indices.sorted { (held[$0].time, $0) < (held[$1].time, $1) }
    let copy = Array(held)
    for (place, index) in order.enumerated() { held[place] = copy[index] }
    isSorted = true
  }
}

/// Finds the end of summer time in times without a zone, when the clock goes back an hour in the
/// night to a Sunday and all following requests have earlier times.
struct LocalClock {
  private static let hour: UInt64 = 3_600_000_000
  /// Smallest step back: the last request before it may have been long ago.
  private static let stepMinimum = hour / 2
  /// Number of requests after a step that confirm it, and at the end of a file.
  private static let (confirmations, lastConfirmations) = (16, 3)
  /// Requests of this time before the step may still end after it.
  private static let lateMaximum = hour / 12

  private let shifts: Bool
  private var stepTime: UInt64 = 0
  /// Latest time before a possible step, and the number of requests since then.
  private var (candidate, following): (UInt64, Int) = (0, 0)

  init(shifts: Bool) { self.shifts = shifts }

  /// Reads the logged time of the next request; `latest` is the latest time before it. Returns the
  /// number of previous requests that follow the step if this one confirms it, and 0 otherwise.
  mutating func add(_ logged: UInt64, latest: UInt64) -> Int {
    guard stepTime == 0 else { return 0 }
    if following == 0 { candidate = latest }
    let isBack =
      logged.addingSaturated(Self.stepMinimum) <= candidate
      && candidate <= logged.addingSaturated(Self.hour)
    guard isBack, Self.isNight(candidate) else {
      following = 0
      return 0
    }
    following += 1
    return following > Self.confirmations ? confirm(following - 1) : 0
  }

  mutating func end() -> Int { following >= Self.lastConfirmations ? confirm(following) : 0 }

  private mutating func confirm(_ number: Int) -> Int {
    stepTime = candidate
    following = 0
    return number
  }

  mutating func restart() { following = 0 }

  func time(of logged: UInt64, latest: UInt64) -> UInt64 {
    if stepTime == 0 { return logged }
    if !shifts { return max(logged, stepTime) }
    let later = logged.addingSaturated(Self.hour)
    let isFromBefore = logged <= stepTime && stepTime - logged <= Self.lateMaximum
    return isFromBefore && later > latest.addingSaturated(Self.stepMinimum) ? logged : later
  }

  private static func isNight(_ time: UInt64) -> Bool {
    // 1970 began on a Thursday, 70 hours before.
    (time / hour + 168 - 70) % 168 < 6
  }
}

/// Last known sizes of objects, in any of the files, for traces that give 0 for misses.
final class KnownSizes {
  private var sizes: [UInt64: UInt32] = [:]
  private var growth = GrowthLimit("the sizes of objects", bytesEach: 16)
  private let skipsZeroSizes: Bool
  private let source: String
  private var filled: [TraceRecord] = []

  init(skipsZeroSizes: Bool, source: String) {
    self.skipsZeroSizes = skipsZeroSizes
    self.source = source
  }

  func pass(_ records: UnsafeBufferPointer<TraceRecord>, to sink: RecordSink) throws -> Bool {
    filled.removeAll(keepingCapacity: true)
    for var record in records {
      if record.isSizeKnown {
        sizes[record.key] = record.size
      } else {
        record.size = sizes[record.key] ?? record.size
        record.isSizeKnown = true
      }
      if record.size != 0 || !skipsZeroSizes { filled.append(record) }
    }
    try growth.check(sizes.count, in: source)
    return filled.isEmpty ? true : try filled.withUnsafeBufferPointer { try sink($0) }
  }
}
