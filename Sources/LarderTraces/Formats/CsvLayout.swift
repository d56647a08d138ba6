import LarderEngine

/// What becomes of operations of a table whose words are not known.
enum CsvUnknown: String, CaseIterable, Sendable {
  case skip, get, set, delete, bypass, error

  /// The operation; nil for those that are none.
  var operation: Operation? {
    switch self {
    case .get: .get
    case .set: .set
    case .delete: .delete
    case .bypass: .bypass
    case .skip, .error: nil
    }
  }
}

/// How to read one table: delimiter, header, and what the columns are.
struct CsvLayout: Sendable {
  /// The byte between fields. Several spaces in a row count as one.
  let delimiter: UInt8
  /// The first line holds names.
  let hasHeader: Bool
  /// How many fields every line has.
  let fieldCount: Int
  /// The column, from 0, of each role there is.
  let roles: [(role: CsvRole, column: Int)]
  /// The unit of the times.
  let timeUnit: TimeUnit
  /// Sizes are lengths of requests, not of objects: ids are addresses of blocks, or the column of
  /// the sizes says so.
  let hasRequestSizes: Bool
  /// What an operation is whose word is not known; nil when it is none.
  let unknownOperation: Operation?
  /// Lines with such an operation are left out.
  let leavesOutUnknown: Bool
  /// The names of the columns, or their numbers.
  private let names: [String]

  /// Works out the layout from what the user says and the first lines.
  init(options: FormatOptions, sample: FormatSample) throws {
    if ByteOrderMark.isUTF16(sample.head) { throw ByteOrderMark.utf16Error(sample.path) }
    let lines = sample.lines(2)
    guard let first = lines.first else {
      throw TraceError(
        "no line in the first \(FormatSample.length) bytes", in: sample.path, at: .line(1),
        advice: "is this a text table?")
    }
    timeUnit = try options.choice(FormatParameter.timeUnit.name, of: TimeUnit.self) ?? .seconds
    let delimiter =
      try CsvDelimiter.delimiter(options) ?? CsvDelimiter.recognise(in: first)
    self.delimiter = delimiter
    let rows = lines.map { CsvLayout.fields(of: $0, delimiter: delimiter) }
    let names = rows[0].map { $0.lowercased() }
    let hasHeader =
      try options.flag("header") ?? CsvLayout.looksLikeHeader(rows, options: options)
    self.hasHeader = hasHeader
    fieldCount = names.count
    self.names = hasHeader ? names : (1...max(1, names.count)).map { "column \($0)" }
    let others = try options.choice("others", of: CsvUnknown.self) ?? .skip
    unknownOperation = others.operation
    leavesOutUnknown = others == .skip
    roles = try CsvLayout.roles(
      options: options, names: names, hasHeader: hasHeader,
      firstValues: hasHeader ? rows.dropFirst().first : rows.first)
    let id = roles.first { $0.role == .id }
    let blocks = ["lbn", "lba", "block", "block_id", "blockid", "block-id"]
    let size = roles.first { $0.role == .size }
    let hasBlocks = id.map { blocks.contains(names[$0.column]) } ?? false
    let isLength = size.map { ["request_size", "io_size"].contains(names[$0.column]) } ?? false
    hasRequestSizes = hasHeader && (hasBlocks || isLength)
    if !roles.contains(where: { $0.role == .id }) {
      throw TraceError(
        hasHeader
          ? "which column is the object's id? the header has \(names.joined(separator: ", "))"
          : "which of the \(names.count) columns is the object's id?",
        in: sample.path, at: .line(1), advice: "name it, as in --format csv:time=1:id=2:size=3")
    }
  }

  /// The columns that the records fill.
  var columns: TraceColumns { TraceColumns(roles.compactMap(\.role.column)) }

  /// Which column is what, in a sentence.
  var understanding: [String] {
    let text = roles.map { "\(names[$0.column]) is the \($0.role.rawValue)" }
    return [text.joined(separator: ", ")]
  }

  /// The columns of the roles: those given, or if none is given those with usual names.
  private static func roles(
    options: FormatOptions, names: [String], hasHeader: Bool, firstValues: [String]?
  ) throws(ComponentError) -> [(role: CsvRole, column: Int)] {
    var roles: [(role: CsvRole, column: Int)] = []
    for role in CsvRole.allCases {
      guard let text = options.text(role.rawValue) else { continue }
      if let number = Int(text) {
        guard number >= 1, number <= names.count else {
          throw options.wrong(
            role.rawValue, expected: "a column from 1 to \(names.count), as many as line 1 has")
        }
        roles.append((role, number - 1))
      } else if hasHeader, let column = names.firstIndex(of: text.lowercased()) {
        roles.append((role, column))
      } else {
        throw options.wrong(
          role.rawValue,
          expected: hasHeader
            ? "a number or one of \(names.joined(separator: ", "))"
            : "a column number, because line 1 is not a header")
      }
    }
    if !roles.isEmpty { return roles }
    if names.count == 1 && !hasHeader { return [(.id, 0)] }
    return hasHeader ? usualRoles(names, firstValues) : []
  }

  private static func usualRoles(
    _ names: [String], _ firstValues: [String]?
  ) -> [(role: CsvRole, column: Int)] {
    var roles: [(role: CsvRole, column: Int)] = []
    for role in CsvRole.allCases {
      let found = role.usualNames.lazy.compactMap { names.firstIndex(of: $0) }.first
      guard let column = found ?? (role == .id && names.count == 1 ? 0 : nil) else { continue }
      // Other traces have columns called op with codes of their own, which are not ours to guess.
      let words = ["get", "set", "delete", "modify", "bypass"]
      if role == .operation, let values = firstValues,
        column >= values.count || !words.contains(values[column].lowercased())
      {
        continue
      }
      roles.append((role, column))
    }
    return roles
  }

  /// A header has no number in it, and either the next line has one, or it has a name that we or
  /// the user know.
  private static func looksLikeHeader(_ rows: [[String]], options: FormatOptions) -> Bool {
    let isNumber = { (text: String) in Double(text) != nil }
    if rows[0].contains(where: isNumber) { return false }
    if rows.count > 1 && rows[1].contains(where: isNumber) { return true }
    let known = Set(CsvRole.allCases.flatMap(\.usualNames))
    let asked = CsvRole.allCases.compactMap { options.text($0.rawValue)?.lowercased() }
    return rows[0].contains { known.contains($0.lowercased()) || asked.contains($0.lowercased()) }
  }

  /// The fields of a line as text.
  private static func fields(of line: ArraySlice<UInt8>, delimiter: UInt8) -> [String] {
    line.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return [] }
      var splitter = CsvSplitter(TextField(start, start + bytes.count), delimiter: delimiter)
      var fields: [String] = []
      while let field = splitter.next() {
        fields.append(
          String(
            decoding: UnsafeBufferPointer(start: field.next, count: field.count), as: UTF8.self))
      }
      return fields
    }
  }
}
