import Foundation

/// A child process that writes into a cache, and is killed.
struct VictimProcess {
  /// What is known of one key after a kill.
  struct Fact {
    /// The version that was acknowledged last, or nil when the key was removed or never stored.
    var acknowledged: UInt64?
    /// What was begun after that and not acknowledged: a version, or nil for a removal.
    var begun: [UInt64?] = []
  }

  /// Where the package's programs stand: beside the tests.
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

  /// Runs a child until it has said `lines` lines, kills it, and notes what it said in `facts`.
  /// Returns an error that the child met, if it did.
  static func run(
    folder: String, durability: String, seed: UInt64, lines: Int, into facts: inout [Int: Fact]
  ) throws -> String? {
    let child = Process()
    child.executableURL = program
    child.arguments = [folder, durability, "\(seed)"]
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
    child.waitUntilExit()
    // What follows the last line break was not said to its end.
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("error") { return String(line) }
      note(line.split(separator: " "), in: &facts)
    }
    return nil
  }

  private static func note(_ words: [Substring], in facts: inout [Int: Fact]) {
    guard words.count == 3, let key = Int(words[1]), let version = UInt64(words[2]) else { return }
    switch words[0] {
    case "s": facts[key, default: Fact()].begun.append(version)
    case "r": facts[key, default: Fact()].begun.append(nil)
    case "S": facts[key] = Fact(acknowledged: version)
    case "R": facts[key] = Fact(acknowledged: nil)
    default: break
    }
  }
}
