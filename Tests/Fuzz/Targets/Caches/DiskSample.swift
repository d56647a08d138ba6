import Foundation
import Larder

/// A small disk cache as files, the starting point of the targets of damaged folders. Equal in
/// every process except for the random seed of its database.
struct DiskSample {
  /// A file by its path in the folder.
  struct File {
    var path: String
    var bytes: [UInt8]
  }

  let configuration: DiskConfiguration
  let files: [File]
  private let isClosed: Bool

  /// The time of the caches, in microseconds.
  static let now: UInt64 = 1_700_000_000_000_000

  static let suite = "numbers"

  /// The stored values: small ones in rows, large ones elsewhere.
  static let values: [(key: String, value: Data)] =
    (0..<4).map { ("inline-\($0)", Data(repeating: UInt8($0), count: 10 + $0)) }
    + (0..<4).map { ("large-\($0)", Data(repeating: UInt8(64 + $0), count: 600 + $0)) }

  /// Values in files, values in segments, and both encrypted; each closed, and as after a crash;
  /// all of these with each durability. Those with a log have two suites, one of which has a codec.
  static let all: [Result<DiskSample, any Error>] = {
    let key = try? DiskEncryption(key: Data(repeating: 7, count: 32))
    let kinds: [(Int?, DiskEncryption?)] = [
      (nil, nil), (4096, nil), (nil, key), (4096, key),
    ]
    return [DiskDurability.none, .normal, .full].flatMap { durability in
      kinds.flatMap { segmentBytes, key in
        [true, false].map { isClosed in
          Result { try DiskSample(durability, segmentBytes, key, isClosed: isClosed) }
        }
      }
    }
  }()

  static let plain = all.filter { sample in
    guard case .success(let sample) = sample else { return true }
    return sample.isClosed && sample.configuration.encryption == nil
  }

  private init(
    _ durability: DiskDurability, _ segmentBytes: Int?, _ encryption: DiskEncryption?,
    isClosed: Bool
  ) throws {
    configuration = DiskConfiguration(
      policy: encryption == nil ? .lru : "auto:policies=lru/mru",
      limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability, inlineBytesMax: 100,
      segmentBytes: segmentBytes, groupWrites: 3, encryption: encryption)
    FuzzScratch.remove("sample")
    defer { FuzzScratch.remove("sample") }
    let path = FuzzScratch.path("sample")
    let cache = try BlockingDiskCache(
      path: path, configuration: configuration, clock: FuzzClock(Self.now))
    for (index, (key, value)) in Self.values.enumerated() {
      try cache.set(
        value, for: key,
        options: DiskStoreOptions(
          timeToLive: index % 2 == 0 ? .seconds(60) : nil, version: "v\(index)",
          isPermanent: index == 3))
    }
    if durability != .none {
      try cache.set(17, for: "number", suite: Self.suite, codec: .json)
    }
    try cache.flush()
    if isClosed { try cache.close() }
    files = try Self.read(path)
    self.isClosed = isClosed
  }

  /// The files of a folder, sorted by path, without the empty lock file.
  private static func read(_ folder: String) throws -> [File] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    return try paths.compactMap { path in
      var isFolder = ObjCBool(false)
      let whole = "\(folder)/\(path)"
      guard FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder),
        !isFolder.boolValue, !path.hasSuffix("-shm")
      else { return nil }
      return File(path: path, bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: whole))))
    }
  }

  static func write(_ files: [File], to folder: String) throws {
    let manager = FileManager.default
    for file in files {
      let whole = "\(folder)/\(file.path)"
      try manager.createDirectory(
        atPath: (whole as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      guard manager.createFile(atPath: whole, contents: Data(file.bytes)) else {
        throw FuzzFinding("cannot write \(whole)")
      }
    }
  }
}
