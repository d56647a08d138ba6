import LarderEngine

/// Our own prepared traces.
struct LarderFormat: TraceFormat {
  static let name = "larder"

  let description = FormatDescription(
    name: LarderFormat.name,
    summary: "Larder's prepared trace: columns that are read without parsing",
    layout: """
      Little-endian: a header of 72 bytes (88 in version 2, of a sample of the objects) that begins
      with 89 4C 41 52 44 45 52 0A and the version,
      a directory of 32 bytes per column (kind, element size, offset, length, checksum), the name,
      and the columns at multiples of 64: u32 ids (dense, in order of first appearance), u32 sizes,
      u64 times in microseconds, u8 operations (get, set, delete, modify, bypass, expire), u32
      TTLs in seconds, float costs, u32 prompts (one more than the tokens of the prompt that
      begins, or 0).
      Checksums and values are checked in one scan when the file is opened.
      """,
    suffixes: [".larder"], parameters: [.skipZeroSize])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    sample.head.starts(with: LarderLayout.magic) || sample.isNamed(description.suffixes)
      ? .certain : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    let layout = try sample.head.withUnsafeBytes { bytes throws(TraceError) in
      try LarderLayout(
        decoding: bytes, fileLength: sample.isWhole ? sample.head.count : nil, path: sample.path)
    }
    return Decoder(
      columns: layout.traceColumns, keyLimit: layout.objects + 1,
      samplingRate: layout.sampling.rate)
  }

  /// The trace in the bytes of a file that `owner` keeps in memory, checked.
  ///
  /// - Complexity: O(bytes), at the speed of memory.
  static func trace(
    in bytes: UnsafeRawBufferPointer, owner: AnyObject, path: String
  ) throws(TraceError) -> PreparedTrace {
    let layout = try LarderLayout(decoding: bytes, fileLength: bytes.count, path: path)
    let content = LarderContent(bytes: bytes, layout: layout, path: path)
    let all = try content.check()
    guard let ids = content.column(.ids, of: ObjectID.self) else {
      throw TraceError("no id column", in: path)
    }
    let requests = RequestColumns(
      count: layout.count, objects: layout.objects, ids: ids,
      sizes: content.column(.sizes, of: UInt32.self),
      times: content.column(.times, of: UInt64.self),
      operations: content.column(.operations, of: UInt8.self),
      ttls: content.column(.ttls, of: UInt32.self), costs: content.column(.costs, of: Float.self),
      owner: owner)
    var reading = ReadingFacts()
    reading.sampling = layout.sampling
    return PreparedTrace(
      name: layout.name, requests: requests, footprint: Footprint(of: requests, all: all),
      timesRaised: layout.timesRaised, reading: reading,
      prompts: content.column(.prompts, of: UInt32.self))
  }

  /// Hands out the records of a prepared trace that comes as a stream. Columns lie one after
  /// another in the file, so all of it is read first: as much memory as the columns take.
  private struct Decoder: TraceDecoder {
    let columns: TraceColumns
    let keyLimit: Int?
    let samplingRate: Double
    /// Objects are numbered in the order of their first appearance in this file.
    var isOneOfAKind: Bool { true }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      let loaded = try LoadedBytes(reader)
      let trace = try LarderFormat.trace(in: loaded.bytes, owner: loaded, path: reader.path)
      try PreparedSource(trace).fill(batch)
      batch.noteSampling(trace.sampling)
    }
  }
}

extension PreparedTrace {
  /// True if a file is a prepared trace without damage. Reads it without taking memory for it.
  package static func isIntact(_ path: String) -> Bool {
    do throws(TraceError) {
      let mapped = try MappedFile(path: path)
      _ = try LarderFormat.trace(in: mapped.bytes, owner: mapped, path: path)
      return true
    } catch {
      return false
    }
  }
}

extension LarderLayout {
  /// The columns as sources of records have them.
  var traceColumns: TraceColumns {
    let all: [LarderColumn: TraceColumns] = [
      .sizes: .size, .times: .time, .operations: .operation, .ttls: .ttl, .costs: .cost,
      .prompts: .prompt,
    ]
    return TraceColumns(columns.compactMap { all[$0.column] })
  }
}
