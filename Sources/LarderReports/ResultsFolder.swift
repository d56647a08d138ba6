import Foundation
import LarderSimulation

/// The folder that a run left behind.
package enum ResultsFolder {
  /// What its `results.json` holds.
  ///
  /// - Throws: `ReportError.file` where there is none, and as `RunResults.decode` does.
  package static func results(in folder: String) throws(ReportError) -> RunResults {
    let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    return try RunResults.decode(try bytes(path), name: path)
  }

  private static func bytes(_ path: String) throws(ReportError) -> Data {
    guard FileManager.default.fileExists(atPath: path) else {
      throw .file(
        path: path, action: "read", reason: "no such file; is it a results folder?")
    }
    return try InputFile.bytes(path)
  }

  /// The file that says everything about a run.
  static let name = ResultsJSON().fileName
}
