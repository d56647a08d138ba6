import LarderEngine

extension BinaryFormat {
  static let oracleGeneralSize = 24

  /// The next request is found again when a policy needs it, so cut traces are correct too.
  static let oracleGeneral = BinaryFormat(
    description: FormatDescription(
      name: "oracle-general",
      summary: "libCacheSim's binary records with time, object, size and next access",
      layout: """
        24 bytes per request, little-endian, packed: u32 time in seconds, u64 object, u32 size in
        bytes, i64 number, from 1, of the next request of the object (-1 or 2^63-1: never; not used
        here). Every record is a get.
        """,
      suffixes: [".oraclegeneral", ".oraclegeneral.bin", ".oracle-general"],
      parameters: [.skipZeroSize]),
    layout: { _, _ in
      BinaryLayout(
        recordSize: oracleGeneralSize, id: .init(4, "Q"), size: .init(12, "I"), time: .init(0, "I"))
    },
    content: { sample in
      // Times do not decrease, and next accesses are in the future.
      let count = min(sample.head.count / oracleGeneralSize, 100)
      if sample.isText || count == 0 { return .none }
      if sample.isWhole && sample.head.count % oracleGeneralSize != 0 { return .none }
      var lastTime: UInt32 = 0
      for start in stride(from: 0, to: count * oracleGeneralSize, by: oracleGeneralSize) {
        let time = sample.integer(at: start, as: UInt32.self) ?? 0
        let next = sample.integer(at: start + 16, as: Int64.self) ?? 0
        let isNever = next == -1 || next == .max
        if time < lastTime || !(isNever || (next > 0 && next < 1 << 40)) { return .none }
        lastTime = time
      }
      return .likely
    })

  static let vscsi = BinaryFormat(
    description: FormatDescription(
      name: "vscsi",
      summary: "VMware vscsiStats binary records, versions 1 and 2",
      layout: """
        Little-endian. Version 1, 32 bytes: u32 number, u32 length in bytes, u32 segments, u16
        command, u16 version (high byte 1), u64 block, u64 time in microseconds. Version 2, 40
        bytes: u16 command, u16 version (high byte 2), u32 number, u32 length, u32 segments, u64
        block, u64 time, u64 response time. A record is one get of the block (a sector of 512
        bytes), whose size is the length: reads and writes are both accesses. With block= it is one
        get for each block of that size that it touches.
        """,
      suffixes: [".vscsi", ".vscsitrace", ".vscsi1", ".vscsi2"],
      parameters: [
        Parameter("version", default: "", "1 or 2; recognised by content by default"),
        .block, .skipZeroSize,
      ]),
    layout: { sample, options in
      let given = try options.choice("version", of: VscsiVersion.self)
      let found = VscsiVersion.allCases.first { $0.fits(sample, records: 2) }
      guard let version = given ?? found else {
        throw TraceError(
          sample.head.count < 32
            ? "\(sample.head.count) bytes are too few for a vscsi record"
            : "the first records are neither vscsi version 1 nor 2",
          in: sample.path, at: .byte(0), advice: "is it another format, or truncated?")
      }
      var layout = version.layout
      layout.block = try options.block()
      let lengths = (0..<(sample.head.count / layout.recordSize)).map {
        sample.integer(at: $0 * layout.recordSize + version.length, as: UInt32.self)
      }
      if layout.block == nil, Set(lengths).count > 1 { layout.remarks = [BlockRun.note] }
      return layout
    },
    content: { sample in
      let isVscsi = VscsiVersion.allCases.contains { version in
        guard version.fits(sample, records: 100) else { return false }
        let size = version.layout.recordSize
        let times = (0..<min(sample.head.count / size, 100)).compactMap {
          sample.integer(at: $0 * size + 24, as: UInt64.self)
        }
        return zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
      }
      return isVscsi && !sample.isText ? .likely : .none
    })

  private enum VscsiVersion: String, CaseIterable {
    case one = "1"
    case two = "2"

    var length: Int { self == .one ? 4 : 8 }

    var layout: BinaryLayout {
      BinaryLayout(
        recordSize: self == .one ? 32 : 40, id: .init(16, "Q"), size: .init(length, "I"),
        time: .init(24, "Q"), timeUnit: 1,
        mark: (
          self == .one ? 15 : 3, self == .one ? 1 : 2,
          "the record is not of vscsi version \(rawValue)"
        ))
    }

    func fits(_ sample: FormatSample, records: Int) -> Bool {
      let layout = layout
      guard let mark = layout.mark else { return false }
      let count = min(sample.head.count / layout.recordSize, records)
      return count > 0
        && (0..<count).allSatisfy {
          sample.head[$0 * layout.recordSize + mark.offset] == mark.value
        }
    }
  }

  /// Either header: 8192 bytes and a version from 1 to 8, or 1024 bytes and a format string.
  static let lcs = BinaryFormat(
    description: FormatDescription(
      name: "lcs",
      summary: "libCacheSim's binary records after a header, with operations and TTLs",
      layout: """
        Little-endian, packed. Header of 8192 bytes: u64 0x123456789abcdef0, u64 version,
        statistics, and the first number again at the end. Records, version 1, 24 bytes: u32 time in
        seconds, u64 object, u32 size, i64 next access; version 2, 28 bytes: before the next access
        u8 operation, u24 tenant; version 3, 36 bytes: size i64, and u32 TTL in seconds after the
        tenant; versions 4 to 8: version 3 with 1, 2, 4, 8 or 16 u32 more. An older header of 1024
        bytes has a format string of Python's struct and the numbers of the fields. Operations: get,
        gets, read, and none are gets; set, add, cas, replace, append, prepend, incr, decr, write
        and update are sets; delete is a delete.
        """,
      suffixes: [".lcs"], parameters: [.skipZeroSize]),
    layout: { sample, _ in try lcsLayout(sample) },
    content: { $0.integer(at: 0, as: UInt64.self) == lcsMagic ? .certain : .none })

  private static let lcsMagic: UInt64 = 0x1234_5678_9abc_def0

  private static func lcsLayout(_ sample: FormatSample) throws(TraceError) -> BinaryLayout {
    func wrong(_ message: String, _ offset: Int, _ advice: String? = nil) -> TraceError {
      TraceError(message, in: sample.path, at: .byte(offset), advice: advice)
    }
    guard sample.integer(at: 0, as: UInt64.self) == lcsMagic else {
      throw wrong(
        "the file does not start with the magic number of lcs", 0,
        "is it another format, or truncated?")
    }
    let isOlder = sample.head.count > 8 && sample.head[8] == UInt8(ascii: "<")
    let headerSize = isOlder ? 1024 : 8192
    guard sample.integer(at: headerSize - 8, as: UInt64.self) == lcsMagic else {
      throw wrong(
        "the header of \(headerSize) bytes does not end with the magic number of lcs",
        headerSize - 8, "the file is damaged or truncated")
    }
    if isOlder { return try olderLayout(sample, wrong) }
    let version = sample.integer(at: 8, as: UInt64.self) ?? 0
    guard (1...8).contains(version) else {
      throw wrong("unknown lcs version \(version); expected 1 to 8", 8)
    }
    return BinaryLayout(
      headerSize: headerSize, recordSize: [24, 28, 36, 40, 44, 52, 68, 100][Int(version) - 1],
      id: .init(4, "Q"), size: .init(12, version < 3 ? "I" : "q"), time: .init(0, "I"),
      operation: version == 1 ? nil : .init(version == 2 ? 16 : 20, "B"),
      ttl: version < 3 ? nil : .init(24, "I"))
  }

  private static func olderLayout(
    _ sample: FormatSample, _ wrong: (String, Int, String?) -> TraceError
  ) throws(TraceError) -> BinaryLayout {
    var fields: [BinaryLayout.Field] = []
    var offset = 0
    for letter in sample.head[9..<248].prefix(while: { $0 != 0 }) {
      guard let size = BinaryLayout.Field.size(letter) else {
        throw wrong(
          "'\(Character(UnicodeScalar(letter)))' is not a field type", 9 + fields.count,
          "expected letters of bBhHiIlLqQfd")
      }
      fields.append(.init(offset, UnicodeScalar(letter)))
      offset += size
    }
    let count = sample.integer(at: 1000, as: UInt32.self).map(Int.init)
    let itemSize = sample.integer(at: 1004, as: UInt32.self).map(Int.init)
    guard count == fields.count, itemSize == offset, offset > 0 else {
      throw wrong(
        "the header has \(count ?? 0) fields in \(itemSize ?? 0) bytes, its format string "
          + "\(fields.count) in \(offset)", 1000, nil)
    }
    // The header has the numbers of id, size, time, two others, operation and TTL, from 1.
    let numbers = sample.head[248..<255].map { Int($0) }
    for place in [0, 1, 2, 5, 6] where numbers[place] > fields.count {
      throw wrong("field \(numbers[place]) of \(fields.count) does not exist", 248 + place, nil)
    }
    func field(_ place: Int) -> BinaryLayout.Field? {
      numbers[place] == 0 ? nil : fields[numbers[place] - 1]
    }
    guard let id = field(0) else { throw wrong("no field is the object's id", 248, nil) }
    return BinaryLayout(
      headerSize: 1024, recordSize: offset, id: id, size: field(1), time: field(2),
      operation: field(5), ttl: field(6))
  }
}
