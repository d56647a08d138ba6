import LarderEngine

/// All generators, by name: those of this package, declared in extensions of `RegisteredGenerator`,
/// and those of other packages.
public enum GeneratorRegistry {
  private static let registry = Registry<RegisteredGenerator>(
    "generator",
    [
      .zipf, .uniform, .sequential, .loop, .scan, .hotSpot, .latest, .shifting, .oneHitWonders,
      .newsFeed, .productImages, .chat, .prompts,
    ] + YCSBWorkload.all.map(\.generator), name: \.description.name)

  package static var all: [RegisteredGenerator] { registry.all }

  /// Registers a generator of another package when the program starts: commands and workload files
  /// then know it.
  /// - Throws: when the name is taken or invalid.
  public static func add(_ generator: RegisteredGenerator) throws(ComponentError) {
    try registry.add(generator)
  }

  package static func generator(
    named name: String
  ) throws(ComponentError) -> RegisteredGenerator {
    try registry.entry(named: name)
  }
}

/// A generator: its description and its factory.
public struct RegisteredGenerator: Sendable {
  /// Name, parameters, columns and origin.
  public let description: GeneratorDescription
  let make: @Sendable (GeneratorSetup) throws(ComponentError) -> GeneratorPlan

  /// Creates a generator from its description and a function that validates the parameters.
  public init(
    _ description: GeneratorDescription,
    make: @escaping @Sendable (GeneratorSetup) throws(ComponentError) -> GeneratorPlan
  ) {
    self.description = description
    self.make = make
  }

  init(
    name: String, summary: String, parameters: [Parameter], columns: TraceColumns = [],
    source: String,
    make: @escaping @Sendable (GeneratorSetup) throws(ComponentError) -> GeneratorPlan
  ) {
    self.init(
      GeneratorDescription(
        name: name, summary: summary, parameters: parameters, columns: columns, source: source),
      make: make)
  }
}

/// Description of a generator, for the registry, the command line and the documentation.
public struct GeneratorDescription: Sendable {
  /// Name that users type, such as `zipf`.
  public let name: String
  /// Summary in a sentence or two.
  public let summary: String
  /// Parameters that may follow the name.
  public let parameters: [Parameter]
  /// Columns that the generator fills itself; a workload may add sizes, TTLs, operations and times.
  public let columns: TraceColumns
  /// Paper or measurement that it follows.
  public let source: String

  /// Creates a description; see the properties for the meaning of each part.
  public init(
    name: String, summary: String, parameters: [Parameter], columns: TraceColumns = [],
    source: String
  ) {
    (self.name, self.summary, self.parameters, self.columns) = (name, summary, parameters, columns)
    self.source = source
  }
}

/// A generator ready to run, any number of times.
public struct GeneratorPlan: Sendable {
  let keyLimit: Int?
  /// Starts an endless run from the beginning; the caller stops after enough records.
  let makeCursor: @Sendable () -> any RecordCursor

  /// Creates a plan from the first state of a run and the upper bound of all keys, exclusive, if
  /// there is one.
  public init<Stream: RecordStream>(
    keyLimit: Int?, stream: @escaping @Sendable @autoclosure () -> Stream
  ) {
    self.keyLimit = keyLimit
    makeCursor = { StreamCursor(stream()) }
  }
}

/// State of an endless run of a generator.
public protocol RecordStream: Sendable {
  /// Draws the next record.
  mutating func next() -> TraceRecord
}

/// State of a generator whose records are gets that differ only in their keys.
public protocol KeyStream: RecordStream {
  /// Draws the next key.
  mutating func nextKey() -> UInt64
}

extension KeyStream {
  /// A get of the next key.
  @inline(__always) public mutating func next() -> TraceRecord { TraceRecord(key: nextKey()) }
}

/// State of a generator whose records come in bursts, one for each event.
protocol BurstStream: RecordStream {
  var burst: Burst { get set }
  mutating func step()
}

struct Burst {
  private(set) var records: [TraceRecord] = []
  private var taken = 0

  mutating func append(_ record: TraceRecord) { records.append(record) }

  mutating func beginPrompt(_ prompt: UInt32) { records[0].prompt = prompt }

  fileprivate mutating func take() -> TraceRecord? {
    if taken == records.count {
      records.removeAll(keepingCapacity: true)
      taken = 0
      return nil
    }
    taken += 1
    return records[taken - 1]
  }
}

extension BurstStream {
  mutating func next() -> TraceRecord {
    while true {
      if let record = burst.take() { return record }
      step()
    }
  }
}

/// A position in a sequence of records; a `RecordSource`, which pushes, cannot be interleaved.
protocol RecordCursor: AnyObject {
  /// Writes the next records to the start of the buffer and returns their number, 0 at the end. A
  /// cursor may return fewer than fit although more follow. The buffer is never empty.
  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int
}

private final class StreamCursor<Stream: RecordStream>: RecordCursor {
  private var stream: Stream

  init(_ stream: Stream) { self.stream = stream }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    // One exclusive access for each batch.
    func fill(_ stream: inout Stream) {
      for index in buffer.indices { buffer[index] = stream.next() }
    }
    fill(&stream)
    return buffer.count
  }
}

/// A source of generated records: any number of identical runs of one plan.
struct GeneratedSource: RecordSource {
  let columns: TraceColumns
  let keyLimit: Int?
  let requestCount: Int?
  let makeCursor: @Sendable () throws -> any RecordCursor

  /// Records per batch: 64 KiB, which stay in the second-level cache while several passes fill
  /// their columns.
  static let batch = 2048

  func records(into sink: RecordSink) throws {
    let cursor = try makeCursor()
    let buffer = UnsafeMutableBufferPointer<TraceRecord>.allocate(capacity: Self.batch)
    defer { buffer.deallocate() }
    while true {
      let count = try cursor.fill(buffer)
      guard count > 0, try sink(UnsafeBufferPointer(rebasing: buffer[..<count])) else { return }
    }
  }
}
