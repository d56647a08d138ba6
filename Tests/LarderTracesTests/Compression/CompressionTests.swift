import Testing

@testable import LarderTraces

/// Compressed files are decompressed correctly, or give one clear error.
@Suite
struct CompressionTests {
  static let large: [UInt8] = {
    var random = SeededRandom(state: 7)
    return (0..<700_000).map { _ in UInt8(truncatingIfNeeded: random.next() % 50) }
  }()

  private func contents(_ path: String) throws -> [UInt8] {
    let reader = ByteReader(try Compression.open(try FileBytes(path: path)), path: path)
    var bytes: [UInt8] = []
    while try reader.fill(atLeast: 1) {
      bytes += reader.bytes
      reader.consume(reader.unreadCount)
    }
    return bytes
  }

  @Test(arguments: Compression.allCases)
  func decompressionRestoresContent(_ compression: Compression) throws {
    let folder = try TestFolder()
    for bytes in [Array("hello".utf8), CompressionTests.large] {
      let path = try folder.write(compression.compress(bytes), to: "any-name.dat")
      #expect(try contents(path) == bytes)
    }
  }

  @Test(arguments: Compression.allCases)
  func readsConcatenatedParts(_ compression: Compression) throws {
    let folder = try TestFolder()
    let parts = [Array("one,".utf8), CompressionTests.large, [], Array("three".utf8)]
    let path = try folder.write(parts.flatMap { compression.compress($0) }, to: "parts")
    #expect(try contents(path) == parts.flatMap { $0 })
  }

  @Test func readsAZstdFileThatBeginsWithASkippableFrame() throws {
    let folder = try TestFolder()
    let skippable: [UInt8] = [0x5E, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
    let path = try folder.write(
      skippable + Compression.zstd.compress(Array("text".utf8)), to: "skippable")
    #expect(try contents(path) == Array("text".utf8))
  }

  @Test(arguments: Compression.allCases)
  func truncationIsReported(_ compression: Compression) throws {
    let folder = try TestFolder()
    let whole = compression.compress(Array("some text, some text, some more text".utf8))
    // Below 6 bytes a file is not recognised as compressed and is read unchanged.
    for length in 6..<whole.count {
      let path = try folder.write(Array(whole[..<length]), to: "cut")
      let error = try #require(thrown { _ = try contents(path) } as? TraceError, "\(length)")
      #expect(error.message.contains("ends in the middle"), "\(length): \(error)")
      #expect(error.place != nil)
    }
  }

  @Test(arguments: Compression.allCases)
  func truncatedLargeFileNamesOffset(_ compression: Compression) throws {
    let folder = try TestFolder()
    let whole = compression.compress(CompressionTests.large)
    let path = try folder.write(Array(whole[..<(whole.count * 3 / 4)]), to: "cut")
    let error = try #require(thrown { _ = try contents(path) } as? TraceError)
    guard case .byte(let offset) = error.place else {
      Issue.record("no offset in \(error)")
      return
    }
    // A block of bzip2 is larger than all of this.
    #expect(offset > 100_000 || compression == .bzip2)
    #expect(offset < CompressionTests.large.count)
  }

  @Test(arguments: Compression.allCases)
  func checksumDetectsDamage(_ compression: Compression) throws {
    let folder = try TestFolder()
    let text = Array("some text, some text, some more text".utf8)
    let whole = compression.compress(text)
    for index in 6..<whole.count {
      var damaged = whole
      damaged[index] ^= 0xFF
      let path = try folder.write(damaged, to: "damaged")
      // A gzip header has unused bytes (time, system); the content must still be correct.
      if thrown({ _ = try contents(path) }) == nil {
        #expect(compression == .gzip && index < 10)
        #expect(try contents(path) == text)
      }
    }
  }

  private func remarks(_ bytes: [UInt8], _ expected: [UInt8]) throws -> [String] {
    let folder = try TestFolder()
    let path = try folder.write(bytes, to: "padded")
    let reader = ByteReader(try Compression.open(try FileBytes(path: path)), path: path)
    while try reader.fillMore() {}
    #expect(Array(reader.bytes) == expected)
    return reader.remarks
  }

  @Test(arguments: [Compression.gzip, .bzip2], [1, 3, 512, 200_000])
  func zerosAfterEndAreSkipped(_ compression: Compression, _ count: Int) throws {
    let text = Array("text\n".utf8)
    let zeros = [UInt8](repeating: 0, count: count)
    let one = compression.compress(text)
    #expect(try remarks(one + zeros, text) == [])
    #expect(try remarks(one + zeros + one, text + text) == [])
  }

  @Test(
    arguments: [Compression.gzip, .bzip2], ["U", "\u{0}x", String(repeating: "y", count: 300_000)])
  func garbageAfterEndIsNoted(_ compression: Compression, _ rubbish: String) throws {
    let text = CompressionTests.large
    let remarks = try remarks(compression.compress(text) + Array(rubbish.utf8), text)
    #expect(remarks.count == 1 && remarks[0].contains("are not \(compression.rawValue)"))
  }

  @Test func garbageAfterEndIsInTraceNotes() throws {
    let folder = try TestFolder()
    let bytes = Compression.gzip.compress(Array("1\n2\n".utf8)) + Array("rubbish".utf8)
    let trace = try PreparedTrace.load(path: folder.write(bytes, to: "a.txt.gz"))
    #expect(trace.requests.count == 2)
    #expect(trace.notes.contains { $0.hasPrefix("7 bytes behind the end of the gzip data") })
  }

  @Test(arguments: [Compression.zstd, .xz])
  func garbageAfterEndIsAnError(_ compression: Compression) throws {
    let folder = try TestFolder()
    let path = try folder.write(
      compression.compress(Array("text".utf8)) + [UInt8](repeating: 0x55, count: 100), to: "rubbish"
    )
    #expect(message { _ = try contents(path) }.contains("corrupt"))
  }

  @Test func recognisesByContentOnly() throws {
    let folder = try TestFolder()
    let path = try folder.write("1\n2\n", to: "not-really.txt.zst")
    #expect(try contents(path) == Array("1\n2\n".utf8))
    #expect(Compression.baseName(ofPath: "a/b/OLTP.lis.zst") == "OLTP.lis")
    #expect(Compression.baseName(ofPath: "plain.csv") == "plain.csv")
    #expect(Compression.baseName(ofPath: ".gz") == ".gz")
  }
}
