import LarderEngine

/// All trace formats, by name. To add a format to this package, add a row to `TableFormat.all`,
/// `BinaryFormat.all` or `ServerLog.all`, or a file in `Formats/` and a line here; add one of
/// another package with `add`.
public enum FormatRegistry {
  private static let registry = Registry<any TraceFormat>(
    "trace format",
    BinaryFormat.all + [CsvFormat()] + TableFormat.all + [
      Cache2kFormat(),
      CombinedFormat(),
    ] + ServerLog.all + [
      W3CFormat(),
      JSONLinesFormat.lines, JSONLinesFormat.table,
      HashIDsFormat(),
      RedisMonitorFormat(),
      MemcachedWatchFormat(),
      RecordedFormat(),
      LarderFormat(),
    ], name: \.description.name)

  package static var standard: [any TraceFormat] { registry.standard }

  package static var all: [any TraceFormat] { registry.all }

  package static var names: [String] { registry.names }

  /// Registers a format: commands and workload files can then read its traces, by name or by
  /// recognition. Register formats when the program starts, before a trace is read.
  /// - Throws: when the name is already registered or invalid.
  public static func add(_ format: any TraceFormat) throws(ComponentError) {
    try registry.add(format)
  }

  package static func format(of spec: ComponentSpec?) throws(ComponentError) -> (any TraceFormat)? {
    guard let spec, spec.name != "auto" else { return nil }
    return try format(named: spec.name)
  }

  package static func format(named name: String) throws(ComponentError) -> any TraceFormat {
    try registry.entry(named: name)
  }

  /// The format with the highest confidence for a file. The file name decides between formats that
  /// fit the content, and alone if none fits.
  package static func recognise(_ sample: FormatSample) throws(TraceError) -> any TraceFormat {
    if let error = FileKind.error(sample) { throw error }
    var nameless = sample
    nameless.name = ""
    var anyText = sample
    anyText.head = Array("?\n?\n".utf8)
    let formats = all
    let contents = formats.map { $0.recognise(nameless) }
    // Formats that accept any text say nothing about the content.
    var anyNameless = anyText
    anyNameless.name = ""
    let marked = formats.indices.filter { formats[$0].recognise(anyNameless) == .none }
    let best = marked.map { contents[$0] }.max() ?? .none
    let answers = formats.indices.map { place -> (any TraceFormat, FormatConfidence) in
      let (format, answer) = (formats[place], formats[place].recognise(sample))
      // Suffixes of registered formats belong to them.
      guard answer == .certain, contents[place] == .none, place < standard.count else {
        return (format, answer)
      }
      // The content is that of another format: by its marks, or because the named format would be
      // equally certain of any other text.
      let isNameAlone = sample.isText && best != .none && format.recognise(anyText) == .certain
      return (format, isNameAlone || best == .certain ? .none : answer)
    }
    let surest = answers.map(\.1).max() ?? .none
    let candidates = answers.filter { $0.1 == surest }.map(\.0)
    if surest != .none, candidates.count == 1, let format = candidates.first { return format }
    let list = candidates.map(\.description.name).joined(separator: ", ")
    throw TraceError(
      surest == .none
        ? "cannot detect the trace format from name and content"
        : "the trace format is ambiguous from name and content",
      in: sample.path,
      advice: surest == .none ? FileKind.waysOn : "use --format with one of \(list)")
  }
}

struct FileKind {
  private let magic: [UInt8]
  private let offset: Int
  private let name: String
  private let conversion: String

  private init(_ magic: [UInt8], _ name: String, _ conversion: String, offset: Int = 0) {
    (self.magic, self.name, self.conversion) = (magic, name, conversion)
    self.offset = offset
  }

  private init(_ magic: String, _ name: String, _ conversion: String, offset: Int = 0) {
    self.init(Array(magic.utf8), name, conversion, offset: offset)
  }

  static let waysOn =
    "name its format with --format ('larder list formats' shows them), or the columns of a table, "
    + "as in --format csv:time=1:id=2:size=3"

  private static let table = "convert it to CSV"
  private static let unpack = "unpack it first, as in"

  private static let all: [FileKind] = [
    FileKind("PAR1", "a Parquet file", table), FileKind("ORC\u{3}", "an ORC file", table),
    FileKind("ARROW1", "an Arrow file", table), FileKind("FEA1", "a Feather file", table),
    FileKind("Obj\u{1}", "an Avro file", table),
    FileKind("SQLite format 3", "a SQLite file", table),
    FileKind([0x89, 0x48, 0x44, 0x46, 0x0D], "an HDF5 file", table),
    FileKind([0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59], "a NumPy file", table),
    FileKind("PK\u{3}\u{4}", "a zip archive (or a spreadsheet)", "\(unpack) unzip -p FILE"),
    FileKind([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive", "\(unpack) 7z e -so FILE"),
    FileKind("Rar!", "a RAR archive", "\(unpack) unrar p -inul FILE"),
    FileKind("ustar", "a tar archive", "\(unpack) tar -xOf FILE", offset: 257),
    FileKind([0x04, 0x22, 0x4D, 0x18], "an lz4 file", "\(unpack) lz4 -dc FILE"),
    FileKind([0x02, 0x21, 0x4C, 0x18], "an lz4 file", "\(unpack) lz4 -dc FILE"),
    FileKind([0xFF, 0x06, 0, 0, 0x73, 0x4E, 0x61, 0x50], "a snappy file", "unpack it first"),
    FileKind("LZIP", "an lzip file", "\(unpack) lzip -dc FILE"),
    FileKind([0x89, 0x4C, 0x5A, 0x4F], "an lzop file", "\(unpack) lzop -dc FILE"),
    FileKind([0x1F, 0x9D, 0x90], "a file of compress", "\(unpack) uncompress -c FILE"),
    FileKind([0xD4, 0xC3, 0xB2, 0xA1], "a packet capture", table),
    FileKind([0x0A, 0x0D, 0x0D, 0x0A], "a packet capture", table),
    FileKind("ElfFile", "a Windows event log", table), FileKind("REDIS0", "a Redis dump", monitor),
    FileKind("*2\r\n$6\r\nSELECT", "an append-only file of Redis", monitor),
    FileKind("%PDF-", "a PDF file", table), FileKind("<!DOCTYPE html", "an HTML page", page),
    FileKind("<html", "an HTML page", page),
  ]

  private static let monitor = "record the requests, as in redis-cli MONITOR | larder trace record"
  private static let page = "download the log itself"

  static func error(_ sample: FormatSample, isGiven: Bool = false) -> TraceError? {
    if !isGiven, isUTF16(sample.head) { return ByteOrderMark.utf16Error(sample.path) }
    let kind = all.first { kind in
      sample.head.count > kind.offset + kind.magic.count
        && sample.head[kind.offset...].starts(with: kind.magic)
    }
    return kind.map {
      TraceError(
        "is \($0.name) and no log, table or trace", in: sample.path, at: .byte($0.offset),
        advice: "\($0.conversion), or name another format with --format")
    }
  }

  private static func isUTF16(_ head: [UInt8]) -> Bool {
    if ByteOrderMark.isUTF16(head) { return true }
    guard head.count >= 64 else { return false }
    return [0, 1].contains { first in
      stride(from: 0, to: 64, by: 2).allSatisfy { place in
        let (letter, null) = (head[place + first], head[place + 1 - first])
        return null == 0 && ((0x20..<0x7F).contains(letter) || [0x09, 0x0A, 0x0D].contains(letter))
      }
    }
  }
}
