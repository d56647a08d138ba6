import LarderEngine

/// All generators, by name. To add one, add a file in `Generators/` and a line in `all`.
public enum GeneratorRegistry {
  /// All generators, in the order of lists.
  public static let all: [RegisteredGenerator] =
    [
      RegisteredGenerator(ZipfGenerator.self),
      RegisteredGenerator(UniformGenerator.self),
      RegisteredGenerator(SequentialGenerator.self),
      RegisteredGenerator(LoopGenerator.self),
      RegisteredGenerator(ScanGenerator.self),
      RegisteredGenerator(HotSpotGenerator.self),
      RegisteredGenerator(LatestGenerator.self),
      RegisteredGenerator(ShiftingGenerator.self),
      RegisteredGenerator(OneHitWondersGenerator.self),
      RegisteredGenerator(NewsFeedGenerator.self),
      RegisteredGenerator(ProductImagesGenerator.self),
      RegisteredGenerator(ChatGenerator.self),
      RegisteredGenerator(PromptGenerator.self),
    ] + YCSBWorkload.all.map { YCSBGenerator.registered($0) }

  /// Returns the generator with the name.
  ///
  /// - Throws: `ComponentError` with the nearest name if it is unknown. Complexity: O(generators).
  public static func generator(
    named name: String
  ) throws(ComponentError) -> RegisteredGenerator {
    let known = all.map(\.description.name)
    if let index = known.firstIndex(of: name) { return all[index] }
    throw ComponentError(
      component: name, parameter: nil,
      message: "unknown generator\(UnknownName.hint(name, among: known))")
  }
}

/// A generator in the registry: its description and its factory.
public struct RegisteredGenerator: Sendable {
  /// Name, parameters, columns and origin.
  public let description: GeneratorDescription
  /// Creates the generator from its parameters.
  let make: @Sendable (GeneratorSetup) throws(ComponentError) -> GeneratorPlan

  /// One of several generators that share their code.
  init(
    _ description: GeneratorDescription,
    make: @escaping @Sendable (GeneratorSetup) throws(ComponentError) -> GeneratorPlan
  ) {
    self.description = description
    self.make = make
  }

  /// A generator in a file of its own.
  init(_ generator: (some Generator).Type) {
    description = generator.description
    make = { setup throws(ComponentError) in try generator.plan(setup) }
  }
}

/// Interface of a generator's file.
protocol Generator: SendableMetatype {
  /// Name, parameters, columns and origin.
  static var description: GeneratorDescription { get }
  /// Creates the generator from its parameters.
  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan
}

/// Description of a generator: one constant next to its code, used by the registry, the command
/// line and the documentation.
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
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.columns = columns
    self.source = source
  }
}

/// Input of a generator's factory.
struct GeneratorSetup {
  /// Parameters of the generator.
  let parameters: ParameterReader
  /// Number of records that will be drawn.
  let requests: Int
  /// Seed of all random choices.
  let seed: UInt64
  /// Seed of the properties of objects: size and TTL. Sources that share their objects share it.
  let objectSeed: UInt64
}

/// Result of a generator's factory: the generator ready to run.
struct GeneratorPlan: Sendable {
  /// Upper bound of all keys, exclusive; nil if it is too large for a table.
  let keyLimit: Int?
  /// Starts an endless run from the beginning; the caller stops after enough records.
  let makeCursor: @Sendable () -> any RecordCursor

  init(keyLimit: Int?, makeCursor: @escaping @Sendable () -> any RecordCursor) {
    self.keyLimit = keyLimit
    self.makeCursor = makeCursor
  }

  /// A plan whose records have only keys.
  init(keyLimit: Int?, stream: some KeyStream) {
    self.init(keyLimit: keyLimit) { KeyCursor(stream) }
  }
}

/// A source of generated records: any number of identical runs of one plan.
struct GeneratedSource: RecordSource {
  let columns: TraceColumns
  let keyLimit: Int?
  let requestCount: Int?
  /// Starts a run from the beginning.
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

/// A position in a sequence of records. Unlike a `RecordSource`, which pushes, cursors can be
/// interleaved and concatenated.
protocol RecordCursor: AnyObject {
  /// Writes the next records to the start of the buffer and returns their number, 0 at the end. A
  /// cursor may return fewer than fit although more follow. The buffer is never empty.
  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int
}

/// An endless sequence of keys, sufficient for most synthetic generators.
protocol KeyStream: Sendable {
  mutating func next() -> UInt64
}

extension KeyStream {
  /// Fills the buffer with gets. One call per batch, so that the loop is specialised for the
  /// stream.
  mutating func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) {
    for index in buffer.indices { buffer[index] = TraceRecord(key: next()) }
  }
}

/// Records of a key stream.
final class KeyCursor<Stream: KeyStream>: RecordCursor {
  private var stream: Stream

  init(_ stream: Stream) { self.stream = stream }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    stream.fill(buffer)
    return buffer.count
  }
}
