import Synchronization

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

  /// Looks at the beginning of a file.
  init(path: String, format spec: ComponentSpec?) throws {
    self.path = path
    var format = try spec.map { spec throws(ComponentError) in
      try FormatRegistry.format(named: spec.name)
    }
    let file = try FileBytes(path: path)
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
      return [try FilePart(path: reference.path, format: reference.format)]
    }
    var parts: [FilePart] = []
    for path in paths {
      if let file = try? FileBytes(path: path, allowsEmpty: true), file.size == 0 {
        log.noteEmpty(path)
      } else {
        parts.append(try FilePart(path: path, format: reference.format))
      }
    }
    if parts.isEmpty {
      throw TraceError(
        "the files are all empty", in: reference.path,
        advice: "a trace needs at least one request")
    }
    return parts
  }

  /// The files by the time of their first requests; as given where one has no times or can be read
  /// only once.
  static func inOrderOfTime(_ parts: [FilePart]) throws -> [FilePart] {
    guard parts.count > 1 else { return parts }
    var timed: [(part: FilePart, time: UInt64)] = []
    for part in parts {
      guard part.opened == nil, part.decoder.columns.contains(.time) else { return parts }
      timed.append((part, try part.firstTime()))
    }
    return timed.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element.part)
  }

  /// The earliest time among the first requests; the latest there is when there is no request.
  private func firstTime() throws -> UInt64 {
    var first = UInt64.max
    let reader = try reader().reader
    try decoder.decode(
      reader,
      into: RecordBatch(skipsZeroSizes: false, maxBadShare: 1) { batch in
        first = batch.reduce(into: first) { $0 = min($0, $1.time) }
        return false
      })
    return first
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
