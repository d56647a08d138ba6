import LarderEngine

struct TableLayout: Sendable {
  struct Column: Sendable {
    let role: TableRole
    let index: Int
    var unit: UInt64 = 1
  }

  /// The byte between fields; nil if a line is one field. Blanks in a row count as one.
  var delimiter: UInt8? = UInt8(ascii: ",")
  var columns: [Column] = []
  /// Fields per line; in a ragged table, the number of fields that are read.
  var fieldCount = 0
  var names: [String] = []
  var mayHaveMore = false
  /// Index of a field that may contain blanks.
  var wordy: Int?
  var isRagged = false
  /// True if the first line that is no comment has the names.
  var hasHeader = false
  var comment: [UInt8] = []
  /// Reason to skip a line, empty to skip it without a note; nil to read it.
  var skips: (@Sendable (TextField) -> String?)?
  var timeUnit = TimeUnit.seconds
  var operations = CsvOperations.words
  /// Meaning of unknown operations; nil for bad lines.
  var unknown: CsvOperations.Meaning?
  /// Block size into which requests are split, in bytes; nil to keep them whole.
  var block: UInt32?
  var writes = BlockWrites.get
  var sizeRule = SizeRule.logged
  var remembersSizes = false
  var sortsTimes = false
  var advice: String?
  var roles: String?
  var remarks: [String] = []

  mutating func readBlocks(_ options: ParameterReader) throws(ComponentError) {
    let isSplit = block != nil
    block = try options.block() ?? block
    if isSplit {
      writes = try options.flag("writes") ?? false ? .set : .skip
      return
    }
    writes = try options.choice("writes", of: BlockWrites.self) ?? .get
    if block == nil { remarks.append(BlockRun.note) }
    if writes == .get {
      remarks.append("Writes count as gets; writes=set or writes=skip changes this.")
    }
  }
}

enum BlockWrites: String, CaseIterable, Sendable {
  case get, set, skip
}

enum BlockRun {
  /// Maximum blocks of a request; more is damage.
  static let maximum: UInt64 = 1 << 24

  @inline(__always) static func of(
    offset: UInt64, length: UInt64, block: UInt64
  ) -> (first: UInt64, count: UInt64)? {
    let (end, overflows) = offset.addingReportingOverflow(length)
    guard !overflows, length / block <= maximum else { return nil }
    return (offset / block, length == 0 ? 0 : (end - 1) / block - offset / block + 1)
  }

  @inline(__always) static func key(device: UInt64, _ number: UInt64) -> UInt64 {
    device &+ number &* 0x9E37_79B9_7F4A_7C15
  }

  static let note = """
    A request for several blocks counts as one object, at its first address; the format option
    block=4096 splits it into blocks of 4096 bytes.
    """
}

extension Parameter {
  static let block = Parameter(
    "block", .bytes(1...Int(UInt32.max)), default: "",
    "bytes per block: splits a request into one for each block that it touches")
}

extension ParameterReader {
  func block() throws(ComponentError) -> UInt32? {
    text(Parameter.block.name) == nil ? nil : UInt32(try whole(Parameter.block.name))
  }
}
