import LarderEngine

/// Treatment of unknown operations of a table.
enum CsvUnknown: String, CaseIterable, Sendable {
  case skip, get, set, delete, bypass, error

  /// The operation to use; nil to skip or reject the line.
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

/// Layout of one table: delimiter, header and roles of the columns.
struct CsvLayout: Sendable {
  /// The byte between fields. Several spaces in a row count as one.
  let delimiter: UInt8
  /// True if the first line that is no comment has the names.
  let hasHeader: Bool
  /// Prefix of comments; empty without comments.
  let comment: [UInt8]
  /// Fields per line; in a ragged table, the number of fields that are read.
  let fieldCount: Int
  /// True if lines may have fewer or more fields.
  let isRagged: Bool
  /// Columns, from 0, that form the id.
  let idColumns: [Int]
  /// Column, from 0, of each other role present.
  let roles: [(role: CsvRole, column: Int)]
  let timeUnit: TimeUnit
  /// Operations by the words of their column.
  let operations: CsvOperations
  /// Block size into which requests are split, in bytes; nil to keep them whole.
  let block: UInt32?
  /// Bytes per unit of the address in the last column of the id.
  let addressUnit: UInt64
  /// True if sizes are lengths of requests, not of objects: ids are addresses of blocks, or the
  /// size column's name says so.
  let hasRequestSizes: Bool
  /// Operation of unknown words; nil if they have none.
  let unknownOperation: Operation?
  /// True if lines with unknown operations are skipped.
  let leavesOutUnknown: Bool
  /// Inferences, in sentences.
  let remarks: [String]
  /// Names of the columns, or their numbers.
  private let names: [String]

  /// Determines the layout from the options and the first lines.
  init(options: ParameterReader, sample: FormatSample) throws {
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

  private static func addressUnit(_ options: ParameterReader) throws(ComponentError) -> UInt64? {
    options.text("sector") == nil ? nil : UInt64(try options.whole("sector"))
  }

  var columns: TraceColumns { TraceColumns(roles.compactMap(\.role.column)) }

  /// Roles of the columns, in a sentence.
  var understanding: [String] {
    let id = idColumns.map { names[$0] }.joined(separator: " and ")
    let others = roles.map { role, column in
      let unit = role == .time ? " (\(timeUnit.rawValue), where it is a number)" : ""
      return "\(names[column]) is the \(role.rawValue)\(unit)"
    }
    return [(["\(id) is the id"] + others).joined(separator: ", ")] + remarks
  }
}

/// Parsed first lines of a table.
struct CsvHead {
  let delimiter: UInt8
  /// Prefix of comments; empty without comments.
  let comment: [UInt8]
  /// True if the columns have names.
  let hasHeader: Bool
  /// True if the names are in a line that is no comment.
  let hasHeaderLine: Bool
  /// Names as written, or `column 1` and so on.
  let names: [String]
  /// Names normalised by `CsvName.plain`, or the fields of the first line.
  let plainNames: [String]
  /// First lines that are neither comments nor the header.
  let rows: [[String]]
  let fieldCount: Int
  let isRagged: Bool
  let remarks: [String]

  /// Number of lines that are inspected.
  private static let linesMaximum = 1000

  init(options: ParameterReader, sample: FormatSample) throws {
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
    // By default, # begins a comment in files whose first lines begin with it.
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
          // It has as many fields as the other lines, so it is a row.
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
    _ options: ParameterReader
  ) throws(ComponentError) -> Table {
    var rows = lines.map { fields(of: $0, delimiter: delimiter) }
    let hasLine = commentNames == nil && flag ?? looksLikeHeader(rows, options: options)
    let hasHeader = commentNames != nil || hasLine
    let first = commentNames ?? rows.first ?? []
    if hasLine { rows.removeFirst() }
    let counts = rows.map(\.count)
    let others = counts.count { $0 != first.count }
    // A header gives the number of fields; without one, lines of many lengths are intended.
    let isUneven = !hasHeader && counts.count >= 10 && others * 50 > counts.count
    let raggedFlag = try options.flag("ragged")
    let isRagged = raggedFlag ?? isUneven
    let most = isRagged ? max(first.count, counts.max() ?? 0) : first.count
    var remarks: [String] = []
    if isRagged, raggedFlag == nil, let least = counts.min(), least < most {
      remarks.append(
        "Lines have \(least) to \(most) fields: missing fields are empty; ragged=false rejects "
          + "such lines.")
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

  /// Prefix of comments; nil to disable comments.
  private static func mark(_ options: ParameterReader) throws(ComponentError) -> [UInt8]? {
    guard let text = options.text("comment") else { return [UInt8(ascii: "#")] }
    if text.lowercased() == "none" { return nil }
    guard !text.isEmpty else {
      throw options.wrong("comment", expected: "prefix of comments, such as #, or none")
    }
    return Array(text.utf8)
  }

  /// True for a line without numbers that is followed by one with a number, or that has a name
  /// known to us or given by the user.
  private static func looksLikeHeader(_ rows: [[String]], options: ParameterReader) -> Bool {
    let isNumber = { (text: String) in Double(text) != nil }
    guard let first = rows.first, !first.contains(where: isNumber) else { return false }
    if rows.count > 1 && rows[1].contains(where: isNumber) { return true }
    let known = Set(CsvRole.allCases.flatMap(\.usualNames))
    let asked = CsvRole.allCases.compactMap { options.text($0.rawValue) }
      .flatMap { $0.split(separator: "+").map { CsvName.plain(String($0)) } }
    return first.map(CsvName.plain).contains { known.contains($0) || asked.contains($0) }
  }

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

/// Columns by role, and the parsing of their values.
struct CsvColumns {
  /// Columns, from 0, that form the id.
  private(set) var id: [Int] = []
  private(set) var roles: [(role: CsvRole, column: Int)] = []
  private(set) var timeUnit = TimeUnit.seconds
  private(set) var operations = CsvOperations(.words)
  /// True if operations are the letters R and W.
  private(set) var hasReadsAndWrites = false
  /// Inferences, in sentences.
  private(set) var remarks: [String] = []

  private let head: CsvHead

  /// Columns of the roles: the given ones, or those with usual names if none is given.
  init(options: ParameterReader, head: CsvHead, path: String) throws {
    self.head = head
    if let given = try CsvOperations(options) { operations = given }
    let isGiven = CsvRole.allCases.contains { options.text($0.rawValue) != nil }
    if isGiven {
      try takeGiven(options)
    } else if head.fieldCount == 1, !head.hasHeader {
      id = [0]
    } else if head.hasHeader {
      takeUsual()
    }
    guard !id.isEmpty else { throw noID(path) }
    try readTimes(options)
    readOperations()
    if !isGiven, head.hasHeader { tellUnused() }
  }

  private mutating func takeGiven(_ options: ParameterReader) throws(ComponentError) {
    for role in CsvRole.allCases {
      guard let text = options.text(role.rawValue) else { continue }
      if role != .id {
        roles.append((role, try column(text, role, options)))
      } else if head.hasHeader, let column = named(text) {
        id = [column]
      } else {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        for part in parts { id.append(try column(String(part), role, options)) }
      }
    }
  }

  /// Column that a user gave by name or number.
  private func column(
    _ text: String, _ role: CsvRole, _ options: ParameterReader
  ) throws(ComponentError) -> Int {
    if let number = Int(text) {
      guard number >= 1, number <= head.fieldCount else {
        throw options.wrong(
          role.rawValue,
          expected: "a column from 1 to \(head.fieldCount), the number of fields of line 1")
      }
      return number - 1
    }
    if head.hasHeader, let column = named(text) { return column }
    throw options.wrong(
      role.rawValue,
      expected: head.hasHeader
        ? "a number or one of \(head.names.joined(separator: ", "))"
        : "a column number, because line 1 is not a header")
  }

  private func named(_ text: String) -> Int? {
    let lower = text.lowercased()
    return head.names.firstIndex { $0.lowercased() == lower }
      ?? head.plainNames.firstIndex { !$0.isEmpty && $0 == CsvName.plain(text) }
  }

  private mutating func takeUsual() {
    let names = head.plainNames
    for role in CsvRole.allCases {
      let found = role.usualNames.lazy.compactMap { names.firstIndex(of: $0) }.first
      switch role {
      case .id:
        guard let column = idColumn() ?? (names.count == 1 ? 0 : nil) else { continue }
        // Addresses are per device.
        let isAddress = CsvName.isBlock(names[column])
        id = names.indices.filter { isAddress && CsvName.devices.contains(names[$0]) } + [column]
      case .time:
        let column = found ?? names.firstIndex { CsvName.timeUnit($0) != nil }
        if let column { roles.append((role, column)) }
      case .operation:
        if let column = operationColumn() { roles.append((role, column)) }
      default:
        if let found { roles.append((role, found)) }
      }
    }
  }

  /// Column of the id, by its name and its values.
  private mutating func idColumn() -> Int? {
    var found = CsvName.ids.compactMap { head.plainNames.firstIndex(of: $0) }
    // The surest URL is kept: without its query, another column is another object.
    let isURL = { [head] (column: Int) in CsvName.urls.contains(head.plainNames[column]) }
    let url = found.first(where: isURL)
    found.removeAll { isURL($0) && $0 != url }
    guard let first = found.first,
      let column = ObjectColumn.choose(found.map(values)).map({ found[$0] })
    else { return nil }
    if column != first {
      let note = ObjectColumn.note(head.names[first], head.names[column], count: head.rows.count)
      remarks.append("\(note); id=\(first + 1) changes this.")
    }
    return column
  }

  /// Column with a usual name whose words are all known. A column called op in other tables may
  /// have codes of its own, which are not guessed.
  private mutating func operationColumn() -> Int? {
    for name in CsvRole.operation.usualNames {
      guard let column = head.plainNames.firstIndex(of: name) else { continue }
      let values = values(of: column)
      if CsvName.directions.contains(name), operations.source == .words,
        values.allSatisfy({ $0 == "0" || $0 == "1" })
      {
        return column
      }
      guard let unknown = operations.firstUnknown(values) else {
        return values.isEmpty ? nil : column
      }
      if ["op", "operation"].contains(name) {
        remarks.append(
          "The column \(head.names[column]) is not used: unknown operation "
            + "\(Self.quoted(unknown)); op=\(column + 1):ops=... defines such words.")
      }
    }
    return nil
  }

  private func values(of column: Int) -> [String] {
    head.rows.compactMap { column < $0.count ? $0[column] : nil }
  }

  private static func quoted(_ text: String) -> String { TextField.quote(Array(text.utf8)) }

  private mutating func readTimes(_ options: ParameterReader) throws(ComponentError) {
    let given = try options.choice(Parameter.timeUnit.name, of: TimeUnit.self)
    guard let column = roles.first(where: { $0.role == .time })?.column else { return }
    if head.hasHeader, given == nil,
      let unit = CsvName.timeUnit(head.plainNames[column])
    {
      timeUnit = unit
      return
    }
    let (unit, note) = try options.timeUnit(of: values(of: column))
    timeUnit = unit
    if let note { remarks.append(note) }
  }

  private mutating func readOperations() {
    guard let column = roles.first(where: { $0.role == .operation })?.column else { return }
    let values = Set(values(of: column).map { $0.lowercased() })
    if values.isEmpty || operations.source == .given { return }
    if values.isSubset(of: ["0", "1", "2"]) {
      operations = CsvOperations(.numbers)
      remarks.append(
        "Operations 0, 1 and 2 are read as get, set and delete; ops=0:get:1:set changes this.")
    }
    if !values.isDisjoint(with: ["r", "w"]) {
      hasReadsAndWrites = true
      remarks.append(
        "Operations R and W are both read as gets, as accesses to blocks; ops=R:get:W:set "
          + "changes this.")
    }
  }

  /// Reports the roles of the columns if some have none, and an id that may be a row number.
  private mutating func tellUnused() {
    let used = Set(id + roles.map(\.column))
    let unused = head.names.indices.filter { !used.contains($0) }.map { head.names[$0] }
    guard !unused.isEmpty else { return }
    if id.count == 1, let doubt = ObjectColumn.doubt(head.names[id[0]], values(of: id[0])) {
      remarks.append("\(doubt) with id=.")
    }
    let names = id.map { head.names[$0] }.joined(separator: " and ")
    let found =
      ["\(names) is the id"] + roles.map { "\(head.names[$0.column]) is the \($0.role.rawValue)" }
    let shown = unused.prefix(20) + (unused.count > 20 ? ["..."] : [])
    remarks.insert(
      "Columns: \(found.joined(separator: ", ")); not used: \(shown.joined(separator: ", ")).",
      at: 0)
  }

  private func noID(_ path: String) -> TraceError {
    let names = head.names.joined(separator: ", ")
    if head.hasHeader, !CsvName.promptLengths.isDisjoint(with: head.plainNames) {
      return TraceError(
        "the table has lengths of prompts and no ids (\(names))", in: path, at: .line(1),
        advice: """
          without hash_ids, prompts have no common parts to cache; use a trace of the format
          hash-ids
          """)
    }
    return TraceError(
      head.hasHeader
        ? "which column is the object's id? the header has \(names)"
        : "which of the \(head.fieldCount) columns is the object's id?",
      in: path, at: .line(1), advice: "name it, as in --format csv:time=1:id=2:size=3")
  }
}

/// Trace field of a CSV column.
enum CsvRole: String, CaseIterable, Sendable {
  case id
  case time
  case size
  case ttl
  case operation = "op"
  case cost

  /// Usual names of the column in headers, normalised by `CsvName.plain`, surest first.
  var usualNames: [String] {
    switch self {
    case .id: CsvName.ids
    case .time: CsvName.times
    case .size: CsvName.sizes
    case .ttl: ["ttl", "ttls", "ttlsec", "ttlseconds", "timetolive", "lifetime", "maxage"]
    case .operation: CsvName.operations
    case .cost: ["cost"]
    }
  }

  /// Trace column that the role fills; nil for the id, which all records have.
  var column: TraceColumns? {
    switch self {
    case .id: nil
    case .time: .time
    case .size: .size
    case .ttl: .ttl
    case .operation: .operation
    case .cost: .cost
    }
  }
}

/// Choice of the requested object among columns of a table or keys of JSON lines.
enum ObjectColumn {
  /// Index of the first candidate whose values repeat, of the first one if none does; nil without
  /// candidates. A column that is unique in every row, such as a primary key, is no object.
  static func choose<Value: Hashable>(_ candidates: [[Value]]) -> Int? {
    let repeating = candidates.firstIndex { values in
      let distinct = Set(values).count
      return distinct > 1 && distinct < values.count
    }
    return repeating ?? candidates.indices.first
  }

  /// Beginning of a note if many values of an id do not repeat; nil otherwise.
  static func doubt<Value: Hashable>(_ name: String, _ values: [Value]) -> String? {
    guard values.count >= 100, Set(values).count == values.count else { return nil }
    return "\(name) does not repeat in the first \(values.count) lines: if it is a row number, "
      + "name the object"
  }

  /// Note on a surer name that was passed over.
  static func note(_ unique: String, _ chosen: String, count: Int) -> String {
    "\(unique) does not repeat in the first \(count) lines, but \(chosen) does: "
      + "\(chosen) is the id"
  }
}

/// Column names, compared without case, blanks and punctuation: `Obj-Size` is `obj_size`.
enum CsvName {
  /// Letters and digits of a name, in lower case.
  static func plain(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Names of URLs and paths.
  static let urls = words(
    "url uri path requesturl requesturi requestpath urlpath uripath uristem csuristem")

  fileprivate static let ids =
    words("id key objid objectid object item cachekey blockid block lbn lba url uri path")
    + words(
      """
      obj objkey objectkey itemid itemkey contentid content assetid asset videoid fileid file
      filename filepath pageid page docid documentid document resourceid resource productid entryid
      keyid keyhash hashkey hashedkey idhash urlhash hash requesturl requesturi requestpath urlpath
      uripath urlid uristem csuristem
      """)
    + addresses.filter { !["lbn", "lba"].contains($0) } + blocks.filter { !oldBlocks.contains($0) }

  private static let oldBlocks = ["block", "blockid"]
  /// Block numbers, for blocks of unknown size.
  private static let blocks = words("block blockid blockno blocknum blocknumber blk blkno")
  /// Addresses in sectors.
  private static let sectors = words(
    "lbn lba startlba lbastart sector sectorno sectornumber startsector blockaddress")
  /// Addresses in bytes.
  private static let offsets = words("offset offsetbytes byteoffset address addr")
  private static var addresses: [String] { sectors + offsets }

  fileprivate static let times = words(
    """
    time timestamp ts times timestamps optime t datetime date clock clocktime unixtime unixtimestamp
    epoch epochtime accesstime arrivaltime arrival eventtime starttime walltime reltime relativetime
    """)

  fileprivate static let sizes =
    words("size bytes objsize objectsize sizebytes length requestsize iosize")
    + words(
      """
      sizeinbytes responsesize responsebytes responselength responsebodysize respsize respbytes
      bodysize bodybytes bodybytessent bytessent sentbytes scbytes contentlength contentsize
      contentbytes valuesize valuebytes valuelen valuelength valsize vsize datasize datalength
      itemsize filesize filebytes docsize documentsize payloadsize payloadbytes transfersize
      transferbytes numbytes nbytes bytecount lengthbytes iosizebytes iobytes reqsize len
      """)

  fileprivate static let operations = words(
    """
    op operation ops optype operationtype opcode opname iotype rw readwrite method requestmethod
    httpmethod verb command cmd action requesttype reqtype type
    """)

  /// Names of operation columns whose numbers mean read and write.
  static let directions: Set = ["iotype", "rw", "readwrite"]

  /// Names of the devices that own the addresses.
  static let devices: Set = [
    "device", "deviceid", "dev", "devid", "devno", "disk", "diskid", "diskno", "disknum",
    "disknumber", "volume", "volumeid", "vol", "volid", "asu", "lun", "lunid", "drive", "driveid",
    "hostname",
  ]

  /// Column names that reveal a table of prompt lengths.
  static let promptLengths: Set = [
    "requesttokens", "inputlength", "inputtokens", "prompttokens", "contexttokens",
  ]

  /// True for addresses and block numbers: their sizes are lengths of requests.
  static func isBlock(_ name: String) -> Bool { (addresses + blocks).contains(name) }

  /// Bytes per unit of an address column with this name; nil if it is not an address.
  static func addressUnit(_ name: String) -> UInt64? {
    sectors.contains(name) ? 512 : offsets.contains(name) ? 1 : nil
  }

  /// True for sizes that are lengths of requests.
  static func isLength(_ name: String) -> Bool {
    ["requestsize", "iosize", "iosizebytes", "iobytes", "reqsize"].contains(name)
  }

  private static let units: [String: TimeUnit] = {
    var units: [String: TimeUnit] = [:]
    let names: [(TimeUnit, String)] = [
      (.seconds, "s sec secs second seconds"), (.milliseconds, "ms msec millis milliseconds"),
      (.microseconds, "us usec micros microseconds"), (.nanoseconds, "ns nsec nanos nanoseconds"),
    ]
    for (unit, text) in names {
      for word in words(text) {
        units[word] = unit
        units["in\(word)"] = unit
      }
    }
    return units
  }()

  /// Unit that a time column's name ends with, as in `timestamp_ms`; nil without one.
  static func timeUnit(_ name: String) -> TimeUnit? {
    if times.contains(name) { return nil }
    for base in times where name.hasPrefix(base) {
      if let unit = units[String(name.dropFirst(base.count))] { return unit }
    }
    return nil
  }
}

/// Operations by the words of a column.
struct CsvOperations: Sendable {
  /// Meaning of a word.
  enum Meaning: Sendable {
    case operation(Operation)
    /// Lines with it are skipped.
    case leftOut
  }

  /// Origin of the words.
  enum Source: Sendable {
    /// Known words, including letters for block reads and writes.
    case words
    /// Known words, and 0, 1 and 2 for get, set and delete.
    case numbers
    /// The option `ops`.
    case given
  }

  let source: Source
  private let meanings: [String: Meaning]

  private static let known: [String: Meaning] = {
    let words: [(Operation, String)] = [
      (.get, "get gets mget gat gats get_lease read head fetch lookup getobject get_object"),
      (.get, "headobject head_object rest.get.object rest.head.object"),
      (.set, "set add put cas replace append prepend incr decr write store insert set_lease"),
      (.set, "update putobject put_object rest.put.object rest.copy.object"),
      (.delete, "delete del remove unlink invalidate purge deleteobject delete_object"),
      (.delete, "rest.delete.object"), (.modify, "modify"), (.bypass, "bypass"),
      (.expire, "expire"),
      // Block device requests: both are accesses.
      (.get, "r w"),
    ]
    var known: [String: Meaning] = [:]
    for (operation, names) in words {
      for name in names.split(separator: " ") { known[String(name)] = .operation(operation) }
    }
    return known
  }()

  private static let numbers: [String: Meaning] = [
    "0": .operation(.get), "1": .operation(.set), "2": .operation(.delete),
  ]

  /// HTTP methods that are not cache operations, accepted next to known ones.
  private static let methods: Set = ["post", "patch", "options", "connect", "trace", "propfind"]

  static let words = CsvOperations(.words)
  /// Known words, and the numbers, which are not guessed.
  static let all = CsvOperations(.numbers)

  init(_ source: Source) {
    self.source = source
    meanings =
      source == .numbers
      ? Self.known.merging(Self.numbers) { word, _ in word } : Self.known
  }

  /// Words of the option `ops`, `word:operation:word:operation`, in addition to the known ones; nil
  /// if it was not given.
  init?(_ options: ParameterReader) throws(ComponentError) {
    guard let text = options.text("ops") else { return nil }
    let parts = text.split(omittingEmptySubsequences: false) { ":,=".contains($0) }.map {
      $0.lowercased()
    }
    func wrong() -> ComponentError {
      options.wrong(
        "ops",
        expected:
          "words and operations (get, set, delete, modify, bypass, expire, skip), as 1:get:0:set")
    }
    guard parts.count.isMultiple(of: 2), !parts.isEmpty else { throw wrong() }
    var given: [String: Meaning] = [:]
    for place in stride(from: 0, to: parts.count, by: 2) {
      guard !parts[place].isEmpty, given[parts[place]] == nil,
        let meaning = Self.meaning(parts[place + 1])
      else { throw wrong() }
      given[parts[place]] = meaning
    }
    source = .given
    meanings = Self.known.merging(given) { _, word in word }
  }

  private static func meaning(_ word: String) -> Meaning? {
    switch word {
    case "get", "read": .operation(.get)
    case "set", "write": .operation(.set)
    case "delete": .operation(.delete)
    case "modify": .operation(.modify)
    case "bypass": .operation(.bypass)
    case "expire": .operation(.expire)
    case "skip": .leftOut
    default: nil
    }
  }

  /// Meaning of a word, ignoring case; nil if unknown.
  func meaning(of word: String) -> Meaning? { meanings[word.lowercased()] }

  /// The first of `values` that is neither known nor an HTTP method; nil without one.
  func firstUnknown(_ values: [String]) -> String? {
    values.first { meaning(of: $0) == nil && !Self.methods.contains($0.lowercased()) }
  }
}

/// Looks up operations without creating a string per line.
struct CsvOperationLookup {
  private let operations: CsvOperations
  /// Words seen so far, by hash.
  private var seen: [(hash: UInt64, meaning: CsvOperations.Meaning)] = []
  private static let seenMaximum = 32

  init(_ operations: CsvOperations) { self.operations = operations }

  /// Meaning of a field; nil if unknown.
  @inline(__always) mutating func meaning(_ field: TextField) -> CsvOperations.Meaning? {
    let hash = KeyHash.hash(UnsafeBufferPointer(start: field.next, count: field.count))
    for word in seen where word.hash == hash { return word.meaning }
    return lookUp(field, hash)
  }

  @inline(never) private mutating func lookUp(_ field: TextField, _ hash: UInt64) -> CsvOperations
    .Meaning?
  {
    guard let meaning = operations.meaning(of: field.text) else { return nil }
    if seen.count < Self.seenMaximum { seen.append((hash, meaning)) }
    return meaning
  }
}
