import LarderEngine

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

  var role: TableRole {
    switch self {
    case .id: .id
    case .time: .time
    case .size: .size
    case .ttl: .ttl
    case .operation: .operation
    case .cost: .cost
    }
  }
}

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

  static func doubt<Value: Hashable>(_ name: String, _ values: [Value]) -> String? {
    guard values.count >= 100, Set(values).count == values.count else { return nil }
    return "\(name) does not repeat in the first \(values.count) lines: if it is a row number, "
      + "name the object"
  }

  static func note(_ unique: String, _ chosen: String, count: Int) -> String {
    "\(unique) does not repeat in the first \(count) lines, but \(chosen) does: "
      + "\(chosen) is the id"
  }
}

/// Column names, compared without case, blanks and punctuation: `Obj-Size` is `obj_size`.
enum CsvName {
  static func plain(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  static let urls = words(
    "url uri path requesturl requesturi requestpath urlpath uripath uristem csuristem")

  static let ids =
    words("id key objid objectid object item cachekey blockid block lbn lba url uri path")
    + words(
      """
      obj objkey objectkey itemid itemkey contentid content assetid asset videoid fileid file
      filename filepath pageid page docid documentid document resourceid resource productid entryid
      keyid keyhash hashkey hashedkey idhash urlhash hash requesturl requesturi requestpath urlpath
      uripath urlid uristem csuristem hashedpathquery hashedhostpathquery hashedhostandpath
      hashedhostpath
      """)
    + addresses.filter { !["lbn", "lba"].contains($0) } + blocks.filter { !oldBlocks.contains($0) }

  private static let oldBlocks = ["block", "blockid"]
  /// Block numbers, for blocks of unknown size.
  private static let blocks = words("block blockid blockno blocknum blocknumber blk blkno")
  private static let sectors = words(
    "lbn lba startlba lbastart sector sectorno sectornumber startsector blockaddress")
  static let fileOffsets = words("offset offsetbytes byteoffset fileoffset")
  private static let offsets = fileOffsets + words("address addr")
  private static var addresses: [String] { sectors + offsets }

  fileprivate static let times = words(
    """
    time timestamp ts times timestamps optime t datetime date clock clocktime unixtime unixtimestamp
    epoch epochtime accesstime arrivaltime arrival eventtime starttime walltime reltime relativetime
    relativeunix requesttime requesttimeutc timeutc timestamputc datetimeutc
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
      objectsizebytes requestiosizebytes responsesizebytes
      """)

  fileprivate static let operations = words(
    """
    op operation ops optype operationtype opcode opname iotype rw readwrite method requestmethod
    httpmethod verb command cmd action requesttype reqtype type
    """)

  static let directions: Set = ["iotype", "rw", "readwrite"]

  static let devices: Set = [
    "device", "deviceid", "dev", "devid", "devno", "disk", "diskid", "diskno", "disknum",
    "disknumber", "volume", "volumeid", "vol", "volid", "asu", "lun", "lunid", "drive", "driveid",
    "hostname",
  ]

  /// Files, whose parts are objects in tables with offsets.
  static let files: Set = ["filename", "file", "fileid", "filepath", "path"]

  static let promptLengths: Set = [
    "requesttokens", "inputlength", "inputtokens", "prompttokens", "contexttokens",
  ]

  static func isBlock(_ name: String) -> Bool { (addresses + blocks).contains(name) }

  static func addressUnit(_ name: String) -> UInt64? {
    sectors.contains(name) ? 512 : offsets.contains(name) ? 1 : nil
  }

  static func isLength(_ name: String) -> Bool {
    ["requestsize", "iosize", "iosizebytes", "iobytes", "reqsize", "requestiosizebytes"]
      .contains(name)
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

struct CsvOperations: Sendable {
  enum Meaning: Sendable {
    case operation(Operation)
    case leftOut
  }

  static let words = CsvOperations(
    meanings: meanings([
      (.get, "get gets mget gat gats get_lease read head fetch lookup getobject get_object"),
      (.get, "headobject head_object rest.get.object rest.head.object"),
      (.set, "set add put cas replace append prepend incr decr write store insert set_lease"),
      (.set, "update putobject put_object rest.put.object rest.copy.object rest.post.object"),
      (.delete, "delete del remove unlink invalidate purge deleteobject delete_object"),
      (.delete, "rest.delete.object"), (.modify, "modify"), (.bypass, "bypass"),
      (.expire, "expire"),
      // Block device requests: both are accesses.
      (.get, "r w"),
    ]))
  /// Known words, and the numbers, which are not guessed.
  static let all = words.adding(meanings([(.get, "0"), (.set, "1"), (.delete, "2")]))

  private let meanings: [String: Meaning]

  /// HTTP methods that are not cache operations, accepted next to known ones.
  private static let methods: Set = ["post", "patch", "options", "connect", "trace", "propfind"]

  private init(meanings: [String: Meaning]) { self.meanings = meanings }

  private func adding(_ more: [String: Meaning]) -> CsvOperations {
    CsvOperations(meanings: meanings.merging(more) { _, word in word })
  }

  private static func meanings(_ words: [(Operation, String)]) -> [String: Meaning] {
    words.reduce(into: [:]) { meanings, pair in
      for name in pair.1.split(separator: " ") { meanings[String(name)] = .operation(pair.0) }
    }
  }

  /// Words of the option `ops` in addition to the known ones; nil if it was not given.
  init?(_ options: ParameterReader) throws(ComponentError) {
    guard let text = options.text("ops") else { return nil }
    let parts = text.lowercased().split(omittingEmptySubsequences: false) { ":,=".contains($0) }
    var given: [String: Meaning] = [:]
    for place in stride(from: 0, to: parts.count - 1, by: 2) where !parts[place].isEmpty {
      given[String(parts[place])] = Self.meaning(ofOption: String(parts[place + 1]))
    }
    guard given.count * 2 == parts.count else {
      throw options.wrong(
        "ops",
        expected:
          "words and operations (get, set, delete, modify, bypass, expire, skip), as 1:get:0:set")
    }
    self = Self.words.adding(given)
  }

  static func meaning(ofOption word: String) -> Meaning? {
    if word == "skip" { return .leftOut }
    let names = ["get", "read", "set", "write", "delete", "modify", "bypass", "expire"]
    return names.contains(word) ? words.meaning(of: word) : nil
  }

  func meaning(of word: String) -> Meaning? { meanings[word.lowercased()] }

  func firstUnknown(_ values: [String]) -> String? {
    values.first { meaning(of: $0) == nil && !Self.methods.contains($0.lowercased()) }
  }
}

/// Looks up operations without creating a string per line.
struct CsvOperationLookup {
  private let operations: CsvOperations
  private var seen: [(hash: UInt64, meaning: CsvOperations.Meaning)] = []

  init(_ operations: CsvOperations) { self.operations = operations }

  @inline(__always) mutating func meaning(_ field: TextField) -> CsvOperations.Meaning? {
    let hash = KeyHash.hash(UnsafeBufferPointer(start: field.next, count: field.count))
    for word in seen where word.hash == hash { return word.meaning }
    let meaning = operations.meaning(of: field.text)
    if let meaning, seen.count < 32 { seen.append((hash, meaning)) }
    return meaning
  }
}
