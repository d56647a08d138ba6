import Foundation

@testable import LarderTraces

/// A folder of its own for one test, removed at the end.
final class TestFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("larder-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and returns its path.
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// Writes a text file and returns its path.
  func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// The names of the files in the folder, in order.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}

/// Where the repository is.
enum Repository {
  /// Its folder.
  static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The folder of the sample traces.
  static let samples = path + "/Workloads/samples"
}

/// Bytes in memory as a source, handed out a few at a time.
final class SlowBytes: ByteSource {
  private var rest: ArraySlice<UInt8>
  private let step: Int

  init(_ bytes: [UInt8], step: Int) {
    rest = bytes[...]
    self.step = step
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    let count = min(step, rest.count, space.count)
    space.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    return count
  }
}

/// A small generator of random numbers with a seed (SplitMix64), so that failures can be repeated.
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// All records of a source.
func allRecords(_ source: some RecordSource) throws -> [TraceRecord] {
  var records: [TraceRecord] = []
  try source.records { batch in
    records += batch
    return true
  }
  return records
}

/// The error that `body` throws, nil when it throws none.
func thrown(_ body: () throws -> Void) -> (any Error)? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// The sentence of the error that `body` throws, empty when it throws none.
func message(_ body: () throws -> Void) -> String { thrown(body).map { "\($0)" } ?? "" }
