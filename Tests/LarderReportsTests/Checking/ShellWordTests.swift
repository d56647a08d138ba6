import Foundation
import LarderSupport
import TestSupport
import Testing

@testable import LarderReports

/// Hostile words, parsed by real shells.
@Suite(.endsInTime) struct ShellWordTests {
  static let words =
    HostileText.examples.filter { !$0.contains("\0") } + HostileText.random(count: 300, seed: 5) + [
      "'", "'\u{301}; touch x; '\u{301}", "a'\u{301}b", "\"\u{301}", "\\\u{301}'", "'\u{200D}'",
      "'\u{FE0F};:", "`touch x`", "$(touch x)", "${IFS}", "~", "~root", "a b", "*", "?", "[a]",
      "{a,b}", "=ls", "a=b", "!!", "#x", "-n", "--help", "-", "&& touch x", "| cat",
      "\u{1B}]0;x\u{7}",
      "a\nb", "a\n", "\n", "\r", "it's\nhere", "back\\slash\nline", "'\n;touch x\n'", "\u{7F}",
      "\u{85}", "\u{2028}x", "\u{202E}gnp.exe", "日本語\t'", "%s%n", "\\047", "\u{1}'\u{301}",
    ]

  /// The arguments that a shell passes to a program, each ended by a NUL.
  private func arguments(_ shell: String, _ command: String) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = folder.appending(path: "command")
    try Data("printf '%s\\0' \(command)\n".utf8).write(to: script)
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let process = Process()
    process.executableURL = URL(filePath: shell)
    process.arguments = [script.path]
    process.currentDirectoryURL = folder
    process.environment = ["LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"]
    let handle = try FileHandle(forWritingTo: output)
    defer { try? handle.close() }
    process.standardOutput = handle
    process.standardError = FileHandle.nullDevice
    try process.run()
    try Deadline.wait(for: process)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["command", "output"], "the word made a file")
    return try Data(contentsOf: output).split(separator: 0, omittingEmptySubsequences: false)
      .dropLast().map { String(decoding: $0, as: UTF8.self) }
  }

  private func isInline(_ word: String) -> Bool {
    word.unicodeScalars.allSatisfy(TextSafety.isInline)
  }

  private func bytes(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }

  /// Every shell parses the word exactly, except for control characters.
  @Test func anyShellReadsTheWord() throws {
    let words = Self.words.filter(isInline)
    #expect(words.count > 200)
    let read = try arguments("/bin/sh", words.map { ShellWord.quoted($0) }.joined(separator: " "))
    #expect(bytes(read) == bytes(words))
  }

  /// Shells that support `$'...'` also parse control characters; in others each word is still one
  /// word and nothing is run.
  @Test(arguments: ["/bin/sh", "/bin/bash", "/usr/bin/zsh", "/bin/ksh"])
  func controlCharactersAreHarmless(_ shell: String) throws {
    guard FileManager.default.isExecutableFile(atPath: shell) else { return }
    let quoted = Self.words.map { ShellWord.quoted($0) }
    // The printed text equals the quoted one.
    for text in quoted { #expect(TextSafety.singleLine(text) == text) }
    let read = try arguments(shell, quoted.joined(separator: " "))
    #expect(read.count == Self.words.count)
    let knows = try arguments(shell, "$'\\141'") == ["a"]
    if shell == "/bin/bash" { #expect(knows) }
    if knows { #expect(bytes(read) == bytes(Self.words)) }
  }

  @Test func leadingDashesAreNotOptions() {
    #expect(ShellWord.path("-x.yaml") == "./-x.yaml")
    #expect(ShellWord.path("a b") == "'a b'")
    #expect(ShellWord.option("--only", "-a/lru/1%") == "--only=-a/lru/1%")
    #expect(ShellWord.option("--only", "a b/lru/1%") == "--only 'a b/lru/1%'")
  }

  @Test func longWordsAreNotRepeated() {
    #expect(ShellWord.quoted(String(repeating: "a", count: 400)).count == 400)
    #expect(ShellWord.quoted(String(repeating: "a", count: 401)) == "'(a word of 401 bytes)'")
    #expect(ShellWord.quoted(String(repeating: "'", count: 70_000)) == "'(a word of 70000 bytes)'")
  }
}
