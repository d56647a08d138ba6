/// A format of trace files.
///
/// Adding one is a file in `Formats/` and a line in `FormatRegistry.standard`, or, in another
/// package, a call of `FormatRegistry.add`. A format is a value
/// without state: what it found out about one file is in the decoder it makes.
public protocol TraceFormat: Sendable {
  /// Name, layout and parameters, as users see them.
  var description: FormatDescription { get }

  /// How sure the format is that a file is its own, going by name and first bytes.
  func recognise(_ sample: FormatSample) -> FormatConfidence

  /// A decoder for the file that `sample` begins.
  ///
  /// - Throws: `ComponentError` for options that cannot be, `TraceError` when the file's beginning
  ///   shows that it cannot be read this way.
  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder
}

/// Turns the decompressed bytes of one file into records.
public protocol TraceDecoder: Sendable {
  /// The columns that the records fill.
  var columns: TraceColumns { get }

  /// All keys are below this number, when the file says so; nil otherwise.
  var keyLimit: Int? { get }

  /// How sizes of one object that differ are resolved, unless the user says so.
  var sizeRule: SizeRule { get }

  /// Whether requests that are out of order by time are put in order, within a window.
  var sortsTimes: Bool { get }

  /// How lines are understood where the decoder chose, in sentences for whoever checks it.
  var understanding: [String] { get }

  /// Sentences for whoever reads results: what was guessed, and which option says otherwise.
  var remarks: [String] { get }

  /// The share of the objects whose requests the file has; 1 for all.
  var samplingRate: Double { get }

  /// Whether a request whose size is not known has the size that its object had last, in this file
  /// or in another one of the trace; where nothing was told of the object, its own.
  var remembersSizes: Bool { get }

  /// Whether objects of this file cannot be matched with those of another one.
  var isOneOfAKind: Bool { get }

  /// Decodes from the first unread byte to the end, until the batch's sink wants no more.
  ///
  /// - Throws: `TraceError` with line or byte offset at the first thing that is wrong, and whatever
  ///   the sink throws.
  func decode(_ reader: ByteReader, into batch: RecordBatch) throws
}

extension TraceDecoder {
  /// Unknown, as it is for most formats.
  public var keyLimit: Int? { nil }

  /// Nothing was chosen.
  public var understanding: [String] { [] }

  /// Empty by default.
  public var remarks: [String] { [] }

  /// Every request keeps its own size.
  public var sizeRule: SizeRule { .logged }

  /// The order of the file is that of the requests.
  public var sortsTimes: Bool { false }

  /// All objects.
  public var samplingRate: Double { 1 }

  /// Sizes that are not known are resolved when the trace is prepared.
  public var remembersSizes: Bool { false }

  /// The same object has the same key in every file.
  public var isOneOfAKind: Bool { false }
}

/// How sure a format is that a file is its own.
public enum FormatConfidence: Int, Comparable, Sendable {
  /// It is not.
  case none
  /// It would decode, but so would much else.
  case possible
  /// The content has the marks of the format.
  case likely
  /// The name says so, or a magic number.
  case certain

  /// By certainty.
  public static func < (left: FormatConfidence, right: FormatConfidence) -> Bool {
    left.rawValue < right.rawValue
  }
}
