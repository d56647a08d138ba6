/// Anything that can produce the records of a trace, once, from the beginning: a file read through
/// its format, or a generator.
public protocol RecordSource: Sendable {
  /// The columns the records will fill.
  var columns: TraceColumns { get }

  /// All keys are below this number, when the source knows one that is small enough for a direct
  /// table (a generator does); nil otherwise.
  var keyLimit: Int? { get }

  /// How many records there will be, when the source knows; nil otherwise. Preparation compares the
  /// memory that they need with what there is before it begins.
  var requestCount: Int? { get }

  /// How sizes of one object that differ are resolved when the trace is prepared.
  var sizeRule: SizeRule { get }

  /// The share of the objects whose requests the source has; 1 for all.
  var samplingRate: Double { get }

  /// What was noticed while the records were read, once they have been.
  var reading: ReadingFacts { get }

  /// Hands all records to `sink`, in batches of a few thousand, until it wants no more.
  func records(into sink: RecordSink) throws
}

extension RecordSource {
  /// Unknown: keys go through a hash table.
  public var keyLimit: Int? { nil }

  /// Unknown.
  public var requestCount: Int? { nil }

  /// Every request keeps its own size.
  public var sizeRule: SizeRule { .logged }

  /// All objects.
  public var samplingRate: Double { 1 }

  /// Nothing to tell.
  public var reading: ReadingFacts { ReadingFacts() }
}
