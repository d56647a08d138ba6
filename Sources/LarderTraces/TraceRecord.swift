import LarderEngine
internal import LarderSupport

/// One request as a trace format or a generator hands it over, before ids are dense.
public struct TraceRecord: Sendable, Hashable, BitwiseCopyable {
  /// The object's key: the number in the trace, or a 64-bit hash of its text (`KeyHash`).
  public var key: UInt64
  /// Microseconds since the first request or since an epoch of the trace's own.
  public var time: UInt64
  /// Bytes; 1 where the trace has no sizes.
  public var size: UInt32
  /// Seconds to live; 0 means no limit.
  public var ttl: UInt32
  /// Cost of a fetch; 1 where the trace has none.
  public var cost: Float
  /// Where a prompt begins, one more than its tokens; 0 where the request goes on with the prompt
  /// of the request ahead, and in traces without prompts.
  public var prompt: UInt32
  /// What the request does.
  public var operation: UInt8
  /// Whether `size` is that of the whole object. Otherwise it is unknown (0) or that of a part or
  /// of another answer than the object, and preparation fills it from what is known of the object.
  public var isSizeKnown: Bool

  /// The cost of a request whose cost is not known. Preparation fills it as it fills sizes.
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
  /// Whether hit ratios count an operation with this number: a get, or a request that passes all
  /// caches, which is a miss.
  @inlinable package static func isCounted(_ number: UInt8) -> Bool {
    number == get.rawValue || number == bypass.rawValue
  }
}

/// Which columns a source of records fills beside the key. The others are not kept.
public struct TraceColumns: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8
  /// A set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Sizes in bytes.
  public static let size = TraceColumns(rawValue: 1)
  /// Times in microseconds.
  public static let time = TraceColumns(rawValue: 2)
  /// Operations other than get may occur.
  public static let operation = TraceColumns(rawValue: 4)
  /// Times to live in seconds.
  public static let ttl = TraceColumns(rawValue: 8)
  /// Costs of a fetch.
  public static let cost = TraceColumns(rawValue: 16)
  /// Where prompts begin, and their tokens.
  public static let prompt = TraceColumns(rawValue: 32)

  /// Bytes that a request takes in a prepared trace: its id, and these columns.
  var bytesPerRequest: Int {
    let all: [(TraceColumns, Int)] = [
      (.size, 4), (.time, 8), (.operation, 1), (.ttl, 4), (.cost, 4), (.prompt, 4),
    ]
    return all.filter { contains($0.0) }.reduce(4) { $0 + $1.1 }
  }

  /// What the columns in the set hold, for messages.
  public var names: [String] {
    let all: [(TraceColumns, String)] = [
      (.size, "sizes"), (.time, "times"), (.operation, "operations"), (.ttl, "TTLs"),
      (.cost, "costs"), (.prompt, "prompts"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

/// Takes records in batches, in order. Returns false when it wants no more.
public typealias RecordSink = (UnsafeBufferPointer<TraceRecord>) throws -> Bool

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

/// What can be wrong with a trace: always a single line, with the file and the place in it.
public struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, or another name for the source.
  public var source: String
  /// Where in the source, when known.
  public var place: Place?
  /// What was found and what was expected.
  public var message: String
  /// What the user can do about it.
  public var advice: String?
  /// True where memory is short and nothing is wrong with the source.
  package var isMemoryShortage = false

  /// A place in a source.
  public enum Place: Hashable, Sendable {
    /// Line number, from 1.
    case line(Int)
    /// Offset in the decompressed bytes.
    case byte(Int)
  }

  /// An error at a place; see the properties for the meaning of each part.
  public init(
    _ message: String, in source: String, at place: Place? = nil, advice: String? = nil
  ) {
    self.source = source
    self.place = place
    self.message = message
    self.advice = advice
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
