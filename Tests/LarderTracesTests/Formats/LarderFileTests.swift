import Foundation
import Testing

@testable import LarderTraces

/// Prepared trace files: reading returns the written trace, and forgeries are detected.
@Suite
struct LarderFileTests {
  private static let sample = SampleTrace.larder.bytes

  /// The sample after `change`, with a corrected header checksum.
  private func forged(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = LarderFileTests.sample
    change(&bytes)
    seal(&bytes)
    return bytes
  }

  private func seal(_ bytes: inout [UInt8]) {
    let length = min(bytes.count, Int(number(bytes, at: 12)))
    bytes.replaceSubrange(64..<72, with: [UInt8](repeating: 0, count: 8))
    let checksum = bytes[..<length].withUnsafeBytes { LarderChecksum.of($0) }
    bytes.replaceSubrange(64..<72, with: SampleTrace.little(checksum))
  }

  private func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
  }

  private func forgedColumn<Value: FixedWidthInteger>(
    _ column: Int, _ index: Int, _ value: Value
  ) -> [UInt8] {
    forged { bytes in
      let entry = 72 + 32 * column
      let start = Int(number(bytes, at: entry + 8))
      let length = Int(number(bytes, at: entry + 16))
      let at = start + index * MemoryLayout<Value>.size
      bytes.replaceSubrange(at..<at + MemoryLayout<Value>.size, with: SampleTrace.little(value))
      let checksum = bytes[start..<start + length].withUnsafeBytes { LarderChecksum.of($0) }
      bytes.replaceSubrange(entry + 24..<entry + 32, with: SampleTrace.little(checksum))
    }
  }

  private func problem(_ bytes: [UInt8]) throws -> String {
    let folder = try TestFolder()
    let path = try folder.write(bytes, to: "forged.larder")
    let mapped = message { _ = try PreparedTrace.load(path: path) }
    // The file through a decompressor, which reads instead of mapping.
    let packed = try folder.write(Compression.zstd.compress(bytes), to: "packed.larder.zst")
    let loaded = message { _ = try PreparedTrace.load(path: packed) }
    #expect(mapped.isEmpty == loaded.isEmpty)
    #expect(!mapped.contains("\n"))
    return mapped
  }

  @Test func sampleHasExpectedNumbers() throws {
    let trace = try PreparedTrace.load(path: "\(Repository.samples)/sample.larder")
    #expect(trace.name == "sample")
    #expect(trace.requests.count == 16 && trace.requests.objects == 7)
    #expect(trace.footprintBytes == 100_245)
    #expect(trace.columns == [.size, .time])
    #expect(trace.requests.owner is LoadedBytes)
  }

  /// A file may be changed, shortened or removed while its trace is in use.
  @Test func loadedTraceIsIndependentOfFile() throws {
    let folder = try TestFolder()
    let path = try folder.write(LarderFileTests.sample, to: "x.larder")
    let trace = try PreparedTrace.load(path: path)
    let file = try #require(fopen(path, "r+"))
    let ones = [UInt8](repeating: 0xFF, count: LarderFileTests.sample.count)
    #expect(fwrite(ones, 1, ones.count, file) == ones.count)
    fclose(file)
    #expect(try allRecords(PreparedSource(trace)) == SampleTrace.larder.records)
    #expect(truncate(path, 0) == 0)
    #expect(try allRecords(PreparedSource(trace)) == SampleTrace.larder.records)
  }

  @Test func tooLargeFileIsMapped() throws {
    let folder = try TestFolder()
    let path = try folder.write(LarderFileTests.sample, to: "x.larder")
    let size = UInt64(LarderFileTests.sample.count)
    let room = MemoryBudget { MemoryBudget.reserve + size + 1 }
    let source = try FileSource(path: path)
    #expect(try source.prepared(memory: room)?.requests.owner is LoadedBytes)
    let mapped = try source.prepared(memory: MemoryBudget { size })
    #expect(mapped?.requests.owner is MappedFile)
    // A file that cannot be mapped is rejected.
    let packed = try folder.write(
      Compression.gzip.compress(LarderFileTests.sample), to: "x.larder.gz")
    let text = message {
      _ = try FileSource(path: packed).prepared(memory: MemoryBudget { size })
    }
    #expect(text.contains("its columns need 448 B of memory"), "\(text)")
  }

  @Test func bytesAfterEndAreRejected() throws {
    let folder = try TestFolder()
    for more in [1, 70_000, 3_000_000] {
      let bytes = LarderFileTests.sample + [UInt8](repeating: 0, count: more)
      for compression in Compression.allCases {
        let path = try folder.write(compression.compress(bytes), to: "x.larder.packed")
        let text = message { _ = try PreparedTrace.load(path: path) }
        #expect(text.contains("expected"), "\(text)")
      }
    }
  }

  private func put<Value: FixedWidthInteger>(_ value: Value, at offset: Int) -> [UInt8] {
    forged {
      $0.replaceSubrange(
        offset..<offset + MemoryLayout<Value>.size, with: SampleTrace.little(value))
    }
  }

  @Test func invalidHeadersAreRejected() throws {
    #expect(try problem(put(UInt8(0), at: 0)).contains("does not start with the magic number"))
    #expect(try problem(put(UInt32(3), at: 8)).contains("version 3 of prepared traces"))
    #expect(try problem(put(UInt32(70), at: 12)).contains("a header of 70 bytes"))
    #expect(try problem(put(UInt32.max, at: 12)).contains("a header of 4294967295 bytes"))
    #expect(try problem(put(UInt64(9999), at: 16)).contains("expected 9999 bytes"))
    #expect(try problem(put(UInt64.max, at: 16)).contains("expected 18446744073709551615 bytes"))
    #expect(try problem(put(UInt64.max, at: 24)).contains("requests are out of range"))
    #expect(try problem(put(UInt64(1 << 55), at: 24)).contains("not a valid column"))
    #expect(try problem(put(UInt64(17), at: 32)).contains("17 objects in 16 requests"))
    #expect(try problem(put(UInt64(6), at: 32)).contains("6 objects"))
    #expect(try problem(put(UInt64(1), at: 40)).contains("the columns have 7 of 100245"))
    #expect(try problem(put(UInt32(7), at: 56)).contains("does not fit 7 columns"))
    #expect(try problem(put(UInt32.max, at: 56)).contains("columns"))
    #expect(try problem(put(UInt32(5), at: 60)).contains("a header of"))
    var unsealed = LarderFileTests.sample
    unsealed[48] ^= 1
    #expect(try problem(unsealed).contains("the header's checksum is wrong"))
  }

  @Test func invalidDirectoriesAreRejected() throws {
    let entry = 72
    #expect(try problem(put(UInt32(99), at: entry)).contains("entry 1 of the directory"))
    #expect(try problem(put(UInt32(2), at: entry)).contains("entry 2 of the directory"))
    #expect(try problem(put(UInt32(5), at: entry)).contains("no id column"))
    #expect(try problem(put(UInt32(8), at: entry + 4)).contains("entry 1 of the directory"))
    #expect(try problem(put(UInt64(200), at: entry + 8)).contains("entry 1 of the directory"))
    #expect(try problem(put(UInt64(0), at: entry + 8)).contains("not a valid column"))
    #expect(try problem(put(UInt64(256), at: entry + 8)).contains("not a valid column"))
    #expect(try problem(put(UInt64(1 << 40), at: entry + 8)).contains("not a valid column"))
    let last = UInt64(Int64.max) / 64 * 64
    #expect(try problem(put(last, at: entry + 8)).contains("not a valid column"))
    #expect(try problem(put(UInt64.max - 63, at: entry + 8)).contains("entry 1 of the directory"))
    #expect(try problem(put(UInt64(60), at: entry + 16)).contains("entry 1 of the directory"))
  }

  @Test func invalidValuesAreRejected() throws {
    let ids = "request 3 has a bad value in the ids: ids must first appear as 1, 2, 3"
    #expect(try problem(forgedColumn(0, 2, UInt32(0))).contains(ids))
    #expect(try problem(forgedColumn(0, 2, UInt32(8))).contains(ids))
    #expect(try problem(forgedColumn(0, 2, UInt32.max)).contains(ids))
    #expect(try problem(forgedColumn(0, 0, UInt32(2))).contains("request 1 has a bad value"))
    #expect(try problem(forgedColumn(0, 14, UInt32(1))).contains("the columns have 6 of"))
    #expect(try problem(forgedColumn(1, 0, UInt32(1))).contains("the columns have 7 of 96150"))
    #expect(
      try problem(forgedColumn(2, 5, UInt64(0)))
        .contains("request 6 has a bad value in the times: times must not decrease"))
  }

  @Test func damageInAnySignificantByteIsDetected() throws {
    for index in LarderFileTests.sample.indices {
      var bytes = LarderFileTests.sample
      bytes[index] ^= 0x10
      let header = Int(number(LarderFileTests.sample, at: 12))
      // Between the header and the first column nothing is stored.
      if (header..<192).contains(index) { continue }
      #expect(try !problem(bytes).isEmpty, "byte \(index)")
    }
  }

  @Test func truncationIsDetected() throws {
    for length in 1..<LarderFileTests.sample.count {
      #expect(try !problem(Array(LarderFileTests.sample[..<length])).isEmpty, "\(length)")
    }
    #expect(try problem(LarderFileTests.sample + [0]).contains("expected"))
  }

  @Test func operationsAndCostsAreChecked() throws {
    let folder = try TestFolder()
    let source = RecordList(
      list: SampleTrace.csvWithOperations.records, columns: [.operation, .cost])
    let path = folder.path("ops.larder")
    try TraceWriter.larder.write(PreparedTrace.prepare(source: source, name: "ops"), to: path)
    let bytes = try FileBytes(path: path).peek(1 << 20)
    func forgedAt<Value: FixedWidthInteger>(_ entry: Int, _ value: Value) throws -> String {
      var copy = bytes
      let start = Int(number(bytes, at: 72 + 32 * entry + 8))
      copy.replaceSubrange(
        start..<start + MemoryLayout<Value>.size, with: SampleTrace.little(value))
      return try problem(copy)
    }
    #expect(try forgedAt(1, UInt8(6)).contains("request 1 has a bad value in the operations"))
    #expect(try forgedAt(2, Float(-1).bitPattern).contains("bad value in the costs"))
    #expect(try forgedAt(2, Float.nan.bitPattern).contains("bad value in the costs"))
    #expect(try forgedAt(2, Float.infinity.bitPattern).contains("bad value in the costs"))
  }

  @Test func checksumsDependOnEveryByteAndOnTheLength() {
    var seen: Set<UInt64> = []
    for length in 0..<200 {
      let bytes = [UInt8](repeating: 0, count: length)
      seen.insert(bytes.withUnsafeBytes { LarderChecksum.of($0) })
    }
    #expect(seen.count == 200)
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    let whole = bytes.withUnsafeBytes { LarderChecksum.of($0) }
    var parts = LarderChecksum()
    bytes[..<64].withUnsafeBytes { parts.add($0) }
    bytes[64..<992].withUnsafeBytes { parts.add($0) }
    bytes[992...].withUnsafeBytes { parts.add($0) }
    #expect(parts.value == whole)
  }
}
