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
  /// The first line that is no comment holds names.
  let hasHeader: Bool
  /// What comments begin with; empty where there are none.
  let comment: [UInt8]
  /// How many fields every line has, or where lines may have fewer or more, how many are looked at.
  let fieldCount: Int
  /// Lines may have fewer or more fields.
  let isRagged: Bool
  /// The columns, from 0, that make the id.
  let idColumns: [Int]
  /// The column, from 0, of each other role there is.
  let roles: [(role: CsvRole, column: Int)]
  /// The unit of the times.
  let timeUnit: TimeUnit
  /// The words of the column of operations.
  let operations: CsvOperations
  /// Bytes of the blocks into which requests are split; nil to leave them whole.
  let block: UInt32?
  /// Bytes of one of the address that the last column of the id holds.
  let addressUnit: UInt64
  /// Sizes are lengths of requests, not of objects: ids are addresses of blocks, or the column of
  /// the sizes says so.
  let hasRequestSizes: Bool
  /// What an operation is whose word is not known; nil when it is none.
  let unknownOperation: Operation?
  /// Lines with such an operation are left out.
  let leavesOutUnknown: Bool
  /// What was guessed, in sentences.
  let remarks: [String]
  /// The names of the columns, or their numbers.
  private let names: [String]

  /// Works out the layout from what the user says and the first lines.
  init(options: FormatOptions, sample: FormatSample) throws {
    if ByteOrderMark.isUTF16(sample.head) { throw ByteOrderMark.utf16Error(sample.path) }
    let head = try CsvHead(options: options, sample: sample)
    let columns = try CsvColumns(options: options, head: head, path: sample.path)
    delimiter = head.delimiter
    hasHeader = head.hasHeaderLine
    comment = head.comment
    names = head.names
    fieldCount = head.fieldCount
    isRagged = head.isRagged
    idColumns = columns.id
    roles = columns.roles
    timeUnit = columns.timeUnit
    operations = columns.operations
    block = try options.block()
    let address = head.hasHeader ? columns.id.last.map { head.plainNames[$0] } ?? "" : ""
    addressUnit = try CsvLayout.addressUnit(options) ?? CsvName.addressUnit(address) ?? 1
    let size = columns.roles.first { $0.role == .size }
    let isLength = size.map { head.hasHeader && CsvName.isLength(head.plainNames[$0.column]) }
    hasRequestSizes = CsvName.isBlock(address) || isLength ?? false || block != nil
    let others = try options.choice("others", of: CsvUnknown.self) ?? .skip
    unknownOperation = others.operation
    leavesOutUnknown = others == .skip
    let hasBlocks = CsvName.isBlock(address) || columns.hasReadsAndWrites
    let note = hasBlocks && block == nil && size != nil ? [BlockRun.note] : []
    remarks = head.remarks + columns.remarks + note
  }

  private static func addressUnit(_ options: FormatOptions) throws(ComponentError) -> UInt64? {
    guard let text = options.text("sector") else { return nil }
    guard let unit = UInt64(text), (1...(1 << 20)).contains(unit) else {
      throw options.wrong("sector", expected: "a number of bytes from 1 to \(1 << 20)")
    }
    return unit
  }

  /// The columns that the records fill.
  var columns: TraceColumns { TraceColumns(roles.compactMap(\.role.column)) }

  /// Which column is what, in a sentence.
  var understanding: [String] {
    let id = idColumns.map { names[$0] }.joined(separator: " and ")
    let others = roles.map { role, column in
      let unit = role == .time ? " (\(timeUnit.rawValue), where it is a number)" : ""
      return "\(names[column]) is the \(role.rawValue)\(unit)"
    }
    return [(["\(id) is the id"] + others).joined(separator: ", ")] + remarks
  }
}

/// The first lines of a table, taken apart.
struct CsvHead {
  let delimiter: UInt8
  /// What comments begin with; empty where there are none.
  let comment: [UInt8]
  /// The columns have names.
  let hasHeader: Bool
  /// The names stand in a line that is no comment.
  let hasHeaderLine: Bool
  /// The names as they are written, or `column 1` and so on.
  let names: [String]
  /// The names as `CsvName.plain` has them, or the fields of the first line.
  let plainNames: [String]
  /// The first lines that are neither comments nor the header.
  let rows: [[String]]
  let fieldCount: Int
  let isRagged: Bool
  let remarks: [String]

  /// How many lines are looked at.
  private static let linesMaximum = 1000

  init(options: FormatOptions, sample: FormatSample) throws {
    let lines = sample.lines(Self.linesMaximum)
    guard let first = lines.first else {
      throw TraceError(
        "no line in the first \(FormatSample.length) bytes", in: sample.path, at: .line(1),
        advice: "is this a text table?")
    }
    let mark = try Self.mark(options)
    let isMarkGiven = options.text("comment") != nil
    let flag = try options.flag("header")
    let leading = mark.map { mark in lines.prefix { $0.starts(with: mark) } } ?? []
    let data = lines.dropFirst(leading.count)
    delimiter =
      try CsvDelimiter.delimiter(options) ?? CsvDelimiter.recognise(in: data.first ?? first)
    // Where nobody says so, # begins a comment in a file that begins with some.
    var comment = isMarkGiven || (!leading.isEmpty && !data.isEmpty) ? mark ?? [] : []
    var commentNames: [String]?
    if let mark, let line = leading.last, let next = data.first {
      let text = line.dropFirst(mark.count).drop { $0 == 0x20 || $0 == mark.last }
      let fields = Self.fields(of: text, delimiter: delimiter)
      let nextFields = Self.fields(of: next, delimiter: delimiter)
      if fields.count == nextFields.count {
        if !Self.looksLikeHeader([nextFields], options: options),
          flag ?? Self.looksLikeHeader([fields], options: options)
        {
          commentNames = fields
        } else if !isMarkGiven, !Self.looksLikeHeader([nextFields], options: options) {
          // As many fields as the others: a line of the table.
          comment = []
        }
      }
    }
    self.comment = comment
    let rest = comment.isEmpty ? lines : data.filter { !$0.starts(with: comment) }
    guard !rest.isEmpty else {
      throw TraceError(
        "the first \(lines.count) lines are comments", in: sample.path, at: .line(1),
        advice: "comment=none reads them")
    }
    let table = try Self.table(rest, delimiter, commentNames, flag, options)
    hasHeader = table.hasHeader
    hasHeaderLine = table.hasHeaderLine
    names = table.names
    plainNames = table.plainNames
    rows = table.rows
    fieldCount = table.fieldCount
    isRagged = table.isRagged
    remarks = table.remarks
  }

  private typealias Table = (
    hasHeader: Bool, hasHeaderLine: Bool, names: [String], plainNames: [String], rows: [[String]],
    fieldCount: Int, isRagged: Bool, remarks: [String]
  )

  private static func table(
    _ lines: [ArraySlice<UInt8>], _ delimiter: UInt8, _ commentNames: [String]?, _ flag: Bool?,
    _ options: FormatOptions
  ) throws(ComponentError) -> Table {
    var rows = lines.map { fields(of: $0, delimiter: delimiter) }
    let hasLine = commentNames == nil && flag ?? looksLikeHeader(rows, options: options)
    let hasHeader = commentNames != nil || hasLine
    let first = commentNames ?? rows.first ?? []
    if hasLine { rows.removeFirst() }
    let counts = rows.map(\.count)
    let others = counts.count { $0 != first.count }
    // A header says how many fields there are; elsewhere lines of many lengths are meant to be so.
    let isUneven = !hasHeader && counts.count >= 10 && others * 50 > counts.count
    let raggedFlag = try options.flag("ragged")
    let isRagged = raggedFlag ?? isUneven
    let most = isRagged ? max(first.count, counts.max() ?? 0) : first.count
    var remarks: [String] = []
    if isRagged, raggedFlag == nil, let least = counts.min(), least < most {
      remarks.append(
        "Lines have \(least) to \(most) fields: those that are missing are empty; ragged=false "
          + "takes such lines for bad ones.")
    }
    let names = (0..<max(1, most)).map { place in
      let isNamed = hasHeader && place < first.count && !first[place].isEmpty
      return isNamed ? first[place] : "column \(place + 1)"
    }
    let plain = (hasHeader ? first : rows.first ?? first).map(CsvName.plain)
    return (
      hasHeader, hasLine, names, plain + names.dropFirst(plain.count), rows, most, isRagged, remarks
    )
  }

  /// What comments begin with; nil where there are to be none.
  private static func mark(_ options: FormatOptions) throws(ComponentError) -> [UInt8]? {
    guard let text = options.text("comment") else { return [UInt8(ascii: "#")] }
    if text.lowercased() == "none" { return nil }
    guard !text.isEmpty else {
      throw options.wrong("comment", expected: "what comments begin with, such as #, or none")
    }
    return Array(text.utf8)
  }

  /// A header has no number in it, and either the next line has one, or it has a name that we or
  /// the user know.
  private static func looksLikeHeader(_ rows: [[String]], options: FormatOptions) -> Bool {
    let isNumber = { (text: String) in Double(text) != nil }
    guard let first = rows.first, !first.contains(where: isNumber) else { return false }
    if rows.count > 1 && rows[1].contains(where: isNumber) { return true }
    let known = Set(CsvRole.allCases.flatMap(\.usualNames))
    let asked = CsvRole.allCases.compactMap { options.text($0.rawValue) }
      .flatMap { $0.split(separator: "+").map { CsvName.plain(String($0)) } }
    return first.map(CsvName.plain).contains { known.contains($0) || asked.contains($0) }
  }

  /// The fields of a line as text.
  private static func fields(of line: ArraySlice<UInt8>, delimiter: UInt8) -> [String] {
    line.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return [] }
      var splitter = CsvSplitter(TextField(start, start + bytes.count), delimiter: delimiter)
      var fields: [String] = []
      while let field = splitter.next() { fields.append(field.text) }
      return fields
    }
  }
}
