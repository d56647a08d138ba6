import Foundation
import TestSupport

/// The headless browser that opens reports in tests.
enum Chromium {
  /// The path of the browser: the first of its names on the search path.
  static let path: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let names = ["chromium", "chromium-browser", "google-chrome"]
    return names.flatMap { name in folders.map { "\($0)/\(name)" } }.first {
      FileManager.default.isExecutableFile(atPath: $0) && answers($0)
    }
  }()

  /// Ubuntu has a stub that only prints how to install the real one.
  private static func answers(_ path: String) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = ["--version"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    guard (try? Deadline.wait(for: process)) != nil else { return false }
    return process.terminationStatus == 0
  }

  /// The message of tests that do not find it.
  static let missing = """
    no chromium, chromium-browser or google-chrome in the search path: `make deps` installs \
    chromium on Debian
    """

  /// The result of opening a page.
  struct Visit {
    /// The document after its scripts have run.
    let document: String
    /// The console output and other errors.
    let log: String
    /// The initiators of network requests: pages, not the browser itself.
    let initiators: [String]
  }

  /// Opens a page, runs its scripts, and takes a screenshot if `picture` is given.
  static func visit(
    _ page: URL, in folder: URL, width: Int = 1280, height: Int = 1600, picture: URL? = nil,
    arguments: [String] = [], tries: Int = 3
  ) throws -> Visit {
    let own = UUID().uuidString
    let netLog = folder.appending(path: "net-\(own).json")
    let process = Process()
    process.executableURL = URL(filePath: path ?? "")
    process.arguments =
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--user-data-dir=\(folder.appending(path: own).path)",
        "--host-resolver-rules=MAP * ~NOTFOUND", "--log-net-log=\(netLog.path)",
        "--enable-logging=stderr", "--window-size=\(width),\(height)",
        "--virtual-time-budget=10000",
        picture.map { "--screenshot=\($0.path)" } ?? "--dump-dom",
      ] + arguments + [page.absoluteString]
    let (out, err) = (folder.appending(path: "out"), folder.appending(path: "err"))
    for file in [out, err] { try Data().write(to: file) }
    // Files, because a pipe that is not read fills up.
    let handles = try [out, err].map { try FileHandle(forWritingTo: $0) }
    defer { for handle in handles { try? handle.close() } }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    do { try Deadline.wait(for: process, seconds: 60) } catch  where tries > 1 {
      // On a busy machine one in a hundred hangs, whatever the page.
      return try visit(
        page, in: folder, width: width, height: height, picture: picture, arguments: arguments,
        tries: tries - 1)
    }
    let net = (try? String(contentsOf: netLog, encoding: .utf8)) ?? ""
    return Visit(
      document: try String(contentsOf: out, encoding: .utf8),
      log: try String(contentsOf: err, encoding: .utf8),
      initiators: net.components(separatedBy: "\"initiator\":\"").dropFirst().map {
        String($0.prefix { $0 != "\"" })
      })
  }
}
