import Synchronization

/// A trace file as a source of records: opened, decompressed and decoded as it is read, with a few
/// hundred KiB of memory whatever the file's size.
public struct FileSource: RecordSource {
  /// The path as given.
  public let path: String
  /// The format the file is read in, given or recognised.
  public let format: FormatDescription
  /// The columns the format finds in this file.
  public var columns: TraceColumns { decoder.columns }

  /// All keys are below this number, when the file says so.
  public var keyLimit: Int? { decoder.keyLimit }

  private let decoder: any TraceDecoder
  private let skipsZeroSizes: Bool
  /// A pipe cannot be opened twice: the reader that looked at its beginning.
  private let opened: OpenedReader?

  /// Looks at the beginning of a file and finds out how to read it.
  ///
  /// - Parameters:
  ///   - path: the file, compressed or not.
  ///   - format: the format and its options; nil to recognise it by name and content.
  /// - Throws: `TraceError` for the file, `ComponentError` for the format.
  public init(path: String, format spec: ComponentSpec? = nil) throws {
    self.path = path
    var format = try spec.map { spec throws(ComponentError) in
      try FormatRegistry.format(named: spec.name)
    }
    let file = try FileBytes(path: path)
    let reader = ByteReader(try Compression.open(file), path: path)
    let isLonger = try reader.fill(atLeast: FormatSample.length)
    let sample = FormatSample(
      path: path, head: Array(reader.bytes.prefix(FormatSample.length)),
      isWhole: !isLonger)
    if sample.head.isEmpty {
      throw TraceError(
        "the file is empty once decompressed", in: path,
        advice: "a trace needs at least one request")
    }
    if format == nil { format = try FormatRegistry.recognise(sample) }
    guard let format else { throw TraceError("no format", in: path) }
    self.format = format.description
    let options = try FormatOptions(
      spec ?? ComponentSpec(name: format.description.name), of: format.description)
    skipsZeroSizes = try options.flag(FormatParameter.skipZeroSize.name) ?? false
    decoder = try format.decoder(options: options, sample: sample)
    opened = file.isRegular ? nil : OpenedReader(reader)
  }

  /// Decodes the file from its beginning.
  ///
  /// - Throws: `TraceError` at the first thing that is wrong, and what `sink` throws.
  /// - Complexity: O(bytes of the decompressed file).
  public func records(into sink: RecordSink) throws {
    let reader = try reader()
    try withoutActuallyEscaping(sink) { sink in
      try decoder.decode(reader, into: RecordBatch(skipsZeroSizes: skipsZeroSizes, sink: sink))
    }
  }
}

extension FileSource {
  /// The trace that the file holds ready to use, nil when it has to be prepared. In memory of our
  /// own where it takes up to half of what is left, or cannot be mapped; mapped otherwise.
  func prepared(memory: MemoryBudget = .machine) throws(TraceError) -> PreparedTrace? {
    guard format.name == LarderFormat.name, !skipsZeroSizes else { return nil }
    if opened == nil {
      let file = try FileBytes(path: path)
      if let size = file.size, UInt64(size) > memory.available() / 2,
        Compression.recognise(try file.peek(6)) == nil
      {
        let mapped = try MappedFile(path: path)
        return try LarderFormat.trace(in: mapped.bytes, owner: mapped, path: path)
      }
    }
    let loaded = try LoadedBytes(try reader(), memory: memory)
    return try LarderFormat.trace(in: loaded.bytes, owner: loaded, path: path)
  }

  /// A reader at the beginning of the file.
  private func reader() throws(TraceError) -> ByteReader {
    if let opened { return try opened.take(path: path) }
    return ByteReader(try Compression.open(try FileBytes(path: path)), path: path)
  }
}

/// The reader of something that can be read only once.
private final class OpenedReader: Sendable {
  private let isTaken = Atomic<Bool>(false)
  /// Handed out once, by `take`.
  nonisolated(unsafe) private let reader: ByteReader

  init(_ reader: ByteReader) { self.reader = reader }

  func take(path: String) throws(TraceError) -> ByteReader {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else {
      throw TraceError(
        "is a pipe and has been read already", in: path, advice: "save it to a file first")
    }
    return reader
  }
}
