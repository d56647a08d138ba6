import LarderEngine

struct CsvFormat: TraceFormat {
  let description = FormatDescription(
    name: "csv",
    summary: "text table, one request per line; columns by name or number",
    layout: """
      Text, one request per line. Columns are given by number, from 1, or by the name in the header,
      several for an id as id=1+3, none as -. Others are found by common names (id, key, url, lbn
      ...; time, timestamp, ts ...; size, bytes ...; ttl; cost; op, method ...), ignoring case and
      punctuation; an id that never repeats is passed over if another candidate repeats, and an
      address belongs to the device in a column of that name. Ids: whole numbers are their own keys,
      other ids are hashed (64 bits). Times: decimals or dates. Sizes: whole bytes, empty if
      unknown; differing sizes of one object are resolved, unless they are lengths of requests.
      Fields that contain delimiters are in double quotes. What was found is noted.
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
        "others", .choice(["skip", "get", "set", "delete", "bypass", "error"]), default: "skip",
        "operation of unknown words: skip (and count), get, set, delete, bypass, error"),
      .block,
      Parameter(
        "sector", .bytes(1...1 << 20), default: "",
        "bytes of one of the address that block= splits: 512 for lbn, 1 for offset"),
      .timeUnit, .skipZeroSize, .size(.lastFull, named: "sizes"), .maxBad,
    ])

  fileprivate static let delimiters = [",", "\t", ";", "|"].flatMap { Array($0.utf8) }

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    guard sample.isText else { return .none }
    // Not certain: more specific formats are tables with columns of a fixed meaning.
    if sample.isNamed(description.suffixes) { return .likely }
    let lines = sample.lines().filter { $0.first != UInt8(ascii: "#") }
    guard let first = lines.first, lines.count > 1 else { return .none }
    // Usual delimiters only: with blanks alone every text would be a table.
    let fits = Self.delimiters.contains { delimiter in
      let isTable = { (count: (ArraySlice<UInt8>) -> Int) in
        count(first) > 1 && lines.allSatisfy { count($0) == count(first) }
      }
      return isTable { $0.count { $0 == delimiter } + 1 }
        || isTable { $0.withTextField { CsvSplitter.fields(in: $0, delimiter: delimiter) } }
    }
    return fits ? .possible : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    TableDecoder(layout: try CsvGuess(options, sample).layout)
  }
}

private struct CsvGuess {
  private(set) var layout = TableLayout(
    sizeRule: .lastFull, sortsTimes: true,
    advice: "ragged=true reads lines with fewer or more fields")
  private let options: ParameterReader
  private let path: String
  private var isNamed = false
  /// Names normalised by `CsvName.plain`, or the fields of the first line.
  private var plain: [String] = []
  private var rows: [[String]] = []
  /// Columns by role; the id may have several.
  private var found: [(role: CsvRole, column: Int)] = []

  init(_ options: ParameterReader, _ sample: FormatSample) throws {
    self.options = options
    path = sample.path
    if ByteOrderMark.isUTF16(sample.head) { throw ByteOrderMark.utf16Error(path) }
    try readHead(sample.lines(1000))
    if let given = try CsvOperations(options) { layout.operations = given }
    layout.unknown = CsvOperations.meaning(ofOption: try options.choice("others"))
    let isGiven = CsvRole.allCases.contains { options.text($0.rawValue) != nil }
    try takeGiven()
    if isNamed {
      takeUsual()
    } else if !isGiven, layout.fieldCount == 1 {
      found = [(.id, 0)]
    }
    guard !columns(of: .id).isEmpty else { throw noID }
    try readTimes()
    readOperations()
    layout.roles = roles
    if isGiven || isNamed { noteUnused() }
    try finish()
  }

  private func columns(of role: CsvRole) -> [Int] { found.filter { $0.role == role }.map(\.column) }

  private func values(of column: Int) -> [String] {
    rows.compactMap { column < $0.count ? $0[column] : nil }
  }

  // MARK: The first lines

  private mutating func readHead(_ lines: [ArraySlice<UInt8>]) throws {
    guard let first = lines.first else {
      throw TraceError(
        "no line in the first \(FormatSample.length) bytes", in: path, at: .line(1),
        advice: "is this a text table?")
    }
    let mark = try commentMark()
    let isMarkGiven = options.text("comment") != nil
    let flag = try options.flag("header")
    let leading = mark.map { mark in lines.prefix { $0.starts(with: mark) } } ?? []
    let data = lines.dropFirst(leading.count)
    let delimiter = try delimiter(data.first ?? first)
    layout.delimiter = delimiter
    // By default, # begins a comment in files whose first lines begin with it.
    if isMarkGiven || (!leading.isEmpty && !data.isEmpty) { layout.comment = mark ?? [] }
    var names: [String]?
    if let mark, let line = leading.last, let next = data.first.map(fields) {
      let text = fields(line.dropFirst(mark.count).drop { $0 == 0x20 || $0 == mark.last })
      if text.count == next.count, !looksLikeHeader([next]) {
        if flag ?? looksLikeHeader([text]) {
          names = text
        } else if !isMarkGiven {
          // It has as many fields as the other lines, so it is a row.
          layout.comment = []
        }
      }
    }
    let comment = layout.comment
    rows = (comment.isEmpty ? lines : data.filter { !$0.starts(with: comment) }).map(fields)
    guard !rows.isEmpty else {
      throw TraceError(
        "the first \(lines.count) lines are comments", in: path, at: .line(1),
        advice: "comment=none reads them")
    }
    layout.hasHeader = names == nil && flag ?? looksLikeHeader(rows)
    isNamed = names != nil || layout.hasHeader
    try countFields(names ?? rows[0])
  }

  private mutating func countFields(_ first: [String]) throws {
    if layout.hasHeader { rows.removeFirst() }
    let counts = rows.map(\.count)
    // A header gives the number of fields; without one, lines of many lengths are intended.
    let others = counts.count { $0 != first.count }
    let flag = try options.flag("ragged")
    layout.isRagged = flag ?? (!isNamed && counts.count >= 10 && others * 50 > counts.count)
    let most = layout.isRagged ? max(first.count, counts.max() ?? 0) : first.count
    if layout.isRagged, flag == nil, let least = counts.min(), least < most {
      layout.remarks.append(
        "Lines have \(least) to \(most) fields: missing fields are empty; ragged=false rejects "
          + "such lines.")
    }
    layout.fieldCount = max(1, most)
    layout.names = (0..<layout.fieldCount).map { place in
      let hasName = isNamed && place < first.count && !first[place].isEmpty
      return hasName ? first[place] : "column \(place + 1)"
    }
    plain = (isNamed ? first : rows.first ?? first).map(CsvName.plain)
    plain += layout.names.dropFirst(plain.count)
  }

  private func commentMark() throws(ComponentError) -> [UInt8]? {
    guard let text = options.text("comment") else { return [UInt8(ascii: "#")] }
    if text.lowercased() == "none" { return nil }
    guard !text.isEmpty else {
      throw options.wrong("comment", expected: "prefix of comments, such as #, or none")
    }
    return Array(text.utf8)
  }

  private func delimiter(_ line: ArraySlice<UInt8>) throws(ComponentError) -> UInt8 {
    guard let text = options.text("delimiter") else {
      let counts = CsvFormat.delimiters.map { delimiter in line.count { $0 == delimiter } }
      if let most = counts.max(), most > 0, let best = counts.firstIndex(of: most) {
        return CsvFormat.delimiters[best]
      }
      return line.contains(0x20) ? 0x20 : UInt8(ascii: ",")
    }
    let words = [
      "comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "colon": ":", "space": " ",
    ]
    let character = words[text.lowercased()] ?? text
    guard character.utf8.count == 1, let byte = character.utf8.first, byte != 0x22 else {
      throw options.wrong(
        "delimiter", expected: "a character, or comma, tab, semicolon, pipe, colon or space")
    }
    return byte
  }

  private func fields(_ line: ArraySlice<UInt8>) -> [String] {
    line.withTextField { line in
      var splitter = CsvSplitter(line, delimiter: layout.delimiter ?? 0)
      var fields: [String] = []
      while let field = splitter.next() { fields.append(field.text) }
      return fields
    }
  }

  /// True for a line without numbers before one with a number, or with a name known or given.
  private func looksLikeHeader(_ rows: [[String]]) -> Bool {
    let isNumber = { (text: String) in Double(text) != nil }
    guard let first = rows.first, !first.contains(where: isNumber) else { return false }
    if rows.count > 1 && rows[1].contains(where: isNumber) { return true }
    let known = Set(CsvRole.allCases.flatMap(\.usualNames))
    let asked = CsvRole.allCases.compactMap { options.text($0.rawValue) }
      .flatMap { $0.split(separator: "+").map { CsvName.plain(String($0)) } }
    return first.map(CsvName.plain).contains { known.contains($0) || asked.contains($0) }
  }

  // MARK: Roles of the columns

  private mutating func takeGiven() throws(ComponentError) {
    for role in CsvRole.allCases {
      guard let text = options.text(role.rawValue), text != "-" else { continue }
      let isOne = role != .id || (isNamed && named(text) != nil)
      let parts = isOne ? [text[...]] : text.split(separator: "+", omittingEmptySubsequences: false)
      for part in parts { found.append((role, try column(String(part), role))) }
    }
  }

  private func column(_ text: String, _ role: CsvRole) throws(ComponentError) -> Int {
    if let number = Int(text) {
      guard number >= 1, number <= layout.fieldCount else {
        throw options.wrong(
          role.rawValue,
          expected: "a column from 1 to \(layout.fieldCount), the number of fields of line 1")
      }
      return number - 1
    }
    if isNamed, let column = named(text) { return column }
    throw options.wrong(
      role.rawValue,
      expected: isNamed
        ? "a number or one of \(layout.names.joined(separator: ", "))"
        : "a column number, because line 1 is not a header")
  }

  private func named(_ text: String) -> Int? {
    let lower = text.lowercased()
    return layout.names.firstIndex { $0.lowercased() == lower }
      ?? plain.firstIndex { !$0.isEmpty && $0 == CsvName.plain(text) }
  }

  private mutating func takeUsual() {
    let isGiven = Set(found.map(\.column)).contains
    for role in CsvRole.allCases where options.text(role.rawValue) == nil {
      var column = role.usualNames.lazy.compactMap { [plain] in plain.firstIndex(of: $0) }.first
      switch role {
      case .id: column = idColumn() ?? (plain.count == 1 ? 0 : nil)
      case .time: column = column ?? plain.firstIndex { CsvName.timeUnit($0) != nil }
      case .operation: column = operationColumn()
      default: break
      }
      guard let column, !isGiven(column) else { continue }
      if role == .id, CsvName.isBlock(plain[column]) {
        // Addresses are per device or file.
        let isOffset = CsvName.fileOffsets.contains(plain[column])
        let owners = CsvName.devices.union(isOffset ? CsvName.files : [])
        found += plain.indices.filter { owners.contains(plain[$0]) }.map { (.id, $0) }
      }
      found.append((role, column))
    }
  }

  private mutating func idColumn() -> Int? {
    var named = CsvName.ids.compactMap { plain.firstIndex(of: $0) }
    let hasOffset = named.contains { CsvName.fileOffsets.contains(plain[$0]) }
    named.removeAll { hasOffset && CsvName.files.contains(plain[$0]) }
    // The surest URL is kept: without its query, another column is another object.
    let isURL = { [plain] (column: Int) in CsvName.urls.contains(plain[column]) }
    let url = named.first(where: isURL)
    named.removeAll { isURL($0) && $0 != url }
    guard let first = named.first, let choice = ObjectColumn.choose(named.map { values(of: $0) })
    else { return nil }
    let column = named[choice]
    if column != first {
      let names = layout.names
      let note = ObjectColumn.note(names[first], names[column], count: rows.count)
      layout.remarks.append("\(note); id=\(first + 1) changes this.")
    }
    return column
  }

  /// Column with a usual name whose words are all known. A column called op in other tables may
  /// have codes of its own, which are not guessed.
  private mutating func operationColumn() -> Int? {
    for name in CsvRole.operation.usualNames {
      guard let column = plain.firstIndex(of: name) else { continue }
      let values = values(of: column)
      let isBit = values.allSatisfy { $0 == "0" || $0 == "1" }
      if isBit, CsvName.directions.contains(name), options.text("ops") == nil { return column }
      guard let unknown = layout.operations.firstUnknown(values) else {
        return values.isEmpty ? nil : column
      }
      if ["op", "operation"].contains(name) {
        layout.remarks.append(
          "The column \(layout.names[column]) is not used: unknown operation "
            + "\(TextField.quote(unknown.utf8)); op=\(column + 1):ops=... defines such words.")
      }
    }
    return nil
  }

  private mutating func readTimes() throws(ComponentError) {
    let given = try options.choice(Parameter.timeUnit.name, of: TimeUnit.self)
    guard let column = columns(of: .time).first else { return }
    if isNamed, given == nil, let unit = CsvName.timeUnit(plain[column]) {
      layout.timeUnit = unit
      return
    }
    let (unit, note) = try options.timeUnit(of: values(of: column))
    layout.timeUnit = unit
    layout.remarks += [note].compactMap { $0 }
  }

  private mutating func readOperations() {
    guard let column = columns(of: .operation).first, options.text("ops") == nil else { return }
    let values = Set(values(of: column).map { $0.lowercased() })
    if !values.isEmpty, values.isSubset(of: ["0", "1", "2"]) {
      layout.operations = .all
      layout.remarks.append(
        "Operations 0, 1 and 2 are read as get, set and delete; ops=0:get:1:set changes this.")
    }
    if !values.isDisjoint(with: ["r", "w"]) {
      hasReadsAndWrites = true
      layout.remarks.append(
        "Operations R and W are both read as gets, as accesses to blocks; ops=R:get:W:set "
          + "changes this.")
    }
  }

  private var hasReadsAndWrites = false

  // MARK: The layout

  private var roles: String {
    let id = columns(of: .id).map { layout.names[$0] }.joined(separator: " and ")
    let others = found.filter { $0.role != .id }.map { role, column in
      let unit = role == .time ? " (\(layout.timeUnit.rawValue), where it is a number)" : ""
      return "\(layout.names[column]) is the \(role.rawValue)\(unit)"
    }
    return (["\(id) is the id"] + others).joined(separator: ", ")
  }

  private mutating func noteUnused() {
    let used = Set(found.map(\.column))
    let unused = layout.names.indices.filter { !used.contains($0) }.map { layout.names[$0] }
    guard !unused.isEmpty else { return }
    let id = options.text("id") == nil ? columns(of: .id) : []
    if id.count == 1, let doubt = ObjectColumn.doubt(layout.names[id[0]], values(of: id[0])) {
      layout.remarks.append("\(doubt) with id=.")
    }
    let shown = unused.prefix(20) + (unused.count > 20 ? ["..."] : [])
    layout.remarks.insert("Columns: \(roles); not used: \(shown.joined(separator: ", ")).", at: 0)
  }

  private mutating func finish() throws(ComponentError) {
    let (id, size) = (columns(of: .id), columns(of: .size).first)
    let address = isNamed ? id.last.map { plain[$0] } ?? "" : ""
    layout.block = try options.block()
    let given = options.text("sector") == nil ? nil : UInt64(try options.whole("sector"))
    for (role, column) in found where layout.block == nil || role != .id {
      layout.columns.append(.init(role: role.role, index: column))
    }
    if layout.block != nil {
      for column in id.dropLast() { layout.columns.append(.init(role: .deviceKey, index: column)) }
      let unit = given ?? CsvName.addressUnit(address) ?? 1
      layout.columns.append(.init(role: .address, index: id.last ?? 0, unit: unit))
    }
    let isLength = isNamed && size.map { CsvName.isLength(plain[$0]) } ?? false
    if CsvName.isBlock(address) || isLength || layout.block != nil { layout.sizeRule = .logged }
    let hasBlocks = CsvName.isBlock(address) || hasReadsAndWrites
    if hasBlocks, layout.block == nil, size != nil { layout.remarks.append(BlockRun.note) }
  }

  private var noID: TraceError {
    let names = layout.names.joined(separator: ", ")
    if isNamed, !CsvName.promptLengths.isDisjoint(with: plain) {
      return TraceError(
        "the table has lengths of prompts and no ids (\(names))", in: path, at: .line(1),
        advice: "without hash_ids, prompts have no common parts to cache")
    }
    return TraceError(
      isNamed
        ? "which column is the object's id? the header has \(names)"
        : "which of the \(layout.fieldCount) columns is the object's id?",
      in: path, at: .line(1), advice: "name it, as in --format csv:time=1:id=2:size=3")
  }
}
