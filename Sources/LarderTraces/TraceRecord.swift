import LarderEngine
internal import LarderSupport

/// One request of a trace format or generator, before ids are dense.
public struct TraceRecord: Sendable, Hashable, BitwiseCopyable {
  /// Key of the object: the number in the trace, or a 64-bit hash of its text (`KeyHash`).
  public var key: UInt64
  /// Microseconds since the first request or since an epoch of the trace.
  public var time: UInt64
  /// Bytes; 1 if the trace has no sizes.
  public var size: UInt32
  /// TTL in seconds; 0 means no limit.
  public var ttl: UInt32
  /// Cost of a fetch; 1 if the trace has no costs.
  public var cost: Float
  /// One more than the tokens of the prompt that begins here; 0 if the request continues the prompt
  /// of the previous request, and in traces without prompts.
  public var prompt: UInt32
  /// Operation by its `Operation.rawValue`.
  public var operation: UInt8
  /// True if `size` is that of the complete object. Otherwise it is unknown (0) or that of a part
  /// or another response, and preparation fills it from other requests of the object.
  public var isSizeKnown: Bool
  package var outcome = Outcome.unknown

  /// Outcomes of requests in the cache that was recorded. `FillFolding` removes them.
  package enum Outcome: UInt8, Sendable, BitwiseCopyable {
    case unknown
    case hit
    case miss
    case fill
    /// Not a request of its own: the last get of the key, a miss in memory, was a hit on disk.
    case found
  }

  /// Marker of an unknown cost, which preparation fills as it fills sizes.
  public static let unknownCost: Float = -1

  /// A get of an object of size 1 at time 0.
  @inline(__always) public init(
    key: UInt64, time: UInt64 = 0, size: UInt32 = 1, ttl: UInt32 = 0, cost: Float = 1,
    operation: Operation = .get, isSizeKnown: Bool = true, prompt: UInt32 = 0
  ) {
    self.key = key
    self.time = time
    self.size = size
    self.ttl = ttl
    self.cost = cost
    self.operation = operation.rawValue
    self.isSizeKnown = isSizeKnown
    self.prompt = prompt
  }
}

extension Operation {
  /// True for operations that hit ratios count: a get, or a bypass, which is a miss.
  @inlinable package static func isCounted(_ number: UInt8) -> Bool {
    number == get.rawValue || number == bypass.rawValue
  }
}

/// Columns that a source of records fills in addition to the key. Others are discarded.
public struct TraceColumns: OptionSet, Sendable, Hashable {
  /// Bits of the set.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Sizes in bytes.
  public static let size = TraceColumns(rawValue: 1)
  /// Times in microseconds.
  public static let time = TraceColumns(rawValue: 2)
  /// Operations other than get may occur.
  public static let operation = TraceColumns(rawValue: 4)
  /// TTLs in seconds.
  public static let ttl = TraceColumns(rawValue: 8)
  /// Costs of a fetch.
  public static let cost = TraceColumns(rawValue: 16)
  /// Beginnings of prompts, with their tokens.
  public static let prompt = TraceColumns(rawValue: 32)

  /// Bytes per request in a prepared trace: its id, and these columns.
  var bytesPerRequest: Int {
    LarderColumn.allCases.filter { contains($0.trace) }.reduce(0) { $0 + $1.elementSize }
  }

  /// Names of the columns in the set, for messages.
  package var names: [String] {
    LarderColumn.allCases.filter { $0 != .ids && contains($0.trace) }
      .map { $0 == .ttls ? "TTLs" : "\($0)" }
  }
}

/// Receives records in batches, in order. Returns false to stop.
public typealias RecordSink = (UnsafeBufferPointer<TraceRecord>) throws -> Bool

/// A producer of a trace's records, once, from the beginning: a file read through its format, or a
/// generator.
public protocol RecordSource: Sendable {
  /// Columns that the records fill.
  var columns: TraceColumns { get }
  /// Upper bound of all keys, exclusive, if it is small enough for a direct table (as for
  /// generators); nil otherwise.
  var keyLimit: Int? { get }
  /// Number of records; nil if unknown. Preparation compares the memory for them with the available
  /// memory before it begins.
  var requestCount: Int? { get }
  /// Rule for resolving different sizes of one object when the trace is prepared.
  var sizeRule: SizeRule { get }
  /// Share of the objects whose requests the source has; 1 for all.
  var samplingRate: Double { get }
  /// Findings of the reading, complete once the records have been read.
  var reading: ReadingFacts { get }

  /// Sends all records to `sink` in batches of a few thousand; stops early if it returns false.
  func records(into sink: RecordSink) throws
}

extension RecordSource {
  /// Defaults to nil: keys go through a hash table.
  public var keyLimit: Int? { nil }
  /// Defaults to nil.
  public var requestCount: Int? { nil }
  /// Defaults to `logged`: every request keeps its own size.
  public var sizeRule: SizeRule { .logged }
  /// Defaults to 1: all objects.
  public var samplingRate: Double { 1 }
  /// Defaults to facts without findings.
  public var reading: ReadingFacts { ReadingFacts() }
}

/// An error in a trace: always a single line, with the file and the position in it.
public struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// File, or another name of the source.
  public var source: String
  /// Position in the source, if known.
  public var place: Place?
  /// Error, with the found and the expected content.
  public var message: String
  /// Suggestion for the user.
  public var advice: String?
  /// True if memory is insufficient and the source is not at fault.
  package var isMemoryShortage = false

  /// A position in a source.
  public enum Place: Hashable, Sendable {
    case line(Int)
    case byte(Int)
  }

  /// Creates an error; see the properties for the meaning of each part.
  public init(
    _ message: String, in source: String, at place: Place? = nil, advice: String? = nil
  ) {
    (self.source, self.place, self.message, self.advice) = (source, place, message, advice)
  }

  /// `file:12: expected a number, found 'x'; what to do`.
  public var description: String {
    var text = source
    switch place {
    case .line(let line): text += ":\(line)"
    case .byte(let offset): text += ": byte \(offset)"
    case nil: break
    }
    text += ": \(message)"
    if let advice { text += "; \(advice)" }
    return TextSafety.singleLine(text)
  }
}
