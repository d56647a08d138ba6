import Foundation
import LarderEngine
import Testing

@testable import LarderTraces

/// A trace whose columns were spilled to files during preparation equals one in memory.
@Suite
struct SpillTests {
  private static func records(_ count: Int, knowsSizes: Bool) -> [TraceRecord] {
    var random = SeededRandom(state: UInt64(count))
    return (0..<count).map { index in
      var record = TraceRecord(
        key: random.next() % 700, time: UInt64(index) * 10 + random.next() % 30,
        size: UInt32(truncatingIfNeeded: random.next() % 5000),
        ttl: UInt32(truncatingIfNeeded: random.next() % 100), cost: Float(random.next() % 10),
        operation: Operation(rawValue: UInt8(random.next() % 4)) ?? .get)
      if !knowsSizes, random.next() % 5 == 0 { record.isSizeKnown = false }
      return record
    }
  }

  private static func trace(
    _ records: [TraceRecord], batch: Int, rule: SizeRule, spillingTo folder: String?
  ) throws -> PreparedTrace {
    let builder = try TraceBuilder(
      columns: [.size, .time, .operation, .ttl, .cost], keyLimit: nil, sizeRule: rule,
      spillingTo: folder)
    try RecordList(list: records, columns: [], batch: batch).records { batch in
      try builder.add(batch)
      return true
    }
    return try builder.finish(name: "spilled")
  }

  @Test(arguments: [1, 5000, 600_000], [true, false])
  func writesTheSameFile(_ count: Int, _ knowsSizes: Bool) throws {
    let folder = try TestFolder()
    let records = Self.records(count, knowsSizes: knowsSizes)
    for rule in [SizeRule.logged, .max] {
      let whole = try Self.trace(records, batch: 37, rule: rule, spillingTo: nil)
      try TraceWriter.larder.write(whole, to: folder.path("whole.larder"))
      let expected = try [UInt8](bytesOf: folder.path("whole.larder"))
      let spilled = try Self.trace(records, batch: 5000, rule: rule, spillingTo: folder.path)
      #expect(folder.names == ["whole.larder"], "the files have no names")
      try TraceWriter.larder.write(spilled, to: folder.path("spilled.larder"))
      #expect(try [UInt8](bytesOf: folder.path("spilled.larder")) == expected)
      try FileManager.default.removeItem(atPath: folder.path("spilled.larder"))
    }
  }

  @Test func fullDiskIsAOneLineError() throws {
    let folder = try TestFolder()
    // In parts, as a disk may accept them.
    let whole = try SpillFile(in: folder.path, files: SmallDisk(room: 100, atOnce: 30))
    try whole.extend(to: 100)
    #expect(whole.count == 100)
    let full = try SpillFile(in: folder.path, files: SmallDisk(room: 99, atOnce: 30))
    let said = message { try full.extend(to: 100) }
    #expect(said.contains("No space left on device") && said.contains("free disk space"))
    #expect(!said.contains("\n"))
    #expect(folder.names.isEmpty)
  }

  @Test func unwritableFolderIsNotUsed() throws {
    let folder = try TestFolder()
    #expect(SpillFile.works(in: folder.path))
    #expect(!SpillFile.works(in: folder.path("missing")))
    let source = RecordList(list: Self.records(100, knowsSizes: true))
    let trace = try PreparedTrace.prepare(
      source: source, name: "a", memory: .machine, spillingTo: folder.path("missing"))
    #expect(trace.requests.count == 100)
    #expect(
      message { _ = try SpillFile(in: folder.path("missing")) }.contains("temporary file"))
  }
}

extension [UInt8] {
  /// The bytes of a file.
  fileprivate init(bytesOf path: String) throws {
    self = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
