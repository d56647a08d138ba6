import LarderEngine

struct HashIDsFormat: TraceFormat {
  let description = FormatDescription(
    name: "hash-ids",
    summary: "prompts as lists of prefix blocks, a JSON object per line (Mooncake, Qwen-Bailian)",
    layout: """
      Text, one JSON object per line: {"timestamp": 27, "input_length": 678, "output_length": 500, \
      "hash_ids": [46, 47]}. Each id of hash_ids (a number or a text) identifies the prompt up to \
      the end of a block of tokens and is a get of size 1, front to back, at the line's time. \
      Times are milliseconds; decimals are seconds, and long numbers are in the unit that gives a \
      plausible date. A block has 512 tokens if the lengths allow it, else the number that they \
      imply. input_length is used for prefixes; a line without it has full blocks, one without \
      timestamp has that of the previous line. Other keys are ignored.
      """,
    suffixes: [".hash-ids.jsonl"],
    parameters: [
      Parameter(
        "time-unit", default: "", "unit of the times: s, ms, us or ns; recognised by default"),
      Parameter(
        "block", .count(1...1 << 20), default: "", "tokens of a block; recognised by default"),
      .maxBad,
    ])

  private static let ids = Array("\"hash_ids\"".utf8)

  private static func scanner() -> JSONLineScanner {
    JSONLineScanner(["timestamp", "hash_ids", "input_length"])
  }

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let lines = sample.lines()
    func haveAll(_ text: [UInt8]) -> Bool {
      lines.allSatisfy {
        $0.withTextField { line in
          line.trimmed.count > 1 && line.trimmed.next.pointee == 0x7B && line.find(text) != nil
        }
      }
    }
    if lines.isEmpty { return .none }
    if haveAll(Self.ids) { return .certain }
    // Claimed so that the error names the missing field, unless the lines are a log that also has
    // lengths.
    let isClaimed = haveAll(Array("\"input_length\"".utf8))
    return isClaimed && JSONLinesFormat.lines.recognise(sample) < .certain ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    var times: [String] = []
    var guess = PromptBlockGuess()
    let scanner = Self.scanner()
    let lines = sample.lines(1000)
    var hasIDs = lines.isEmpty
    for line in lines {
      line.withTextField { line in
        guard scanner.scan(line) else { return }
        if !scanner.value(0).isEmpty { times.append(scanner.value(0).text) }
        guard let list = Self.list(line) else { return }
        hasIDs = true
        var tokens = scanner.value(2)
        if let tokens = tokens.takeInteger().flatMap({ Int(exactly: $0) }) {
          let items = TextField(list.next, list.find(0x5D) ?? list.end)
          let commas = (0..<items.count).count { items.next[$0] == 0x2C }
          guess.add(tokens: tokens, blocks: items.trimmed.isEmpty ? 0 : commas + 1)
        }
      }
    }
    guard hasIDs else {
      throw TraceError(
        "the lines have no 'hash_ids', which identify the common parts of prompts", in: sample.path,
        at: .line(1), advice: "lengths of prompts alone (input_length) cannot be simulated")
    }
    let given = options.text("block") == nil ? nil : try options.whole("block")
    let unit = try options.choice("time-unit", of: TimeUnit.self)
    let hasDecimals = times.contains { $0.contains(".") }
    let guessed = TimeUnit.guess(times, short: hasDecimals ? .seconds : .milliseconds)
    let block = given ?? guess.tokens
    var remarks: [String] = []
    if unit == nil, guessed != .milliseconds {
      remarks.append("Times are read as \(guessed.rawValue); time-unit= changes this.")
    }
    if given == nil, block != PreparedTrace.promptBlock {
      remarks.append("Blocks of prompts have \(block) tokens, by input_length and hash_ids.")
    }
    return Decoder(unit: unit ?? guessed, block: block, remarks: remarks)
  }

  private static func list(_ line: TextField) -> TextField? {
    guard let found = line.find(ids) else { return nil }
    var list = TextField(found + ids.count, line.end)
    return take(0x3A, &list) && take(0x5B, &list) ? list : nil
  }

  private static func take(_ byte: UInt8, _ text: inout TextField) -> Bool {
    text.skipBlanks()
    guard !text.isEmpty, text.next.pointee == byte else { return false }
    text.skip()
    return true
  }

  private struct Decoder: TraceDecoder {
    let unit: TimeUnit
    let block: Int
    let remarks: [String]
    var columns: TraceColumns { [.time, .prompt] }
    var understanding: [String] { remarks }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      let scanner = HashIDsFormat.scanner()
      var ids: [UInt64] = []
      var time: UInt64 = 0
      try reader.forEachLine(telling: batch) { line, number in
        if line.trimmed.isEmpty { return true }
        let tokens: UInt32
        do throws(TraceError) {
          tokens = try readPrompt(line, scanner, &time, &ids) { what in
            TraceError(
              "expected \(what), found \(line.quoted)", in: reader.path, at: .line(number),
              advice: #"a line is {"timestamp": milliseconds, "hash_ids": [numbers]}"#)
          }
        } catch {
          try batch.bad(error)
          return true
        }
        var prompt = tokens + 1
        for id in ids {
          let record = TraceRecord(key: id, time: time, prompt: prompt)
          prompt = 0
          guard try batch.append(record) else { return false }
        }
        return true
      }
      _ = try batch.flush()
    }

    private func readPrompt(
      _ line: TextField, _ scanner: JSONLineScanner, _ time: inout UInt64, _ ids: inout [UInt64],
      _ wrong: (String) -> TraceError
    ) throws(TraceError) -> UInt32 {
      ids.removeAll(keepingCapacity: true)
      guard scanner.scan(line) else { throw wrong("a JSON object") }
      let field = scanner.value(0)
      let at = field.isEmpty ? time : unit.microseconds(field)
      guard let at else { throw wrong("'timestamp' with a number (unit \(unit.rawValue))") }
      // The scanner checks that the line is an object; the list itself is read here.
      guard var list = HashIDsFormat.list(line) else { throw wrong("a list of 'hash_ids'") }
      time = at
      if HashIDsFormat.take(0x5D, &list) { return 0 }
      repeat {
        guard let id = Self.id(&list) else { throw wrong("numbers or texts in 'hash_ids'") }
        ids.append(id)
      } while HashIDsFormat.take(0x2C, &list)
      guard HashIDsFormat.take(0x5D, &list) else { throw wrong("numbers or texts in 'hash_ids'") }
      guard let tokens = tokens(scanner.value(2), blocks: ids.count) else {
        throw wrong("'input_length' with a whole number of tokens")
      }
      return tokens
    }

    @inline(__always) private static func id(_ list: inout TextField) -> UInt64? {
      list.skipBlanks()
      guard !list.isEmpty else { return nil }
      if list.next.pointee == 0x22 {
        list.skip()
        let start = list.next
        while let byte = list.takeByte() {
          if byte == 0x5C { return nil }
          if byte == 0x22 {
            return KeyHash.hash(UnsafeBufferPointer(start: start, count: list.next - start - 1))
          }
        }
        return nil
      }
      let isNegative = list.next.pointee == 0x2D
      if isNegative { list.skip() }
      return list.takeInteger().map { isNegative ? 0 &- $0 : $0 }
    }

    private func tokens(_ text: TextField, blocks: Int) -> UInt32? {
      var text = text
      guard text.isEmpty else {
        guard let tokens = text.takeInteger(), text.isEmpty, tokens < UInt32.max else { return nil }
        return UInt32(tokens)
      }
      return UInt32(clamping: min(blocks * block, Int(UInt32.max) - 1))
    }
  }
}
