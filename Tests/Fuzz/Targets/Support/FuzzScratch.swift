import Foundation

/// A folder of this process for files of inputs, below the temporary folder, which `make fuzz`
/// creates in memory and removes.
enum FuzzScratch {
  static let folder: String = {
    let path =
      FileManager.default.temporaryDirectory.path
      + "/larder-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    atexit { try? FileManager.default.removeItem(atPath: FuzzScratch.folder) }
    return path
  }()

  static func path(_ name: String) -> String { "\(folder)/\(name)" }

  static func write(_ bytes: some Collection<UInt8>, to name: String) throws -> String {
    let path = path(name)
    guard let file = fopen(path, "wb") else { throw FuzzFinding("cannot write \(path)") }
    defer { fclose(file) }
    let written = Array(bytes).withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
    guard written == bytes.count else { throw FuzzFinding("cannot write \(path)") }
    return path
  }

  static func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }
}
