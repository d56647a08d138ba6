import Foundation
import TestSupport
import Testing

/// The screen in README.md is printed by the program.
@Suite(.endsInTime) struct ReadmeTests {
  /// A day of a site behind nginx, of which some links come from campaigns.
  private static var log: String {
    var state: UInt64 = 7
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    return (0..<4000).map { place in
      let second = place * 20 + Int(next(20))
      let two = { (number: Int) in String(100 + number).dropFirst() }
      let time =
        "\(two(1 + second / 86_400))/Mar/2026:\(two(second / 3600 % 24)):\(two(second / 60 % 60)):"
        + "\(two(second % 60)) +0000"
      // Few pages are popular.
      let page = next(1 + next(1 + next(600)))
      let campaign = next(8) == 0 ? "?utm_campaign=mail\(next(40))" : ""
      let bytes = 4000 + page * 7919 % 60_000
      return "192.0.2.\(next(200)) - - [\(time)] \"GET /page/\(page)\(campaign) HTTP/1.1\" 200 "
        + "\(bytes) \"-\" \"-\"\n"
    }.joined()
  }

  @Test func screenIsThatOfTheProgram() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.log, to: "access.log")
    let run = try LarderProcess(
      ["advise", "access.log", "--current", "nginx:8MiB", "--quiet"], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "README.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    let command = "$ larder advise access.log --current nginx:8MiB\n"
    let start = try #require(page.range(of: command)).upperBound
    let end = try #require(page.range(of: "```", range: start..<page.endIndex)).lowerBound
    let screen =
      run.output.split(separator: "\n").filter { !$0.hasPrefix("Note: ") }
      .prefix { $0.first.map { "┌│└".contains($0) } ?? false }.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["LARDER_UPDATE_GOLDEN"] == "1" {
      try page.replacingCharacters(in: start..<end, with: screen)
        .write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(page[start..<end] == screen)
    }
  }
}
