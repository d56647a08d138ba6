/// Which columns of a table have which roles, and how their values are read.
struct CsvColumns {
  /// The columns, from 0, that make the id.
  private(set) var id: [Int] = []
  /// The columns of the other roles.
  private(set) var roles: [(role: CsvRole, column: Int)] = []
  private(set) var timeUnit = TimeUnit.seconds
  private(set) var operations = CsvOperations(.words)
  /// Operations are the letters R and W.
  private(set) var hasReadsAndWrites = false
  /// What was guessed, in sentences.
  private(set) var remarks: [String] = []

  private let head: CsvHead

  /// The columns of the roles: those given, or if none is given those with usual names.
  init(options: FormatOptions, head: CsvHead, path: String) throws {
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

  private mutating func takeGiven(_ options: FormatOptions) throws(ComponentError) {
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

  /// The column that a user names or counts.
  private func column(
    _ text: String, _ role: CsvRole, _ options: FormatOptions
  ) throws(ComponentError) -> Int {
    if let number = Int(text) {
      guard number >= 1, number <= head.fieldCount else {
        throw options.wrong(
          role.rawValue,
          expected: "a column from 1 to \(head.fieldCount), as many as line 1 has")
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
        guard let column = found ?? (names.count == 1 ? 0 : nil) else { continue }
        // An address belongs to its device.
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

  /// The column with a usual name whose words are all known. Other tables have columns called op
  /// with codes of their own, which are not ours to guess.
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
          "The column \(head.names[column]) is not used: \(Self.quoted(unknown)) is no operation "
            + "that is known; op=\(column + 1):ops=... says what such words are.")
      }
    }
    return nil
  }

  /// The values of a column in the first lines.
  private func values(of column: Int) -> [String] {
    head.rows.compactMap { column < $0.count ? $0[column] : nil }
  }

  private static func quoted(_ text: String) -> String { TextField.quote(Array(text.utf8)) }

  private mutating func readTimes(_ options: FormatOptions) throws(ComponentError) {
    let given = try options.choice(FormatParameter.timeUnit.name, of: TimeUnit.self)
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
        "Operations 0, 1 and 2 are read as get, set and delete: ops=0:get:1:set says otherwise.")
    }
    if !values.isDisjoint(with: ["r", "w"]) {
      hasReadsAndWrites = true
      remarks.append(
        "Operations R and W are both read as gets, as accesses to blocks: ops=R:get:W:set says "
          + "otherwise.")
    }
  }

  /// Says which columns have which roles, where some have none.
  private mutating func tellUnused() {
    let used = Set(id + roles.map(\.column))
    let unused = head.names.indices.filter { !used.contains($0) }.map { head.names[$0] }
    guard !unused.isEmpty else { return }
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
          prompts have nothing in common that could be cached without hash_ids: use a trace of the \
          format hash-ids
          """)
    }
    return TraceError(
      head.hasHeader
        ? "which column is the object's id? the header has \(names)"
        : "which of the \(head.fieldCount) columns is the object's id?",
      in: path, at: .line(1), advice: "name it, as in --format csv:time=1:id=2:size=3")
  }
}
