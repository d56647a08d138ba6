import LarderEngine

extension TableFormat {
  static let all = [
    txt, arc, lirs, adaptSize, twitter, metaKV, metaBlock, msrCambridge, spc, alibabaBlock,
    tencentBlock, ibmObjects, fiu, blkparse, fio(2), fio(3), biosnoop,
  ]

  static let txt = TableFormat(
    description: FormatDescription(
      name: "txt", summary: "text, one object id per line",
      layout: """
        Text, one get per line: the line without surrounding blanks is the object's id. Whole
        numbers are their own keys, other ids are hashed (64 bits). Blank lines are skipped.
        """,
      suffixes: [".txt"], parameters: [.maxBad]),
    columns: [
      TableColumn("id", .id) { line in
        !line.contains { byte in [0x20, 0x09, 0x2C, 0x3B, 0x7C].contains(byte) }
      }
    ],
    rules: TableLayout(delimiter: nil), confidence: .possible, needsContent: true)

  /// Megiddo and Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache", FAST 2003.
  static let arc = TableFormat(
    description: FormatDescription(
      name: "arc", summary: "block runs of the ARC paper: `start count 0 number` per line",
      layout: """
        Text, four whole numbers per line, separated by blanks: first block, number of blocks,
        ignored, line number (ignored). A line becomes one get per block: start, start+1, ...
        start+count-1.
        """,
      suffixes: [".lis"], parameters: [.maxBad]),
    columns: [
      TableColumn("start", .number),
      TableColumn("blocks", .run) { TableColumn.digits(1...20)($0) && $0.first != 0x30 },
      TableColumn("0", .whole) { $0.elementsEqual([0x30]) }, TableColumn("number", .whole),
    ],
    rules: TableLayout(delimiter: 0x20), confidence: .likely)

  /// Jiang and Zhang, "LIRS", SIGMETRICS 2002.
  static let lirs = TableFormat(
    description: FormatDescription(
      name: "lirs", summary: "block numbers of the LIRS paper's traces, one per line",
      layout: """
        Text, one get per line: the line is a block number. Lines with only `*` (checkpoints) and
        blank lines are skipped.
        """,
      suffixes: [".trc", ".trace"], parameters: [.maxBad]),
    columns: [TableColumn("block number", .number)],
    rules: TableLayout(
      delimiter: 0x20, skips: { $0.trimmed.equals([0x2A]) ? "" : nil },
      advice: "use --format txt for ids that are not numbers"),
    confidence: .likely, needsContent: true,
    fits: { $0.lines().contains { $0.elementsEqual([0x2A]) } })

  /// Berger, Sitaraman and Harchol-Balter, "AdaptSize", NSDI 2017.
  static let adaptSize = TableFormat(
    description: FormatDescription(
      name: "adapt-size",
      summary: "text of AdaptSize, webcachesim and LRB: `time id size` per line",
      layout: """
        Text, numbers separated by blanks: time, object, size in bytes, and further fields
        (features of LRB's traces) that are ignored. Every line is a get. The id alone identifies
        the object (the original program treats the same id with another size as another object).
        """,
      suffixes: [".tr"], parameters: [.timeUnit, .skipZeroSize, .maxBad]),
    columns: [
      TableColumn("time", .time, fits: TableColumn.digits(1...20)), TableColumn("id", .number),
      TableColumn("size", .size),
    ],
    rules: TableLayout(delimiter: 0x20, mayHaveMore: true), confidence: .likely,
    adapt: { sample, layout in
      if sample.isNamed([".tr"]) { return }
      layout.remarks.append("The columns are read as time, id and size in bytes.")
    },
    fits: { $0.lines().allSatisfy { $0.split { $0 == 0x20 || $0 == 0x09 }.count == 3 } })

  /// Yang, Yue and Rashmi, "Hundreds of In-memory Cache Clusters at Twitter", OSDI 2020.
  static let twitter = TableFormat(
    description: FormatDescription(
      name: "twitter", summary: "Twitter's cache traces: text with operations and TTLs",
      layout: """
        Text without a header, seven fields separated by commas: time in seconds, key, bytes of the
        key, bytes of the value, client, operation, TTL in seconds (0 for operations that do not
        write). The size is that of key and value. A get that missed in production has a value of 0
        bytes in the file and gets the last known size of the object. Operations: get and gets are
        gets; set, add, cas, replace, append, prepend, incr and decr are sets; delete is a delete.
        """,
      suffixes: [".twitter", ".twr.csv"],
      parameters: [.timeUnit, .skipZeroSize, .size(.logged), .maxBad]),
    columns: [
      TableColumn("time", .time) { _ in true }, TableColumn("key", .id),
      TableColumn("key size", .keySize), TableColumn("value size", .valueSize),
      TableColumn("client"),
      TableColumn("operation", .operation) { field in
        memcached.contains(String(decoding: field, as: UTF8.self))
      },
      TableColumn("TTL", .ttl) { _ in true },
    ],
    rules: TableLayout(remembersSizes: true))

  private static let memcached: Set = [
    "get", "gets", "set", "add", "cas", "replace", "append", "prepend", "incr", "decr", "delete",
  ]

  /// Berg et al., "The CacheLib Caching Engine", OSDI 2020; traces of 2022 and 2024.
  static let metaKV = TableFormat(
    description: FormatDescription(
      name: "meta-kv",
      summary: "Meta's key-value cache traces: text with a header, several requests per row",
      layout: """
        Text with a header, fields separated by commas, found by name: key, op, size (bytes of the
        value) are required; op_time in seconds, key_size in bytes, op_count and ttl in seconds are
        optional. A row is op_count requests. The size is that of key and value. A get that missed
        in production has size 0 in the file and gets the last known size of the object.
        Operations: GET and GET_LEASE are gets, SET and SET_LEASE are sets, DELETE is a delete.
        """,
      suffixes: [".meta-kv", ".kvcache.csv"],
      parameters: [.timeUnit, .skipZeroSize, .size(.logged), .maxBad]),
    columns: [
      TableColumn("key", .id, isMark: true), TableColumn("op", .operation, isMark: true),
      TableColumn("size", .valueSize, isMark: true),
      TableColumn("op_time", .time, isOptional: true),
      TableColumn("key_size", .keySize, isOptional: true),
      TableColumn("op_count", .repeats, isOptional: true, isMark: true),
      TableColumn("ttl", .ttl, isOptional: true),
    ],
    rules: TableLayout(remembersSizes: true), isNamed: true)

  private static let blockParameters = [
    Parameter.block,
    Parameter(
      "writes", default: "get",
      "writes count as reads do (get), as sets (set), or are skipped (skip)"),
    .maxBad,
  ]

  /// Narayanan, Donnelly and Rowstron, "Write Off-Loading", FAST 2008; SNIA IOTTA.
  static let msrCambridge = TableFormat(
    description: FormatDescription(
      name: "msr-cambridge", summary: "MSR Cambridge block traces from SNIA",
      layout: """
        Text, seven fields separated by commas: time in units of 100 ns since 1601, host, disk,
        Read or Write, offset in bytes, length in bytes, response time. A read becomes one get for
        each block that it touches, with the size of a block; a write is skipped, or with
        writes=true becomes one set for each. An object is a block of a disk of a host.
        """,
      suffixes: [".msr", ".msr.csv"],
      parameters: [
        Parameter("block", .bytes(1...Int(UInt32.max)), default: "512", "bytes per block"),
        Parameter("writes", default: "false", "true includes writes, as sets"), .maxBad,
      ]),
    columns: [
      TableColumn("time", .fileTime, fits: TableColumn.digits(17...20)),
      TableColumn("host", .device) { _ in true }, TableColumn("disk", .device) { _ in true },
      TableColumn("access", .access) { field in
        field.elementsEqual("Read".utf8) || field.elementsEqual("Write".utf8)
      },
      TableColumn("offset", .address), TableColumn("length", .length),
      TableColumn("response time"),
    ],
    // SNIA's files have no header, some copies of them do.
    rules: TableLayout(skips: { $0.starts(with: snia) ? "" : nil }, block: 512))

  private static let snia = Array("Timestamp,".utf8)

  /// "SPC Trace File Format Specification", revision 1.0.1; WebSearch and Financial of UMass.
  static let spc = TableFormat(
    description: FormatDescription(
      name: "spc", summary: "block traces in SPC format: WebSearch and Financial of UMass",
      layout: """
        Text, fields separated by commas: application's unit (ASU), block address of 512 bytes,
        bytes, opcode (R or W), time in seconds, and further fields that are ignored. An object is
        an address of a unit, or with block= a block of it.
        """,
      suffixes: [".spc"], parameters: blockParameters),
    columns: [
      TableColumn("unit", .device), TableColumn("address", .address, unit: 512),
      TableColumn("length", .length), TableColumn("opcode", .access), TableColumn("time", .time),
    ],
    rules: TableLayout(mayHaveMore: true))

  /// Li et al., "In-Depth Comparative Analysis of Cloud Block Storage Workloads", TOS 19, 2023.
  static let alibabaBlock = TableFormat(
    description: FormatDescription(
      name: "alibaba-block",
      summary: "Alibaba's block traces: `device,opcode,offset,length,timestamp` per line",
      layout: """
        Text without a header, five fields separated by commas: device, opcode (R or W), offset in
        bytes, length in bytes, time in microseconds. An object is an offset of a device, or with
        block= a block of it.
        """,
      suffixes: [".alibaba.csv"], parameters: blockParameters),
    columns: [
      TableColumn("device", .device), TableColumn("opcode", .access),
      TableColumn("offset", .address), TableColumn("length", .length),
      TableColumn("time", .time, fits: TableColumn.digits(15...16)),
    ],
    rules: TableLayout(timeUnit: .microseconds))

  /// Zhang et al., "OSCA", USENIX ATC 2020; SNIA IOTTA.
  static let tencentBlock = TableFormat(
    description: FormatDescription(
      name: "tencent-block",
      summary: "Tencent's CBS block traces: `timestamp,offset,size,type,volume` per line",
      layout: """
        Text without a header, five fields separated by commas: time in seconds, offset in sectors
        of 512 bytes, size in sectors, type (0 reads, 1 writes), volume. An object is an offset of
        a volume, or with block= a block of it.
        """,
      suffixes: [".tencent.csv"], parameters: blockParameters),
    columns: [
      TableColumn("time", .time, fits: TableColumn.digits(10...10)),
      TableColumn("offset", .address, unit: 512), TableColumn("size", .length, unit: 512),
      TableColumn("type", .access) { $0.elementsEqual([0x30]) || $0.elementsEqual([0x31]) },
      TableColumn("volume", .device),
    ],
    rules: TableLayout(
      skips: { $0.starts(with: snia) ? "" : nil },
      remarks: [
        "The table is read as Tencent's: time, offset and size in sectors, 0 or 1, volume."
      ]),
    // In other tables of five numbers the fourth is rarely limited to 0 and 1.
    fits: { Set($0.column(3)).isSuperset(of: ["0", "1"]) })

  /// "CacheLib", cachelib.org/docs, "Evaluating SSD hardware for Facebook workloads": traces of
  /// Tectonic of 2025, and those of Wong et al., "Baleen", FAST 2024, whose operations are numbers.
  static let metaBlock = TableFormat(
    description: FormatDescription(
      name: "meta-block", summary: "Meta's block storage traces: text with a header",
      layout: """
        Text with a header, fields separated by blanks, tabs or commas, found by name: block_id,
        io_offset and io_size in bytes are required; op_time in seconds, op_name (getChunkData and
        putChunk, or 1, 2, 5 and 3, 4, 6) and op_count are optional. A row is op_count requests. An
        object is an offset of a block, or with block= a piece of that size.
        """,
      suffixes: [".meta-block"], parameters: blockParameters),
    columns: [
      TableColumn("block_id", .device, isMark: true),
      TableColumn("io_offset", .address, isMark: true),
      TableColumn("io_size", .length, isMark: true),
      TableColumn("op_time", .time, isOptional: true),
      TableColumn("op_name", .chunkAccess, isOptional: true),
      TableColumn("op_count", .repeats, isOptional: true),
    ],
    isNamed: true)

  /// Eytan et al., "It's Time to Revisit LRU vs. FIFO", HotStorage 2020; SNIA IOTTA.
  static let ibmObjects = TableFormat(
    description: FormatDescription(
      name: "ibm-cos", summary: "IBM's object store traces: `time operation object size` per line",
      layout: """
        Text, fields separated by blanks: time in milliseconds, operation, object, its size in
        bytes (missing for some operations), and the range of a read, which is ignored.
        REST.GET.OBJECT and REST.HEAD.OBJECT are gets, REST.PUT.OBJECT, REST.COPY.OBJECT and
        REST.POST.OBJECT sets, REST.DELETE.OBJECT is a delete; other operations are skipped.
        """,
      suffixes: [".ibm-cos"], parameters: [.skipZeroSize, .size(.lastFull), .maxBad]),
    columns: [
      TableColumn("time", .time, fits: TableColumn.digits(1...16)),
      TableColumn("operation", .operation) { $0.starts(with: "REST.".utf8) },
      TableColumn("object", .id),
      TableColumn("size", .size, isOptional: true),
    ],
    rules: TableLayout(
      delimiter: 0x20, mayHaveMore: true, isRagged: true, timeUnit: .milliseconds,
      unknown: .leftOut, sizeRule: .lastFull))

  /// Koller and Rangaswami, "I/O Deduplication", FAST 2010; SNIA IOTTA.
  static let fiu = TableFormat(
    description: FormatDescription(
      name: "fiu", summary: "block traces of FIU: homes, mail, web and others",
      layout: """
        Text, fields separated by blanks: time in nanoseconds, process id, process, address in
        sectors of 512 bytes, size in sectors, W or R, major and minor number of the device, and a
        checksum. An object is an address of a device, or with block= a block of it.
        """,
      suffixes: [".fiu"], parameters: blockParameters),
    columns: [
      TableColumn("time", .time, fits: TableColumn.digits(1...20)),
      TableColumn("process id", fits: TableColumn.digits(1...10)), TableColumn("process"),
      TableColumn("address", .address, unit: 512), TableColumn("size", .length, unit: 512),
      TableColumn("access", .access), TableColumn("major", .device),
      TableColumn("minor", .device), TableColumn("checksum") { $0.count >= 16 },
    ],
    rules: TableLayout(delimiter: 0x20, mayHaveMore: true, timeUnit: .nanoseconds),
    wordy: "process")

  private static let noData = "they move no data (flushes, discards)"

  /// blkparse(1): the default output format.
  static let blkparse = TableFormat(
    description: FormatDescription(
      name: "blkparse", summary: "the output of blkparse, of blktrace",
      layout: """
        Text, one event per line: device, processor, number, time in seconds, process, event, kind
        (R, WS ...), address + length in sectors of 512 bytes, and fields that are ignored. One
        event of each request is read: that of its queuing (Q), or else of its issue (D),
        completion (C) or insertion (I). An object is an address of a device, or with block= a
        block of it. Requests without data and the summary are skipped.
        """,
      suffixes: [".blkparse"], parameters: blockParameters),
    columns: [
      TableColumn("device", .device) { $0.contains(0x2C) }, TableColumn("processor"),
      TableColumn("number", fits: TableColumn.digits(1...20)), TableColumn("time", .time),
      TableColumn("process"), TableColumn("event") { $0.count == 1 },
      TableColumn("kind", .access) { _ in true }, TableColumn("address", .address, unit: 512),
      TableColumn("+") { $0.elementsEqual([0x2B]) }, TableColumn("length", .length, unit: 512),
    ],
    rules: TableLayout(delimiter: 0x20, mayHaveMore: true), needsContent: true,
    adapt: { sample, layout in
      let events = Set(sample.column(5, delimiter: 0x20))
      let event = ["Q", "D", "C", "I"].first { events.contains($0) } ?? "Q"
      layout.remarks.append("Requests are read at their event \(event).")
      layout.skips = { line in
        let words = line.text.split { $0 == " " || $0 == "\t" }
        guard words.count > 6, words[0].contains(","), words[5].count <= 2 else {
          return "they are a summary, or no events of a request"
        }
        if words[5] != event { return "they are other events of the same requests" }
        let isRead = String(words[6]).utf8.withTextField(\.isDataRequest)
        return isRead && words.count > 9 && words[8] == "+" ? nil : noData
      }
    })

  /// fio(1), "Trace file format"; version 3 has microseconds (iolog.c, log_io_u).
  static func fio(_ version: Int) -> TableFormat {
    let time = version == 3 ? "time in microseconds, " : ""
    let first = "fio version \(version) iolog"
    return TableFormat(
      description: FormatDescription(
        name: "fio-iolog\(version)", summary: "I/O logs of fio, version \(version)",
        layout: """
          Text with a first line `\(first)`, fields separated by blanks: \(time)file, action,
          offset and length in bytes. The actions read and write are requests; add, open and close
          are passed over, and trim, sync, datasync and wait are skipped. An object is an offset of
          a file, or with block= a block of it.
          """,
        suffixes: [".iolog\(version)"], parameters: blockParameters),
      columns: (version == 3 ? [TableColumn("time", .time)] : []) + [
        TableColumn("file", .device) { _ in true },
        TableColumn("action", .access) { _ in true },
        TableColumn("offset", .address), TableColumn("length", .length),
      ],
      rules: TableLayout(
        delimiter: 0x20,
        skips: { line in
          if line.equals(Array(first.utf8)) { return "" }
          let words = line.text.split { $0 == " " || $0 == "\t" }
          let action = words.count > version - 1 ? words[version - 1] : ""
          if ["add", "open", "close"].contains(action) { return "" }
          let isOther = ["trim", "sync", "datasync", "sync_file_range", "wait"].contains(action)
          return isOther ? noData : nil
        },
        timeUnit: .microseconds),
      fits: { $0.lines(1).first.map { String(decoding: $0, as: UTF8.self) } == first })
  }

  /// biosnoop of bcc and of libbpf-tools.
  static let biosnoop = TableFormat(
    description: FormatDescription(
      name: "biosnoop", summary: "the output of biosnoop, of bcc",
      layout: """
        Text with a header, fields separated by blanks, found by name: TIME(s), DISK, T (R, W, RA,
        WS ...), SECTOR of 512 bytes and BYTES. An object is a sector of a disk, or with block= a
        block of it. Requests without data (flushes) are skipped.
        """,
      suffixes: [".biosnoop"], parameters: blockParameters),
    columns: [
      TableColumn("time(s)", .time, isMark: true), TableColumn("disk", .device, isMark: true),
      TableColumn("t", .access, isMark: true),
      TableColumn("sector", .address, unit: 512, isMark: true),
      TableColumn("bytes", .length, isMark: true),
    ],
    rules: TableLayout(skips: { line in
      if ["Tracing", "Detach"].contains(where: { line.starts(with: Array($0.utf8)) }) { return "" }
      let isFlush = ["-1", "\(UInt64.max)"].contains { line.find(Array(" \($0) ".utf8)) != nil }
      return isFlush ? noData : nil
    }),
    isNamed: true, wordy: "comm")
}
