import LarderEngine

/// All generators, by name. Adding one is a file in `Generators/` and a line in `all`.
public enum GeneratorRegistry {
  /// Every generator, in the order in which lists show them.
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

  /// The generator with the name.
  ///
  /// - Throws: `ComponentError` with the nearest name when there is none. Complexity:
  ///   O(generators).
  public static func generator(
    named name: String
  ) throws(ComponentError) -> RegisteredGenerator {
    let known = all.map(\.description.name)
    if let index = known.firstIndex(of: name) { return all[index] }
    let hint = name.nearest(among: known).map { "did you mean '\($0)'?" }
    throw ComponentError(
      component: name, parameter: nil,
      message: "unknown generator; \(hint ?? "known are \(known.joined(separator: ", "))")")
  }
}

/// A generator in the registry: its description, and the way to make it.
public struct RegisteredGenerator: Sendable {
  /// Name, parameters, columns and where it comes from.
  public let description: GeneratorDescription
  /// Makes it from its parameters.
  let make: @Sendable (GeneratorSetup) throws(ComponentError) -> GeneratorPlan

  /// One of several generators that share their code.
  init(
    _ description: GeneratorDescription,
    make: @escaping @Sendable (GeneratorSetup) throws(ComponentError) -> GeneratorPlan
  ) {
    self.description = description
    self.make = make
  }

  /// A generator with a file of its own.
  init(_ generator: (some Generator).Type) {
    description = generator.description
    make = { setup throws(ComponentError) in try generator.plan(setup) }
  }
}

/// What a generator's file provides.
protocol Generator: SendableMetatype {
  /// What it says of itself.
  static var description: GeneratorDescription { get }
  /// Reads its parameters.
  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan
}

/// What a generator says of itself: one constant beside its code, from which the registry, the
/// command line and the documentation are made.
public struct GeneratorDescription: Sendable {
  /// The name users type, such as `zipf`.
  public let name: String
  /// What it generates, in a sentence or two.
  public let summary: String
  /// The parameters that may follow the name.
  public let parameters: [GeneratorParameter]
  /// The columns it fills by itself; sizes, times to live, operations and a rate that a workload
  /// asks for come on top.
  public let columns: TraceColumns
  /// The paper or measurement it follows.
  public let source: String

  /// A description; see the properties for the meaning of each part.
  public init(
    name: String, summary: String, parameters: [GeneratorParameter], columns: TraceColumns = [],
    source: String
  ) {
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.columns = columns
    self.source = source
  }
}

/// What a generator's maker is given.
struct GeneratorSetup {
  /// The generator's own parameters.
  let parameters: ParameterReader
  /// How many records will be drawn.
  let requests: Int
  /// The seed of every random choice.
  let seed: UInt64
  /// The seed of what belongs to an object: its size and time to live. Sources that share their
  /// objects share it.
  let objectSeed: UInt64
}

/// What a generator's maker returns: the generator ready to run.
struct GeneratorPlan: Sendable {
  /// All keys are below this number; nil when it is too large for a table.
  let keyLimit: Int?
  /// Starts a run from the beginning: an endless one, the caller stops after enough records.
  let makeCursor: @Sendable () -> any RecordCursor

  /// A plan from a way to start a run.
  init(keyLimit: Int?, makeCursor: @escaping @Sendable () -> any RecordCursor) {
    self.keyLimit = keyLimit
    self.makeCursor = makeCursor
  }

  /// A plan whose records are only keys.
  init(keyLimit: Int?, stream: some KeyStream) {
    self.init(keyLimit: keyLimit) { KeyCursor(stream) }
  }
}

/// A source of records that are made, not read: any number of equal runs from one plan.
struct GeneratedSource: RecordSource {
  let columns: TraceColumns
  let keyLimit: Int?
  let requestCount: Int?
  /// Starts a run from the beginning.
  let makeCursor: @Sendable () throws -> any RecordCursor

  /// Records in a batch: 64 KiB of them, which stay in the second-level cache while several passes
  /// fill their columns.
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

/// A place in a sequence of records from which the next ones can be drawn. Unlike a `RecordSource`,
/// which pushes, cursors can be interleaved and put one after another.
protocol RecordCursor: AnyObject {
  /// Writes the next records from the buffer's beginning on and returns how many, 0 at the end. A
  /// cursor may return fewer than would fit although more follow. The buffer is never empty.
  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int
}

/// An endless sequence of keys: all that most synthetic generators are.
protocol KeyStream: Sendable {
  /// The next key.
  mutating func next() -> UInt64
}

extension KeyStream {
  /// Fills the buffer with gets. One call a batch, so that the loop is specialised for the stream.
  mutating func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) {
    for index in buffer.indices { buffer[index] = TraceRecord(key: next()) }
  }
}

/// The records of a stream of keys.
final class KeyCursor<Stream: KeyStream>: RecordCursor {
  private var stream: Stream

  init(_ stream: Stream) { self.stream = stream }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    stream.fill(buffer)
    return buffer.count
  }
}
