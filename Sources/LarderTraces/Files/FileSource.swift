import Synchronization

/// A trace file, or several that make one trace, as a source of records: opened, decompressed and
/// decoded as it is read, with a few MiB of memory for each open file whatever the size.
///
/// Several files are merged by time, so that a log and what it was rotated into, and the logs of
/// servers that ran at the same time, can be given in any order; files without times are read one
/// after another, as given. Where the format is a log or a table, requests of a file that are out
/// of order by time are put in order within a window of 65,536 requests.
public struct FileSource: RecordSource {
  /// The path as given; of several files, the first one.
  public let path: String
  /// The format the file is read in, given or recognised.
  public let format: FormatDescription
  /// How lines are understood, in sentences for whoever checks it; empty where nothing is chosen.
  public var understanding: [String] { parts.first?.decoder.understanding ?? [] }
  /// The columns the format finds in the file.
  public let columns: TraceColumns
  /// How sizes of one object that differ are resolved.
  public let sizeRule: SizeRule

  /// The files, those that are empty left out.
  private let parts: [FilePart]
  private let rules: ReadingRules
  private let log = ReadingLog()

  /// All keys are below this number, when the file says so.
  public var keyLimit: Int? { parts.count == 1 ? parts.first?.decoder.keyLimit : nil }

  /// What was noticed while the file was read, once it has been.
  public var reading: ReadingFacts { log.facts }

  /// How much of the files has been read, from 0 to 1; nil where their size is not known.
  public var shareRead: Double? { log.shareRead(of: parts.map(\.size)) }

  /// The share of the objects whose requests the files have; 1 for all.
  public var samplingRate: Double { rules.sample ?? parts.first?.decoder.samplingRate ?? 1 }

  /// A name for results: the file's without folders, and how many others there are.
  public var name: String {
    let name = path == FileBytes.standardInput ? "stdin" : Compression.baseName(ofPath: path)
    return parts.count > 1 ? "\(name)+\(parts.count - 1)" : name
  }

  /// Looks at the beginning of a file and finds out how to read it.
  ///
  /// - Parameters:
  ///   - path: the file, compressed or not; `-` for standard input.
  ///   - format: the format and its options; nil to recognise it by name and content.
  /// - Throws: `TraceError` for the file, `ComponentError` for the format.
  public init(path: String, format: ComponentSpec? = nil) throws {
    try self.init(TraceReference(path: path, format: format))
  }

  /// Looks at the beginnings of all files of a reference; as `init(path:format:)`.
  public init(_ reference: TraceReference) throws {
    path = reference.path
    let parts = try FilePart.open(reference, skipping: log)
    guard let first = parts.first else {
      throw TraceError("no file", in: reference.path)
    }
    self.parts = parts
    format = first.format
    log.noteChoices(parts.flatMap(\.decoder.remarks))
    for part in parts where part.format.name != first.format.name {
      throw TraceError(
        "is \(part.format.name), but \(first.path) is \(first.format.name)", in: part.path,
        advice: "files that make one trace have the same format; name it with --format")
    }
    if parts.count > 1, let part = parts.first(where: \.decoder.isOneOfAKind) {
      throw TraceError(
        "has keys of its own, which cannot be matched with those of other files", in: part.path,
        advice: first.format.name == LarderFormat.name
          ? "join the files that it was converted from"
          : "read recordings one by one; those of plain keys and without sampling can be joined")
    }
    columns = parts.reduce(into: []) { $0.formUnion($1.decoder.columns) }
    let options = first.options
    let names = format.parameters.map(\.name)
    let ruleName = ["sizes", "size"].first { names.contains($0) }
    let rule = try ruleName.flatMap { try options.choice($0, of: SizeRule.self) }
    sizeRule = rule ?? first.decoder.sizeRule
    rules = ReadingRules(
      skipsZeroSizes: try options.flag(FormatParameter.skipZeroSize.name) ?? false,
      sample: try Self.sample(reference, of: first),
      maxBadShare: try reference.maxBadShare ?? options.share(FormatParameter.maxBad.name)
        ?? RecordBatch.maxBadShareDefault,
      hasSeveralFiles: parts.count > 1)
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
        advice: "read it without a sample of its own")
    }
    return rate
  }

  /// Decodes the files from their beginning.
  ///
  /// A large file is decoded in a thread of its own, where there is another core, and several
  /// files always are; `sink` is called in the caller's.
  ///
  /// - Throws: `TraceError` at the first thing that is wrong, and what `sink` throws.
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

  /// The first file that has no times.
  private var untimed: FilePart? { parts.first { !$0.decoder.columns.contains(.time) } }

  /// Calls `body` with a sink that gives requests the sizes that their files do not tell.
  private func withSizes(
    _ sink: RecordSink, _ body: (@escaping RecordSink) throws -> Void
  ) throws {
    try withoutActuallyEscaping(sink) { sink in
      guard parts.contains(where: \.decoder.remembersSizes) else { return try body(sink) }
      let sizes = KnownSizes(skipsZeroSizes: rules.skipsZeroSizes, source: path)
      try body { try sizes.pass($0, to: sink) }
    }
  }

  /// Decodes the files one after another, as given.
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
    // Whoever looks at the first requests has not seen enough to judge the rest.
    if wantsMore { try log.checkBadLines(rules) }
  }
}

extension FileSource {
  /// The file in pieces that several threads decode; nil where it is decoded in one, and for
  /// several files.
  func pieces(
    threads: Int, records: Int = PieceCrew.recordsDefault,
    bytesMinimum: Int = RecordPipe.bytesMinimum
  ) throws -> FilePieces? {
    guard threads > 1, parts.count == 1, let part = parts.first, part.size ?? 0 >= bytesMinimum,
      !part.decoder.sortsTimes, let reader = PieceReader(part)
    else { return nil }
    return FilePieces(
      reader: reader, log: log,
      wanted: WantedRecords(
        skipsZeroSizes: rules.skipsZeroSizes, sample: rules.sample.map(ObjectSample.init)),
      threads: threads, records: records)
  }

  /// The trace that the file holds ready to use, nil when it has to be prepared. In memory of our
  /// own where it takes up to half of what is left, or cannot be mapped; mapped otherwise.
  func prepared(memory: MemoryBudget = .machine) throws(TraceError) -> PreparedTrace? {
    guard format.name == LarderFormat.name, !rules.skipsZeroSizes, rules.sample == nil,
      parts.count == 1,
      let part = parts.first
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

/// Which requests of a trace's files are wanted, and how many lines may be unreadable.
struct ReadingRules: Sendable {
  /// Requests of size 0 are left out.
  var skipsZeroSizes = false
  /// The share of the objects whose requests are wanted; nil for all.
  var sample: Double?
  /// The share of all lines that may be bad.
  var maxBadShare = RecordBatch.maxBadShareDefault
  /// The trace has several files.
  var hasSeveralFiles = false

  /// The share of the lines of one file from which on it is given up. Where there are several, the
  /// others may have enough lines.
  var maxBadShareOfFile: Double { hasSeveralFiles ? 1 : maxBadShare }
}

/// One file of a trace, looked at and ready to be read.
struct FilePart: Sendable {
  /// The path as given.
  let path: String
  /// The format, given or recognised.
  let format: FormatDescription
  /// The format's options.
  let options: FormatOptions
  /// The decoder for this file.
  let decoder: any TraceDecoder
  /// Bytes as they are on disk; nil for a pipe.
  let size: Int?
  /// A pipe cannot be opened twice: the reader that looked at its beginning.
  let opened: OpenedReader?

  /// Looks at the beginning of a file that has just been opened.
  init(_ file: FileBytes, format spec: ComponentSpec?) throws {
    path = file.path
    var format = try spec.map { spec throws(ComponentError) in
      try FormatRegistry.format(named: spec.name)
    }
    let reader = ByteReader(try Compression.open(file), path: path)
    let sample = try FormatSample(path: path, reader)
    if sample.head.isEmpty {
      throw TraceError(
        reader.nulsPassed > 0
          ? "the file has nothing but NUL bytes" : "the file is empty once decompressed", in: path,
        advice: "a trace needs at least one request")
    }
    if format == nil { format = try FormatRegistry.recognise(sample) }
    guard let format else { throw TraceError("no format", in: path) }
    self.format = format.description
    options = try FormatOptions(
      spec ?? ComponentSpec(name: format.description.name), of: format.description)
    decoder = try format.decoder(options: options, sample: sample)
    size = file.size
    opened = file.isRegular ? nil : OpenedReader(file, reader)
  }

  /// Looks at all files of a reference. Of several, those that are empty are noted in `log` and
  /// left out: a log that was just rotated is.
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

  /// The earliest time among the first requests; the latest there is when there is no request.
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

  /// Decodes the file from its beginning and hands its requests to `sink`: in the order of their
  /// times, within a window, where the format wants that.
  ///
  /// - Returns: what was noticed, and false when the sink wants no more.
  func read(
    _ rules: ReadingRules, _ log: ReadingLog, into sink: @escaping RecordSink
  ) throws -> (facts: ReadingFacts, wantsMore: Bool) {
    let (file, reader) = try reader()
    let window =
      decoder.columns.contains(.time) && decoder.sortsTimes ? TimeWindow(sink: sink) : nil
    let sample = rules.sample.map(ObjectSample.init)
    let ordered: RecordSink = if let window { { try window.add($0) } } else { sink }
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
    if batch.wantsMore { try window?.finish() }
    if let sample { batch.noteSampling(sample.takeFacts()) }
    var facts = batch.reading
    facts.timesSorted = window?.late ?? 0
    return (facts, batch.wantsMore)
  }

  /// A reader at the beginning of the file.
  func reader() throws(TraceError) -> (file: FileBytes, reader: ByteReader) {
    if let opened { return try opened.take(path: path) }
    let file = try FileBytes(path: path)
    return (file, ByteReader(try Compression.open(file), path: path))
  }
}

/// The reader of something that can be read only once.
final class OpenedReader: Sendable {
  private let isTaken = Atomic<Bool>(false)
  /// Handed out once, by `take`.
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

/// Puts requests that are a little out of order where their time belongs: a log has a line when an
/// answer ends, and some answers take longer than others.
///
/// Requests are held back until so many more have come, and sorted when one of them is early.
/// Requests of the same time keep their order. What comes later than the window reaches is handed
/// on as it is.
final class TimeWindow {
  /// How many requests are held back.
  static let length = 1 << 16

  /// Requests that came after one with a later time.
  private(set) var late = 0

  private let records: UnsafeMutablePointer<TraceRecord>
  private let capacity: Int
  private var count = 0
  private var isSorted = true
  private var latest: UInt64 = 0
  private let sink: RecordSink

  /// An empty window in front of `sink`.
  init(length: Int = TimeWindow.length, sink: @escaping RecordSink) {
    capacity = 2 * length
    records = .allocate(capacity: capacity)
    self.sink = sink
  }

  deinit { records.deallocate() }

  /// Adds records; false when the sink wants no more.
  ///
  /// - Complexity: O(records) in order, O(records log length) otherwise.
  func add(_ batch: UnsafeBufferPointer<TraceRecord>) throws -> Bool {
    for record in batch {
      if record.time < latest {
        late += 1
        isSorted = false
      } else {
        latest = record.time
      }
      records[count] = record
      count += 1
      if count == capacity, try !release(capacity / 2) { return false }
    }
    return true
  }

  /// Hands on what is held back.
  func finish() throws {
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

/// The sizes of objects as a trace last told them, for traces that say 0 where production missed: a
/// request whose size is not known gets the size that its object had last, in any of the files.
final class KnownSizes {
  private var sizes: [UInt64: UInt32] = [:]
  private var growth = GrowthLimit("the sizes of objects", bytesEach: 16)
  private let skipsZeroSizes: Bool
  private let source: String
  private var filled: [TraceRecord] = []

  /// Nothing is known yet of the objects of `source`.
  init(skipsZeroSizes: Bool, source: String) {
    self.skipsZeroSizes = skipsZeroSizes
    self.source = source
  }

  /// Hands records to `sink` with their sizes; false when it wants no more.
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
