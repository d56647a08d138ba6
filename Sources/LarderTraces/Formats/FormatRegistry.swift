import LarderEngine

/// All trace formats, by name. Adding one to this package is a file in `Formats/` and a line in
/// `standard`; a format of another package is added with `add`.
public enum FormatRegistry {
  /// The formats of this package, in the order in which lists show them.
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

  /// Every format: those of this package, then those that were added, in order.
  public static var all: [any TraceFormat] { standard + added.withLock { $0 } }

  /// Adds a format, so that commands and workload files read its traces, by name or because it
  /// recognises them.
  ///
  /// Add formats when the program starts, before a trace is read.
  ///
  /// - Throws: when the name is taken, or could not be typed: names are lower case, without colons.
  public static func add(_ format: any TraceFormat) throws(ComponentError) {
    let name = format.description.name
    if (try? ComponentSpec(parsing: name))?.name != name || name.isEmpty || name.contains(":") {
      throw ComponentError(
        component: name, parameter: nil,
        message: "a format cannot have this name; names are lower case, without colons")
    }
    let isNew = added.withLock { added in
      if (standard + added).contains(where: { $0.description.name == name }) { return false }
      added.append(format)
      return true
    }
    if !isNew {
      throw ComponentError(
        component: name, parameter: nil, message: "there is a trace format of this name already")
    }
  }

  /// The names of all formats.
  public static var names: [String] { all.map(\.description.name) }

  /// The format called `name`.
  ///
  /// - Throws: when there is none, with the names there are.
  public static func format(named name: String) throws(ComponentError) -> any TraceFormat {
    for format in all where format.description.name == name { return format }
    let near = name.nearest(among: names).map { "did you mean '\($0)'? " } ?? ""
    throw ComponentError(
      component: name, parameter: nil,
      message: "unknown trace format; \(near)known are \(names.joined(separator: ", "))")
  }

  /// The format that is surest that a file is its own. A name decides between formats that the
  /// content fits, and where it fits none.
  ///
  /// - Throws: when none is, or when several are equally sure.
  public static func recognise(_ sample: FormatSample) throws(TraceError) -> any TraceFormat {
    var nameless = sample
    nameless.name = ""
    var anyText = sample
    anyText.head = Array("?\n?\n".utf8)
    let formats = all
    let contents = formats.map { $0.recognise(nameless) }
    // What a format says that takes any text is no mark of the content.
    var anyNameless = anyText
    anyNameless.name = ""
    let marked = formats.indices.filter { formats[$0].recognise(anyNameless) == .none }
    let best = marked.map { contents[$0] }.max() ?? .none
    let answers = formats.indices.map { place -> (any TraceFormat, FormatConfidence) in
      let (format, answer) = (formats[place], formats[place].recognise(sample))
      // Names of formats that were added are theirs.
      guard answer == .certain, contents[place] == .none, place < standard.count else {
        return (format, answer)
      }
      // The content is that of another format: by its marks, or because a format that would be as
      // certain of any other text goes by the name alone.
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
        ? "cannot recognise the trace format by name and content"
        : "the trace format is ambiguous by name and content",
      in: sample.path, advice: "use --format with one of \(list)")
  }
}
