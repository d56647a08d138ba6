/// How a file is compressed, recognised by its first bytes, whatever it is called.
enum Compression: String, CaseIterable, Sendable {
  /// RFC 8878.
  case zstd
  /// RFC 1952.
  case gzip
  /// The .xz format of XZ Utils.
  case xz
  /// The format of bzip2 1.0.
  case bzip2

  /// The bytes of a file, decompressed when its first bytes say that it is compressed.
  static func open(_ file: FileBytes) throws(TraceError) -> any ByteSource {
    switch recognise(try file.peek(6)) {
    case .zstd: try ZstdSource(file)
    case .gzip: try GzipSource(file)
    case .xz: try XzSource(file)
    case .bzip2: try Bzip2Source(file)
    case nil: file
    }
  }

  /// What the first bytes of a file say; nil when they are of no compressed format we know.
  static func recognise(_ head: [UInt8]) -> Compression? {
    if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
    // A skippable frame, which parallel compressors put first: 184D2A50 to 184D2A5F, little-endian.
    if head.count >= 4, head[0] & 0xF0 == 0x50, head[1...3].elementsEqual([0x2A, 0x4D, 0x18]) {
      return .zstd
    }
    if head.starts(with: [0x1F, 0x8B]) { return .gzip }
    if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return .xz }
    // Behind the block size is the number that begins a block, or the one that ends a stream.
    if head.count >= 6, head.starts(with: Array("BZh".utf8)), (0x31...0x39).contains(head[3]),
      head[4...5].elementsEqual([0x31, 0x41]) || head[4...5].elementsEqual([0x17, 0x72])
    {
      return .bzip2
    }
    return nil
  }

  /// The usual endings of names of compressed files.
  static let suffixes = [".zst", ".zstd", ".gz", ".gzip", ".xz", ".bz2"]

  /// A file's name without folders and without the ending of a compressed format.
  static func baseName(ofPath path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for suffix in suffixes where name.count > suffix.count && name.lowercased().hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return name
  }
}
