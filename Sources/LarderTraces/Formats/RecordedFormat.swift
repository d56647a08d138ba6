import LarderEngine

/// What a cache of this package records of its own requests.
struct RecordedFormat: TraceFormat {
  let description = FormatDescription(
    name: "recorded",
    summary: "what `cache.record(to:)` and `larder trace record` write",
    layout: """
      Little-endian: a header of 64 bytes that begins with 89 4C 41 52 52 45 43 0A, with the version
      and the share of keys that was recorded; then blocks with a length and two checksums, up to
      the last whole one. An event is an operation (get, set, remove ...), the hash of a key, a time
      in microseconds, whether a get was a hit, and size, time to live and cost where they are
      known. A set that follows a miss of its key is what the miss brought: the two are one get. A
      hit has the size and the time to live of what was stored last.
      """,
    suffixes: [".recorded"], parameters: [.size(.logged), .maxBad])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    sample.head.starts(with: RecordedHeader.magic) || sample.isNamed(description.suffixes)
      ? .certain : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    do {
      let header = try sample.head.withUnsafeBytes { bytes throws(RecordedHeader.Fault) in
        try RecordedHeader(decoding: bytes)
      }
      return RecordedDecoder(header: header)
    } catch let fault as RecordedHeader.Fault {
      throw Self.error(fault, sample)
    }
  }

  private static func error(_ fault: RecordedHeader.Fault, _ sample: FormatSample) -> TraceError {
    switch fault {
    case .short:
      TraceError(
        "\(sample.head.count) bytes are too few for a recording", in: sample.path,
        at: .byte(sample.head.count))
    case .magic:
      TraceError(
        "the file does not start with the magic number of a recording", in: sample.path,
        at: .byte(0))
    case .version(let version):
      TraceError(
        "version \(version) of recordings, but this larder reads \(RecordedHeader.version)",
        in: sample.path, at: .byte(8))
    case .damaged:
      TraceError("the header's checksum is wrong", in: sample.path, at: .byte(56))
    }
  }
}
