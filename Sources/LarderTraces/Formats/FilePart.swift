import Synchronization

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
