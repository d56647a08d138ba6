import LarderEngine

/// Reads the lines of a server as they come, through the format of its log.
package enum LiveTrace {
  /// Fills a buffer with the next bytes, of whole lines, and returns how many; 0 at the end.
  package typealias Input = (UnsafeMutableRawBufferPointer) throws(TraceError) -> Int

  /// Decodes what comes until the end, or until `sink` wants no more. Whatever has come is handed
  /// on before more is waited for. Lines that cannot be read are counted.
  ///
  /// - Parameters:
  ///   - format: the format's name.
  ///   - name: the server, for errors.
  ///   - noticing: told what was noticed so far whenever more is waited for.
  /// - Returns: what was noticed.
  /// - Throws: what `input` and `sink` throw.
  package static func decode(
    format: String, from name: String, noticing: @escaping (ReadingFacts) -> Void = { _ in },
    input: @escaping Input, into sink: @escaping RecordSink
  ) throws -> ReadingFacts {
    let format = try FormatRegistry.format(named: format)
    let options = try FormatOptions(
      ComponentSpec(name: format.description.name), of: format.description)
    let decoder = try format.decoder(
      options: options, sample: FormatSample(path: name, head: [], isWhole: false))
    let batch = RecordBatch(skipsZeroSizes: false, maxBadShare: 1, sink: sink)
    let source = Source(batch: batch, noticing: noticing, input: input)
    try decoder.decode(ByteReader(source, path: name), into: batch)
    if let failure = source.failure { throw failure }
    return batch.reading
  }

  private final class Source: ByteSource {
    private let batch: RecordBatch
    private let noticing: (ReadingFacts) -> Void
    private let input: Input
    /// What the sink threw when it was handed what had come.
    private(set) var failure: (any Error)?

    init(
      batch: RecordBatch, noticing: @escaping (ReadingFacts) -> Void, input: @escaping Input
    ) {
      self.batch = batch
      self.noticing = noticing
      self.input = input
    }

    func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
      do {
        guard try batch.flush() else { return 0 }
      } catch {
        failure = error
        return 0
      }
      noticing(batch.reading)
      return try input(space)
    }
  }
}
