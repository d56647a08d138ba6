import LarderEngine

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

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    let layout = try sample.head.withUnsafeBytes { bytes throws(TraceError) in
      try LarderLayout(
        decoding: bytes, fileLength: sample.isWhole ? sample.head.count : nil, path: sample.path)
    }
    return Decoder(
      columns: TraceColumns(layout.columns.map(\.column.trace)), keyLimit: layout.objects + 1,
      samplingRate: layout.sampling.rate)
  }

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

  /// The file stores columns one after another, so all of it is read first.
  private struct Decoder: TraceDecoder {
    let columns: TraceColumns
    let keyLimit: Int?
    let samplingRate: Double
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

/// Validates the columns of a file once, when it is opened, in one scan at the speed of memory.
struct LarderContent {
  let bytes: UnsafeRawBufferPointer
  let layout: LarderLayout
  let path: String

  private static let stretch = 128 << 10

  func check() throws(TraceError) -> UInt64 {
    var ids = IDCheck(sizes: column(.sizes, of: UInt32.self))
    var lastTime: UInt64 = 0
    for entry in layout.columns {
      var checksum = LarderChecksum()
      var offset = 0
      while offset < entry.length {
        let length = min(LarderContent.stretch, entry.length - offset)
        let part = UnsafeRawBufferPointer(
          rebasing: bytes[entry.offset + offset..<entry.offset + offset + length])
        checksum.add(part)
        let first = offset / entry.column.elementSize
        let bad: Int? =
          switch entry.column {
          case .ids: ids.firstBad(part.bindMemory(to: ObjectID.self), from: first)
          case .times: LarderContent.firstDecrease(part.bindMemory(to: UInt64.self), &lastTime)
          case .operations: part.firstIndex { $0 >= UInt8(Operation.allCases.count) }
          case .costs: part.bindMemory(to: Float.self).firstIndex { !($0 >= 0 && $0.isFinite) }
          case .prompts: first == 0 && part.bindMemory(to: UInt32.self).first == 0 ? 0 : nil
          case .sizes, .ttls: nil
          }
        if let bad { throw badValue(entry, first + bad) }
        offset += length
      }
      if checksum.value != entry.checksum {
        throw TraceError(
          "the checksum of the \(entry.column) is wrong", in: path, at: .byte(entry.offset),
          advice: "the file is damaged; convert the original trace again")
      }
    }
    let footprint = layout.columns.contains { $0.column == .sizes } ? ids.bytes : UInt64(ids.seen)
    if ids.seen != UInt32(layout.objects) || footprint != layout.footprintBytes {
      throw TraceError(
        "the header has \(layout.objects) objects of \(layout.footprintBytes) bytes, the columns "
          + "have \(ids.seen) of \(footprint)", in: path, at: .byte(32),
        advice: "convert the original trace again")
    }
    return footprint
  }

  func column<Element: BitwiseCopyable>(
    _ column: LarderColumn, of type: Element.Type
  ) -> UnsafePointer<Element>? {
    guard let entry = layout.columns.first(where: { $0.column == column }) else { return nil }
    return bytes.baseAddress.map { ($0 + entry.offset).assumingMemoryBound(to: type) }
  }

  private func badValue(_ entry: LarderLayout.Entry, _ index: Int) -> TraceError {
    let expected =
      switch entry.column {
      case .ids: "ids must first appear as 1, 2, 3 ..."
      case .times: "times must not decrease"
      case .operations: "operations are 0 to \(Operation.allCases.count - 1)"
      case .costs: "costs are at least 0"
      case .prompts: "the first request begins a prompt"
      case .sizes, .ttls: ""
      }
    return TraceError(
      "request \(index + 1) has a bad value in the \(entry.column): \(expected)", in: path,
      at: .byte(entry.offset + index * entry.column.elementSize),
      advice: "convert the original trace again")
  }

  private static func firstDecrease(
    _ times: UnsafeBufferPointer<UInt64>, _ last: inout UInt64
  ) -> Int? {
    for index in 0..<times.count {
      if times[index] < last { return index }
      last = times[index]
    }
    return nil
  }
}

private struct IDCheck {
  let sizes: UnsafePointer<UInt32>?
  var seen: UInt32 = 0
  var bytes: UInt64 = 0

  init(sizes: UnsafePointer<UInt32>?) { self.sizes = sizes }

  mutating func firstBad(_ ids: UnsafeBufferPointer<ObjectID>, from first: Int) -> Int? {
    var seen = seen
    for index in 0..<ids.count {
      let id = ids[index]
      // One comparison for both: 0 wraps to the largest number.
      if id &- 1 >= seen {
        guard id == seen &+ 1, id != .max else { return index }
        seen = id
        if let sizes { bytes &+= UInt64(sizes[first + index]) }
      }
    }
    self.seen = seen
    return nil
  }
}
