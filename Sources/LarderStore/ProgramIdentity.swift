import Foundation
import LarderEngine
import LarderSystem
import LarderTraces

/// Which program this is, to the byte where it must be.
enum ProgramIdentity {
  private static let known = Locked<ContentDigest?>(nil)

  /// Whether the program was built from a commit, without changes in its sources.
  static var isCommit: Bool { LarderVersion.revision.map { !$0.hasSuffix("-changed") } ?? false }

  /// How this program reads traces: its version and commit, and the digest of the program where
  /// these do not say it all.
  static func reading() throws(StoreError) -> String {
    let name = "larder \(LarderVersion.current) \(LarderVersion.revision ?? "")"
    let addsFormats = FormatRegistry.all.count != FormatRegistry.standard.count
    guard addsFormats || !isCommit else { return name }
    return "\(name) program \(try digest())"
  }

  /// The digest of the program's file, read once.
  static func digest() throws(StoreError) -> ContentDigest {
    if let digest = known.withLock({ $0 }) { return digest }
    let path = path
    do {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
      let digest = bytes.withUnsafeBytes { ContentDigest(ofColumn: $0) }
      known.withLock { $0 = digest }
      return digest
    } catch {
      throw .failed(path: path, action: "read the program", reason: error.localizedDescription)
    }
  }

  private static var path: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
  }
}
