import Foundation
import TestSupport

/// A child process that writes into a cache, and is killed.
struct VictimProcess {
  enum Operation {
    case set(key: Int, version: UInt64)
    case renew(key: Int, version: UInt64)
    case remove(key: Int)
  }

  /// Output of a child before it was killed.
  struct Run {
    /// Operations that it began, in order.
    var operations: [Operation] = []
    var acknowledged = 0
    var error: String?
  }

  /// Folder of the package's programs, which is that of the tests.
  static var program: URL {
    var folder = Bundle.main.bundleURL
    #if canImport(Darwin)
      for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        folder = bundle.bundleURL.deletingLastPathComponent()
      }
    #else
      folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
    #endif
    return folder.appendingPathComponent("DiskCacheVictim")
  }

  /// Runs a command to its end, and returns its output and exit status.
  static func output(_ command: String, _ arguments: [String]) throws -> (String, Int32) {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: command)
    child.arguments = arguments
    let pipe = Pipe()
    child.standardOutput = pipe
    child.standardError = pipe
    try child.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    try Deadline.wait(for: child)
    return (String(decoding: said, as: UTF8.self), child.terminationStatus)
  }

  /// Runs a child until it has written `lines` lines, and kills it.
  static func run(
    folder: String, durability: String, seed: UInt64, lines: Int, key: String? = nil
  ) throws -> Run {
    let child = Process()
    child.executableURL = program
    child.arguments = [folder, durability, "\(seed)"] + (key.map { [$0] } ?? [])
    let pipe = Pipe()
    child.standardOutput = pipe
    try child.run()
    var text = Data()
    var seen = 0
    while seen < lines {
      let chunk = pipe.fileHandleForReading.availableData
      if chunk.isEmpty { break }
      text.append(chunk)
      seen += chunk.count { $0 == UInt8(ascii: "\n") }
    }
    kill(child.processIdentifier, SIGKILL)
    text.append(pipe.fileHandleForReading.readDataToEndOfFile())
    try Deadline.wait(for: child)
    // Output after the last line break is incomplete.
    var run = Run()
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("error") { run.error = String(line) }
      let words = line.split(separator: " ")
      guard words.count == 3, let key = Int(words[1]), let version = UInt64(words[2]) else {
        continue
      }
      switch words[0] {
      case "s": run.operations.append(.set(key: key, version: version))
      case "n": run.operations.append(.renew(key: key, version: version))
      case "r": run.operations.append(.remove(key: key))
      default: run.acknowledged += 1
      }
    }
    return run
  }
}
