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
