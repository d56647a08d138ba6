import LarderEngine
import LarderLibc
package import LarderSupport

/// Decodes a trace as it arrives, such as the output of a running server.
package enum LiveTrace {
  /// Fills a buffer with the next bytes and returns their number; 0 at the end.
  package typealias Input = (UnsafeMutableRawBufferPointer) throws(TraceError) -> Int

  package struct Reading {
    package let format: String
    package let understanding: [String]
    package let facts: ReadingFacts

    package init(format: String, understanding: [String], facts: ReadingFacts) {
      (self.format, self.understanding, self.facts) = (format, understanding, facts)
    }
  }

  /// Decodes input until its end, or until `sink` stops. Requests are passed on before the next
  /// read blocks.
  /// - Throws: `TraceError` for empty input, and any error of `input` and `sink`.
  package static func decode(
    format spec: ComponentSpec?, from name: String,
    noticing: @escaping (ReadingFacts) -> Void, input: @escaping Input,
    into sink: @escaping RecordSink
  ) throws -> Reading {
    let named = try FormatRegistry.format(of: spec)
    let batch = RecordBatch(skipsZeroSizes: false, maxBadShare: try maxBadShare(spec), sink: sink)
    let source = Source(batch: batch, noticing: noticing, input: input)
    let reader = ByteReader(source, path: name)
    while !hasTwoLines(reader.bytes), reader.unreadCount < FormatSample.length {
      guard try reader.fillMore() else { break }
    }
    let sample = FormatSample(
      path: name, head: Array(reader.bytes.prefix(FormatSample.length)), isWhole: reader.isAtEnd)
    if sample.head.isEmpty {
      throw TraceError("is empty", in: name, advice: "a trace needs at least one request")
    }
    let answers = sample.lines().map { String(decoding: $0, as: UTF8.self) }
    if named == nil, answers == ["OK"] || answers == ["ERROR"] {
      throw TraceError(
        "is the answer \(answers[0]) of a server, without a request", in: name,
        advice: answers[0] == "OK" ? nil : "memcached before 1.6.19 cannot watch deletions")
    }
    let format = try named ?? FormatRegistry.recognise(sample)
    let decoder = try format.decoder(
      options: try format.options(spec),
      sample: sample)
    try decoder.decode(reader, into: batch)
    if let failure = source.failure { throw failure }
    return Reading(
      format: format.description.name, understanding: decoder.understanding, facts: batch.reading)
  }

  /// The allowed share of bad lines: all, unless the options limit it.
  private static func maxBadShare(_ spec: ComponentSpec?) throws(ComponentError) -> Double {
    guard let spec, let text = spec.values[Parameter.maxBad.name] else { return 1 }
    let given = ComponentSpec(name: spec.name, values: [Parameter.maxBad.name: text])
    return try ParameterReader(given, parameters: [.maxBad]).share(Parameter.maxBad.name) ?? 1
  }

  private static func hasTwoLines(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var (lines, length) = (0, 0)
    for byte in bytes {
      length += 1
      guard byte == UInt8(ascii: "\n") else { continue }
      if length > 5 { lines += 1 }
      if lines == 2 { return true }
      length = 0
    }
    return false
  }

  private final class Source: ByteSource {
    private let batch: RecordBatch
    private let noticing: (ReadingFacts) -> Void
    private let input: Input
    private(set) var failure: (any Error)?

    init(
      batch: RecordBatch, noticing: @escaping (ReadingFacts) -> Void, input: @escaping Input
    ) {
      (self.batch, self.noticing, self.input) = (batch, noticing, input)
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

/// A recording of requests that arrive one by one, readable whenever the writer ends.
package final class RecordedTraceFile {
  private let path: String
  private let file: Int32
  private let files: any FileLayer
  private let threshold: UInt64
  private let hash: SipHash
  private var builder = RecordedBlockBuilder()
  private var began: UInt64?
  private var time: UInt64 = 0
  private var isClosed = false
  package private(set) var requests = 0
  package private(set) var gets: UInt64 = 0
  package var lost: UInt64 = 0

  package init(
    path: String, sampling: Double = 1, hash: SipHash = SipHash(),
    files: any FileLayer = SystemFiles()
  ) throws(TraceError) {
    guard let threshold = RecordedHeader.threshold(rate: sampling) else {
      throw TraceError(
        "sampling \(sampling) is out of range: expected above 0 and at most 1", in: path)
    }
    (self.threshold, self.hash, self.path, self.files) = (threshold, hash, path, files)
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw TraceError(
        errno == EEXIST
          ? "exists; a recording never overwrites a file"
          : "cannot be written: \(String(cString: strerror(errno)))", in: path)
    }
  }

  deinit { if !isClosed { close(file) } }

  package func add(_ records: some Sequence<TraceRecord>) throws(TraceError) {
    for record in records {
      if Operation.isCounted(record.operation) { gets += 1 }
      let key = hash.hash(record.key)
      guard UInt64(UInt32(truncatingIfNeeded: key)) < threshold else { continue }
      if began == nil { try begin(record.time) }
      requests += 1
      time = record.time - min(record.time, began ?? 0)
      builder.add(
        RecordedEvent(
          key: key, time: time, kind: Self.kind(record),
          outcome: RecordedEvent.Outcome(rawValue: record.outcome.rawValue) ?? .unknown,
          size: record.isSizeKnown ? UInt64(record.size) : nil,
          lifetime: record.ttl == 0 ? nil : UInt64(record.ttl) * 1000))
      if builder.isFull { try flush() }
    }
  }

  package func flush() throws(TraceError) {
    if builder.count > 0 { try write(builder.take(gets: gets, lost: lost)) }
  }

  package func finish() throws(TraceError) {
    if began == nil { try begin(0) }
    try flush()
    try write(RecordedBlockBuilder.end(time: time, gets: gets, lost: lost))
    isClosed = true
    let failed = fsync(file) != 0
    let reason = errno
    close(file)
    if failed { throw Self.error(path, reason) }
  }

  private func begin(_ time: UInt64) throws(TraceError) {
    began = time
    try write(
      RecordedHeader(threshold: threshold, began: time, origin: .server, keys: .keyed).encoded)
  }

  private static func kind(_ record: TraceRecord) -> RecordedEvent.Kind {
    if record.outcome == .found { return .found }
    return switch Operation(rawValue: record.operation) {
    case .set: .set
    case .delete: .remove
    case .modify: .modify
    case .bypass: .bypass
    case .expire: .expire
    case .get, nil: .get
    }
  }

  private func write(_ bytes: [UInt8]) throws(TraceError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFault) in try files.writeAll(bytes, to: file) }
    }
    do {
      try result.get()
    } catch {
      throw Self.error(path, error.code)
    }
  }

  private static func error(_ path: String, _ reason: Int32) -> TraceError {
    TraceError(
      "writing failed: \(String(cString: strerror(reason)))", in: path,
      advice: "the part written before remains readable")
  }
}
