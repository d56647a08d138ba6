import LarderEngine

struct Cache2kFormat: TraceFormat {
  let description = FormatDescription(
    name: "cache2k",
    summary: "binary keys of the cache2k and Caffeine benchmarks",
    layout: """
      4 or 8 bytes per get, big-endian: the object. No sizes, no times. Recognised by the suffix
      `.trace` and content that is not text. Keys have 8 bytes if the first ones are pairs of halves
      that do not mix; a note says so, and if the first keys do not show their length.
      """,
    suffixes: [".trace", ".cache2k"],
    parameters: [Parameter("bytes", default: "", "bytes of a key, 4 or 8; by default by content")])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    sample.isNamed(description.suffixes) && !sample.isText ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    switch options.text("bytes") {
    case "4": return Self.decoder(4)
    case "8": return Self.decoder(8)
    case nil: break
    default: throw options.wrong("bytes", expected: "4 or 8")
    }
    let found = KeyLength(sample)
    let length =
      found == .unclear
      ? "The first keys do not show if they have 4 or 8 bytes; they are read as 4"
      : "Keys are read as 8 bytes, because halves of 4 do not mix"
    return Self.decoder(
      found == .eight ? 8 : 4,
      remarks: found == .four
        ? [] : ["\(length); --format cache2k:bytes=\(found == .eight ? 4 : 8) changes this."])
  }

  private static func decoder(_ bytes: Int, remarks: [String] = []) -> any TraceDecoder {
    BinaryDecoder(
      layout: BinaryLayout(
        recordSize: bytes, id: .init(0, bytes == 4 ? "N" : "J"), remarks: remarks))
  }
}

private enum KeyLength {
  case four, eight, unclear

  /// Keys of 4 bytes occur at even and odd positions. Upper halves of keys of 8 bytes are few, or
  /// they do not occur as lower ones, and a lower half does not determine the next upper one.
  init(_ sample: FormatSample) {
    self = .four
    let bytes = sample.head
    if sample.isWhole, bytes.count % 8 != 0 { return }
    let words = (0..<(bytes.count / 8 * 2)).map { index in
      bytes[(4 * index)..<(4 * index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    let pairs = stride(from: 0, to: words.count, by: 2)
    let upper = Set(pairs.map { words[$0] })
    let lower = Set(pairs.map { words[$0 + 1] })
    let counts = Dictionary(words.map { ($0, 1) }, uniquingKeysWith: +)
    let repeated = words.count { counts[$0, default: 0] > 1 }
    let mixed = words.indices.count {
      ($0 % 2 == 0 ? lower : upper).contains(words[$0])
    }
    self = .unclear
    guard repeated >= 16 else { return }
    if upper.count * 4 <= lower.count {
      self = .eight
    } else if mixed * 10 > repeated {
      self = .four
    } else if !KeyLength.isLoop(words) {
      self = .eight
    }
  }

  private static func isLoop(_ words: [UInt32]) -> Bool {
    var next: [UInt32: UInt32] = [:]
    var (same, others) = (0, 0)
    for index in stride(from: 1, to: words.count - 1, by: 2) {
      if let known = next.updateValue(words[index + 1], forKey: words[index]) {
        if known == words[index + 1] { same += 1 } else { others += 1 }
      }
    }
    return same >= others
  }
}
