import LarderEngine

/// Text tables: one request per line, with columns separated by delimiters.
struct CsvFormat: TraceFormat {
  let description = FormatDescription(
    name: "csv",
    summary: "text table, one request per line; columns by name or number",
    layout: """
      Text, one request per line, fields separated by delimiters; fields that contain delimiters are
      in double quotes (a double quote inside is doubled). Every line has as many fields as the
      first; others are bad lines (at most 1 % by default), unless ragged=true (the default for
      tables without a header whose lines differ much). Blank lines are skipped, and lines that
      begin with # if the file begins with one; the last of these may hold the names. Columns are
      given by number,
      from 1, or by the name in the header; several for an id as id=1+3. By default they are found
      by common names, ignoring case, blanks and punctuation: id, key, obj_id, object, lbn, url
      ...; time,
      timestamp, ts, time_ms ...; size, bytes, obj-size, response_size ...; ttl; cost; op, method,
      type ... (if all its first values are known). An id whose first values are all different is
      passed over if another column repeats. A note names the unused columns. An
      address, such as lbn or offset, belongs to the device in a column of that name. Ids: whole
      numbers are their own keys, other ids are hashed (64 bits). Times: decimals, or dates such as
      2026-03-01T10:00:00.5+01:00 and [01/Mar/2026:10:00:00 +0100]; numbers are in time-unit, else
      in the unit of the column's name (time_us), else in the unit that gives a plausible date.
      Sizes: whole
      bytes (1000, 1000.0, 1e3), empty or NaN if unknown; differing sizes of one object are
      resolved (unless the id is a block address, or the size is request_size or io_size: these are
      lengths of requests). TTLs: whole seconds, empty for none. Costs: decimals, empty if unknown.
      Operations in any case: get, gets, mget, read, head, fetch, REST.GET.OBJECT
      ... are gets; set, add, put, cas, replace, append, incr, write ... sets; delete, del, remove,
      unlink, purge ... deletes; modify and bypass (a request that bypasses the cache) themselves;
      R and W are accesses to blocks, both gets; 0, 1 and 2 are get, set and delete. Others are
      defined by ops=1:get:0:set, and others= sets the operation of unknown words such as POST.
      """,
    suffixes: [".csv", ".tsv"],
    parameters: [
      Parameter("id", default: "", "column of the object's id, or several: 1+3"),
      Parameter("time", default: "", "column of the time"),
      Parameter("size", default: "", "column of the size in bytes"),
      Parameter("ttl", default: "", "column of the TTL in seconds"),
      Parameter("op", default: "", "column of the operation"),
      Parameter("cost", default: "", "column of the cost of a fetch"),
      Parameter("header", default: "", "true or false; recognised by default"),
      Parameter(
        "delimiter", default: "",
        "a character, comma, tab, semicolon, pipe, colon or space; recognised by default"),
      Parameter(
        "comment", default: "",
        "prefix of comment lines, or none; by default # if the file begins with one"),
      Parameter(
        "ragged", default: "",
        "true reads lines with fewer or more fields; missing fields are empty"),
      Parameter(
        "ops", default: "",
        "words and their operations: 1:get:0:set:x:skip (or delete, modify, bypass)"),
      Parameter(
        "others", default: "skip",
        """
        operation of unknown words: skip (and count), get, set, delete, bypass, error
        """),
      .block,
      Parameter(
        "sector", .bytes(1...1 << 20), default: "",
        "bytes of one of the address that block= splits: 512 for lbn, 1 for offset"),
      .timeUnit, .skipZeroSize, .size(.lastFull, named: "sizes"), .maxBad,
    ])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    guard sample.isText else { return .none }
    // Not certain: more specific formats are tables with columns of a fixed meaning.
    if sample.isNamed(description.suffixes) { return .likely }
    let lines = sample.lines().filter { $0.first != UInt8(ascii: "#") }
    guard let first = lines.first, lines.count > 1 else { return .none }
    // Usual delimiters only: with blanks alone every text would be a table.
    for delimiter in CsvDelimiter.recognised {
      let count = first.count { $0 == delimiter }
      if count > 0 && lines.allSatisfy({ $0.count { $0 == delimiter } == count }) {
        return .possible
      }
    }
    return .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    CsvDecoder(layout: try CsvLayout(options: options, sample: sample))
  }
}

/// Delimiters between the fields of a table.
enum CsvDelimiter {
  /// Delimiters that are detected if none is given.
  static let recognised = [",", "\t", ";", "|"].flatMap { Array($0.utf8) }

  private static let words: [String: Character] = [
    "comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "colon": ":", "space": " ",
  ]

  /// The delimiter that a user gave, as a character or a word.
  static func delimiter(_ options: ParameterReader) throws(ComponentError) -> UInt8? {
    guard let text = options.text("delimiter") else { return nil }
    let characters = words[text.lowercased()].map { String($0) } ?? text
    guard characters.utf8.count == 1, let byte = characters.utf8.first, byte != 0x22 else {
      throw options.wrong(
        "delimiter", expected: "a character, or comma, tab, semicolon, pipe, colon or space")
    }
    return byte
  }

  /// The most frequent usual delimiter of the first line; a space if it has none of them.
  static func recognise(in line: ArraySlice<UInt8>) -> UInt8 {
    let counts = recognised.map { delimiter in (delimiter, line.count { $0 == delimiter }) }
    // Keeps the first of equals, so that a comma wins over rarer delimiters.
    let best = counts.reduce((UInt8(0), 0)) { $1.1 > $0.1 ? $1 : $0 }
    if best.1 > 0 { return best.0 }
    return line.contains(0x20) ? 0x20 : UInt8(ascii: ",")
  }
}

/// Decodes a table whose layout is known.
struct CsvDecoder: TraceDecoder {
  let layout: CsvLayout

  var columns: TraceColumns { layout.columns }
  var sizeRule: SizeRule { layout.hasRequestSizes ? .logged : .lastFull }
  var sortsTimes: Bool { true }
  var understanding: [String] { layout.understanding }
  var remarks: [String] { layout.remarks }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    let space = UnsafeMutableBufferPointer<TextField>.allocate(capacity: layout.fieldCount)
    defer { space.deallocate() }
    var isHeader = layout.hasHeader
    var header: [UInt8] = []
    var hasBegun = false
    var operations = CsvOperationLookup(layout.operations)
    try reader.forEachLine(telling: batch) { line, number in
      if line.isEmpty || line.trimmed.isEmpty { return true }
      if !layout.comment.isEmpty, line.starts(with: layout.comment) {
        if hasBegun { batch.skip("comments", line: line) }
        return true
      }
      hasBegun = true
      if isHeader {
        isHeader = false
        header = Array(UnsafeBufferPointer(start: line.next, count: line.count))
        return true
      }
      if layout.hasHeader, line.equals(header) {
        batch.skip("the header, repeated where files were concatenated")
        return true
      }
      guard split(line, into: space) else {
        try batch.bad(
          TraceError(
            splitProblem(line), in: reader.path, at: .line(number), advice: raggedAdvice(line)))
        return true
      }
      var record = TraceRecord(key: 0)
      if let role = readID(space, into: &record) {
        try batch.bad(TraceError(problem(role, idField(space)), in: reader.path, at: .line(number)))
        return true
      }
      for (role, column) in layout.roles {
        switch read(space[column], as: role, into: &record, &operations) {
        case .read: continue
        case .leftOut: batch.skip(leftOut(space[column]), line: line)
        case .bad:
          try batch.bad(
            TraceError(problem(role, space[column]), in: reader.path, at: .line(number)))
        }
        return true
      }
      if layout.block != nil {
        return try split(record, space, into: batch) {
          TraceError($0, in: reader.path, at: .line(number))
        }
      }
      return try batch.append(record)
    }
    _ = try batch.flush()
  }

  /// Writes the fields of a line to `space`; false if their number is wrong.
  @inline(__always) private func split(
    _ line: TextField, into space: UnsafeMutableBufferPointer<TextField>
  ) -> Bool {
    var splitter = CsvSplitter(line, delimiter: layout.delimiter)
    let count = splitter.take(into: space)
    if layout.isRagged {
      for place in count..<space.count { space[place] = TextField(line.end, line.end) }
      return !splitter.isMalformed
    }
    return count == space.count && splitter.next() == nil && !splitter.isMalformed
  }

  /// Reads the id; returns the role of an empty field.
  @inline(__always) private func readID(
    _ space: UnsafeMutableBufferPointer<TextField>, into record: inout TraceRecord
  ) -> CsvRole? {
    let first = space[layout.idColumns[0]]
    if first.isEmpty { return .id }
    if layout.idColumns.count == 1 {
      record.key = KeyHash.key(first)
    } else {
      var key = KeyHash.key(first)
      for column in layout.idColumns.dropFirst() {
        if space[column].isEmpty { return .id }
        key = KeyHash.joined(key, KeyHash.key(space[column]))
      }
      record.key = key
    }
    return nil
  }

  private func idField(_ space: UnsafeMutableBufferPointer<TextField>) -> TextField {
    space[layout.idColumns.last ?? 0]
  }

  /// Adds one request per block; false if the sink stopped.
  private func split(
    _ record: TraceRecord, _ space: UnsafeMutableBufferPointer<TextField>,
    into batch: RecordBatch, _ error: (String) -> TraceError
  ) throws -> Bool {
    let block = layout.block ?? 1
    let field = idField(space)
    let (offset, overflows) =
      DecimalNumber(field)?.whole?
      .multipliedReportingOverflow(by: layout.addressUnit) ?? (0, true)
    let length = record.isSizeKnown && layout.columns.contains(.size) ? record.size : block
    guard !overflows,
      let run = BlockRun.of(offset: offset, length: UInt64(length), block: UInt64(block))
    else {
      try batch.bad(
        error("expected the address of a request of \(length) bytes, found \(field.quoted)"))
      return true
    }
    var device: UInt64 = 0
    for column in layout.idColumns.dropLast() {
      device = KeyHash.joined(device, KeyHash.key(space[column]))
    }
    var part = record
    part.size = block
    part.isSizeKnown = true
    for step in 0..<run.count {
      part.key = BlockRun.key(device: device, run.first + step)
      guard try batch.append(part) else { return false }
    }
    return true
  }

  /// Result of reading a field.
  private enum Reading {
    case read
    /// The line is skipped by rule.
    case leftOut
    /// Invalid for its role.
    case bad
  }

  @inline(__always) private func read(
    _ field: TextField, as role: CsvRole, into record: inout TraceRecord,
    _ operations: inout CsvOperationLookup
  ) -> Reading {
    switch role {
    case .id: break
    case .time:
      guard let time = layout.timeUnit.microseconds(field) ?? LogTime.microseconds(field) else {
        return .bad
      }
      record.time = time
    case .size:
      if let size = SizeField.size(field) {
        record.size = size
      } else if let large = DecimalNumber(field)?.whole {
        record.size = UInt32(clamping: large)
      } else {
        guard field.isMissing else { return .bad }
        record.size = 0
        record.isSizeKnown = false
      }
    case .ttl:
      if let ttl = SizeField.size(field) {
        record.ttl = ttl
      } else if !field.isMissing {
        return .bad
      }
    case .operation:
      switch operations.meaning(field) {
      case .operation(let operation): record.operation = operation.rawValue
      case .leftOut: return .leftOut
      case nil:
        guard let operation = layout.unknownOperation else {
          return layout.leavesOutUnknown ? .leftOut : .bad
        }
        record.operation = operation.rawValue
      }
    case .cost:
      if let cost = CsvDecoder.cost(field) {
        record.cost = cost
      } else {
        guard field.isMissing else { return .bad }
        record.cost = TraceRecord.unknownCost
      }
    }
    return .read
  }

  private func leftOut(_ field: TextField) -> String {
    layout.operations.meaning(of: field.text) == nil
      ? "unknown operation \(field.quoted)"
      : "the operation \(field.quoted) is to be skipped"
  }

  /// Advice on the option `ragged`; nil for a malformed line.
  private func raggedAdvice(_ line: TextField) -> String? {
    var splitter = CsvSplitter(line, delimiter: layout.delimiter)
    while splitter.next() != nil {}
    return splitter.isMalformed ? nil : "ragged=true reads lines with fewer or more fields"
  }

  private static func cost(_ field: TextField) -> Float? {
    Float(field.text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }

  private func splitProblem(_ line: TextField) -> String {
    var splitter = CsvSplitter(line, delimiter: layout.delimiter)
    var count = 0
    while splitter.next() != nil { count += 1 }
    return splitter.isMalformed
      ? "unclosed quote, or no delimiter after it (a field must not span lines)"
      : "expected \(layout.fieldCount) fields, as line 1 has, found \(count)"
  }

  private func problem(_ role: CsvRole, _ field: TextField) -> String {
    switch role {
    case .id: "the id is empty"
    case .time: layout.timeUnit.problem(field)
    case .size: SizeField.problem(field)
    case .ttl: "expected a TTL in whole seconds, found \(field.quoted)"
    case .operation: "expected an operation such as get, set or delete, found \(field.quoted)"
    case .cost: "expected a cost of at least 0, found \(field.quoted)"
    }
  }
}

extension TextField {
  /// True for an empty field and the usual markers of missing values: `-`, NaN, NULL, None, NA.
  var isMissing: Bool {
    isNothing || equals(anyCase: "nan") || equals(anyCase: "null") || equals(anyCase: "none")
      || equals(anyCase: "na") || equals(anyCase: "n/a") || equals(anyCase: "<na>")
  }
}
