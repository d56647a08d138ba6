import LarderEngine

/// A text table whose columns have a fixed meaning. All such formats are rows of `TableFormat.all`.
struct TableFormat: TraceFormat {
  let description: FormatDescription
  /// Columns in the order of the file, or in any order if the file has a header.
  let columns: [TableColumn]
  /// Rules of the file; columns and units are filled in by `decoder`.
  var rules = TableLayout()
  var isNamed = false
  var confidence = FormatConfidence.certain
  /// True if a file name alone does not suffice.
  var needsContent = false
  /// Column whose fields may contain blanks; fields behind it are counted from the end.
  var wordy: String?
  /// Adapts the rules to the beginning of a file.
  var adapt: @Sendable (FormatSample, inout TableLayout) -> Void = { _, _ in }
  /// Further condition on a file that is not recognised by its name.
  var fits: @Sendable (FormatSample) -> Bool = { _ in true }

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    guard sample.isText else { return .none }
    let isKnownByName = sample.isNamed(description.suffixes)
    if isKnownByName, !needsContent { return .certain }
    guard contentFits(sample), isKnownByName || fits(sample) else { return .none }
    return isKnownByName ? .certain : confidence
  }

  private func contentFits(_ sample: FormatSample) -> Bool {
    let layout = layout(sample)
    if isNamed { return columns.allSatisfy { !$0.isMark || layout.names.contains($0.name) } }
    let rows = sample.lines().filter { line in
      !line.withTextField { layout.skips?($0) != nil }
    }.map { line in
      var row = fields(line, layout.delimiter)
      if let wordy = layout.wordy, row.count > columns.count {
        row.removeSubrange(wordy..<(wordy + row.count - columns.count))
      }
      return row
    }
    let least = columns.count { !$0.isOptional }
    return !rows.isEmpty
      && rows.allSatisfy { row in
        row.count >= least && (row.count <= columns.count || layout.mayHaveMore)
          && zip(row, columns).allSatisfy { $1.accepts($0) }
      }
  }

  /// Rules of the file, with the names of its columns and, in a table with a header, its delimiter.
  private func layout(_ sample: FormatSample) -> TableLayout {
    var layout = rules
    layout.hasHeader = isNamed
    layout.names = isNamed ? [] : columns.map(\.name)
    let isData = { (line: ArraySlice<UInt8>) in line.withTextField { rules.skips?($0) == nil } }
    if isNamed, let line = sample.lines().first(where: isData) {
      layout.delimiter = [0x09, 0x2C].first { line.contains($0) } ?? 0x20
      let names = fields(line.drop { $0 == 0x23 || $0 == 0x20 }, layout.delimiter)
      layout.names = names.map { String(decoding: $0, as: UTF8.self).lowercased() }
    }
    layout.wordy = wordy.flatMap { layout.names.firstIndex(of: $0) }
    adapt(sample, &layout)
    return layout
  }

  private func fields(_ line: ArraySlice<UInt8>, _ delimiter: UInt8?) -> [ArraySlice<UInt8>] {
    guard let delimiter else { return [line] }
    if delimiter == 0x20 { return line.split { $0 == 0x20 || $0 == 0x09 } }
    return line.split(separator: delimiter, omittingEmptySubsequences: false).map { field in
      var field = field.drop { $0 == 0x20 }
      while field.last == 0x20 { field.removeLast() }
      return field
    }
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    var layout = layout(sample)
    let names = layout.names
    layout.fieldCount = names.count
    for column in columns {
      guard let index = names.firstIndex(of: column.name) else {
        if column.isOptional { continue }
        throw TraceError(
          "the header has no column '\(column.name)'", in: sample.path, at: .line(1),
          advice: "expected at least "
            + columns.filter { !$0.isOptional }.map(\.name).joined(separator: ", "))
      }
      guard let role = column.role else { continue }
      layout.columns.append(.init(role: role, index: index, unit: column.unit))
    }
    let known = description.parameters.map(\.name)
    if known.contains(Parameter.timeUnit.name),
      let time = layout.columns.first(where: { $0.role == .time })
    {
      let rows = sample.lines().dropFirst(isNamed ? 1 : 0).map { fields($0, layout.delimiter) }
      let (unit, note) = try options.timeUnit(
        of: rows.compactMap {
          time.index < $0.count ? String(decoding: $0[time.index], as: UTF8.self) : nil
        })
      layout.timeUnit = unit
      layout.remarks += [note].compactMap { $0 }
    }
    if known.contains(Parameter.block.name) { try layout.readBlocks(options) }
    return TableDecoder(layout: layout)
  }
}

struct TableColumn: Sendable {
  let name: String
  /// Meaning; nil for a column that is not read.
  let role: TableRole?
  var unit: UInt64 = 1
  var isOptional = false
  /// True if a header needs the name to be recognised.
  var isMark = false
  /// Condition on a field for recognising the format; by default that of the role.
  var fits: (@Sendable (ArraySlice<UInt8>) -> Bool)?

  init(
    _ name: String, _ role: TableRole? = nil, unit: UInt64 = 1, isOptional: Bool = false,
    isMark: Bool = false, fits: (@Sendable (ArraySlice<UInt8>) -> Bool)? = nil
  ) {
    (self.name, self.role, self.unit) = (name, role, unit)
    (self.isOptional, self.isMark, self.fits) = (isOptional, isMark, fits)
  }

  func accepts(_ field: ArraySlice<UInt8>) -> Bool {
    if let fits { return fits(field) }
    switch role {
    case .time: return Double(String(decoding: field, as: UTF8.self)) != nil
    case .access: return field.count == 1 && "RrWw".utf8.contains(field.first ?? 0)
    case .operation:
      return CsvOperations.words.meaning(of: String(decoding: field, as: UTF8.self)) != nil
    case .id, .cost, .valueSize, .keySize, nil: return true
    default: return Self.digits(1...20)(field)
    }
  }

  static func digits(_ count: ClosedRange<Int>) -> @Sendable (ArraySlice<UInt8>) -> Bool {
    { count.contains($0.count) && $0.allSatisfy { $0 &- 0x30 <= 9 } }
  }
}

enum TableRole: Sendable {
  case id
  case number
  /// Number of consecutive ids, from `number` on.
  case run
  /// Whole number without effect.
  case whole
  case time
  /// Units of 100 ns since 1601.
  case fileTime
  case size
  /// Bytes of a value; 0 if unknown. The size is that of key and value.
  case valueSize
  case keySize, ttl, operation, cost, repeats
  /// Device that an address belongs to; several are adjacent.
  case device, deviceKey
  case address, length
  case access
  /// Read or write of Meta's storage: a name such as `getChunkData.Permanent`, or its number.
  case chunkAccess

  var column: TraceColumns {
    switch self {
    case .size, .valueSize, .length: .size
    case .time, .fileTime: .time
    case .ttl: .ttl
    case .operation: .operation
    case .cost: .cost
    default: []
    }
  }
}
