/// Prefixes of prompts, as published for caches of language models: an object of JSON per line.
struct HashIDsFormat: TraceFormat {
  let description = FormatDescription(
    name: "hash-ids",
    summary: "prompts as lists of prefix blocks, a JSON object per line (Mooncake)",
    layout: """
      Text, one JSON object per line: {"timestamp": 27, "input_length": 678, "output_length": 500, \
      "hash_ids": [46, 47]}. Each id of hash_ids stands for the prompt up to the end of a block of \
      512 tokens and is a get of size 1, front to back, at the line's time (milliseconds). \
      input_length counts for prefixes; a line without it has full blocks. Other keys are passed \
      over.
      """,
    suffixes: [".hash-ids.jsonl"])

  /// What a line must have: the marks of the format.
  private static let time = Array("timestamp".utf8)
  private static let ids = Array("\"hash_ids\"".utf8)
  private static let tokens = Array("input_length".utf8)

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let lines = sample.lines()
    let isOurs =
      !lines.isEmpty
      && lines.allSatisfy { line in
        line.withUnsafeBufferPointer { bytes in
          guard let base = bytes.baseAddress else { return false }
          let text = TextField(base, base + bytes.count).trimmed
          return text.count > 1 && text.next.pointee == 0x7B && text.find(Self.ids) != nil
        }
      }
    return isOurs ? .certain : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) -> any TraceDecoder { Decoder() }

  private struct Decoder: TraceDecoder {
    var columns: TraceColumns { [.time, .prompt] }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      let scanner = JSONLineScanner(
        [[HashIDsFormat.time], [Array("hash_ids".utf8)], [HashIDsFormat.tokens]])
      try reader.forEachLine { line, number in
        if line.trimmed.isEmpty { return true }
        func wrong(_ what: String) -> TraceError {
          TraceError(
            "expected \(what), found \(line.quoted)", in: reader.path, at: .line(number),
            advice: #"a line is {"timestamp": milliseconds, "hash_ids": [numbers]}"#)
        }
        guard scanner.scan(line) else { throw wrong("a JSON object") }
        var time = scanner.value(0)
        guard let milliseconds = time.takeInteger(), time.isEmpty, milliseconds <= Self.timeMax
        else { throw wrong("'timestamp' with whole milliseconds") }
        // The scanner says that the line is an object; the list itself is read here.
        guard let found = line.find(HashIDsFormat.ids) else { throw wrong("'hash_ids'") }
        var list = TextField(found + HashIDsFormat.ids.count, line.end)
        guard Self.take(0x3A, &list), Self.take(0x5B, &list) else {
          throw wrong("a list of 'hash_ids'")
        }
        if Self.take(0x5D, &list) { return true }
        guard let tokens = Self.tokens(scanner.value(2), list) else {
          throw wrong("'input_length' with a whole number of tokens")
        }
        var prompt = tokens + 1
        repeat {
          list.skipBlanks()
          guard let id = list.takeInteger() else { throw wrong("whole numbers in 'hash_ids'") }
          let record = TraceRecord(key: id, time: milliseconds * 1000, prompt: prompt)
          prompt = 0
          guard try batch.append(record) else { return false }
        } while Self.take(0x2C, &list)
        guard Self.take(0x5D, &list) else { throw wrong("whole numbers in 'hash_ids'") }
        return true
      }
      _ = try batch.flush()
    }

    /// The tokens of a prompt: what the line says, or 512 for each id in its list. Nil for anything
    /// else than a whole number that a column holds.
    private static func tokens(_ text: TextField, _ list: TextField) -> UInt32? {
      var text = text
      guard text.isEmpty else {
        guard let tokens = text.takeInteger(), text.isEmpty, tokens < UInt32.max else { return nil }
        return UInt32(tokens)
      }
      var (blocks, next) = (1, list.next)
      while next < list.end, next.pointee != 0x5D {
        if next.pointee == 0x2C { blocks += 1 }
        next += 1
      }
      return UInt32(clamping: min(blocks * PreparedTrace.promptBlock, Int(UInt32.max) - 1))
    }

    private static var timeMax: UInt64 { .max / 1000 }

    /// Takes a byte behind blanks, if it is there.
    private static func take(_ byte: UInt8, _ text: inout TextField) -> Bool {
      text.skipBlanks()
      guard !text.isEmpty, text.next.pointee == byte else { return false }
      text.skip()
      return true
    }
  }
}
