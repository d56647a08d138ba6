/// What a column of a table is to a trace.
enum CsvRole: String, CaseIterable, Sendable {
  case id
  case time
  case size
  case ttl
  case operation = "op"
  case cost

  /// The names in headers by which the column is found when no column is given, surest first, as
  /// `CsvName.plain` has them.
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

  /// The column of the records that it fills; nil for the id, which all records have.
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

/// Names of columns, compared without case, blanks and marks: `Obj-Size` is `obj_size`.
enum CsvName {
  /// The letters and digits of a name, lower case.
  static func plain(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

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
  /// Numbers of blocks of a size that the table does not say.
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

  /// Names of operations whose numbers are reads and writes.
  static let directions: Set = ["iotype", "rw", "readwrite"]

  /// Names of the devices that addresses belong to.
  static let devices: Set = [
    "device", "deviceid", "dev", "devid", "devno", "disk", "diskid", "diskno", "disknum",
    "disknumber", "volume", "volumeid", "vol", "volid", "asu", "lun", "lunid", "drive", "driveid",
    "hostname",
  ]

  /// Names of columns of a table that has lengths of prompts.
  static let promptLengths: Set = [
    "requesttokens", "inputlength", "inputtokens", "prompttokens", "contexttokens",
  ]

  /// True for addresses and numbers of blocks: their sizes are lengths of requests.
  static func isBlock(_ name: String) -> Bool { (addresses + blocks).contains(name) }

  /// Bytes of one of an address by its name; nil where the name is of no address.
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

  /// The unit that the name of a column of times ends with, as `timestamp_ms` does; nil for none.
  static func timeUnit(_ name: String) -> TimeUnit? {
    if times.contains(name) { return nil }
    for base in times where name.hasPrefix(base) {
      if let unit = units[String(name.dropFirst(base.count))] { return unit }
    }
    return nil
  }
}
