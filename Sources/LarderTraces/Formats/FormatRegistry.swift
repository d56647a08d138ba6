import LarderEngine

/// All trace formats, by name. To add a format to this package, add a file in `Formats/` and a line
/// in `standard`; register a format of another package with `add`.
public enum FormatRegistry {
  /// Formats of this package, in the order of lists.
  package static let standard: [any TraceFormat] = [
    OracleGeneralFormat(),
    CsvFormat(),
    TxtFormat(),
    ArcFormat(),
    LirsFormat(),
    VscsiFormat(),
    AdaptSizeFormat(),
    Cache2kFormat(),
    LcsFormat(),
    TwitterFormat(),
    MetaKVFormat(),
    MSRCambridgeFormat(),
    SpcFormat(),
    AlibabaBlockFormat(),
    TencentBlockFormat(),
    CombinedFormat(),
    SquidFormat(),
    W3CFormat(),
    HAProxyFormat(),
    S3Format(),
    ALBFormat(),
    JSONLinesFormat(),
    HashIDsFormat(),
    RedisMonitorFormat(),
    MemcachedWatchFormat(),
    RecordedFormat(),
    LarderFormat(),
  ]

  private static let added = Locked<[any TraceFormat]>([])

  /// All formats: those of this package, then registered ones in the order of registration.
  public static var all: [any TraceFormat] { standard + added.withLock { $0 } }

  /// Registers a format: commands and workload files can then read its traces, by name or by
  /// recognition.
  ///
  /// Register formats when the program starts, before a trace is read.
  ///
  /// - Throws: when the name is already registered or invalid: names are lower case, without
  ///   colons.
  public static func add(_ format: any TraceFormat) throws(ComponentError) {
    let name = format.description.name
    if (try? ComponentSpec(parsing: name))?.name != name || name.isEmpty || name.contains(":") {
      throw ComponentError(
        component: name, parameter: nil,
        message: "invalid format name; names are lower case, without colons")
    }
    let isNew = added.withLock { added in
      if (standard + added).contains(where: { $0.description.name == name }) { return false }
      added.append(format)
      return true
    }
    if !isNew {
      throw ComponentError(
        component: name, parameter: nil,
        message: "a trace format of this name is already "
          + "registered")
    }
  }

  /// The names of all formats.
  public static var names: [String] { all.map(\.description.name) }

  /// Returns the format of a spec; nil to recognise it: without a spec, and for `auto`.
  ///
  /// - Throws: for an unknown name.
  package static func format(of spec: ComponentSpec?) throws(ComponentError) -> (any TraceFormat)? {
    guard let spec, spec.name != "auto" else { return nil }
    return try format(named: spec.name)
  }

  /// Returns the format called `name`.
  ///
  /// - Throws: for an unknown name; the error lists the known ones.
  public static func format(named name: String) throws(ComponentError) -> any TraceFormat {
    for format in all where format.description.name == name { return format }
    throw ComponentError(
      component: name, parameter: nil,
      message: "unknown trace format\(UnknownName.hint(name, among: names))")
  }

  /// Returns the format with the highest confidence for a file. The file name decides between
  /// formats that fit the content, and alone if none fits.
  ///
  /// - Throws: when no format fits, or when several are equally certain.
  public static func recognise(_ sample: FormatSample) throws(TraceError) -> any TraceFormat {
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
      let isNameAlone =
        sample.isText && best != .none && format.recognise(anyText) == .certain
      return (format, isNameAlone || best == .certain ? .none : answer)
    }
    let surest = answers.map(\.1).max() ?? .none
    let candidates = answers.filter { $0.1 == surest }.map(\.0)
    if surest != .none, candidates.count == 1, let format = candidates.first { return format }
    if surest == .none, ByteOrderMark.isUTF16(sample.head) {
      throw ByteOrderMark.utf16Error(sample.path)
    }
    let list = (surest == .none ? all : candidates).map(\.description.name).joined(separator: ", ")
    throw TraceError(
      surest == .none
        ? "cannot detect the trace format from name and content"
        : "the trace format is ambiguous from name and content",
      in: sample.path, advice: "use --format with one of \(list)")
  }
}
