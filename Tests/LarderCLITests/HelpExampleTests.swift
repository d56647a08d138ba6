import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import LarderCommands

/// Commands in help texts are accepted by the parser.
struct HelpExampleTests {
  @Test func everyCommandOfTheHelpIsParsed() {
    var parsed = 0
    for command in Self.commands(LarderCommand.self) {
      for line in Self.examples(command.configuration.discussion) {
        parsed += 1
        #expect(throws: Never.self, "\(line)") {
          _ = try LarderCommand.parseAsRoot(Self.words(line))
        }
      }
    }
    #expect(parsed > 20)
  }

  @Test func everyCommandOfTheDocumentsIsParsed() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let docs = try FileManager.default.contentsOfDirectory(
      at: root.appending(path: "docs"), includingPropertiesForKeys: nil)
    var parsed = 0
    for page in docs + [root.appending(path: "README.md")] where page.pathExtension == "md" {
      let text = try String(contentsOf: page, encoding: .utf8)
      // Neither abbreviations nor variables of a shell are arguments.
      for line in Self.examples(text) where !line.contains("...") && !line.contains("$") {
        parsed += 1
        #expect(throws: Never.self, "\(page.lastPathComponent): \(line)") {
          _ = try LarderCommand.parseAsRoot(Self.words(line))
        }
      }
    }
    #expect(parsed > 20)
  }

  /// The completions and the man page of `make install` name every command.
  @Test func installationHasCompletionsAndAManPage() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let scratch = try ScratchFolder()
    let run = try LarderProcess(
      shell: "'\(root.path)/scripts/install.sh' \"$(command -v larder)\" usr"
        + " && usr/bin/larder list policies", "/bin/bash", in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    let shown = Self.commands(LarderCommand.self).filter { $0.configuration.shouldDisplay }
    let commands = shown.compactMap { $0.configuration.commandName }
    for file in [
      "man/man1/larder.1", "bash-completion/completions/larder", "zsh/site-functions/_larder",
      "fish/vendor_completions.d/larder.fish",
    ] {
      let text = try String(contentsOf: scratch.url("usr/share/\(file)"), encoding: .utf8)
      #expect(commands.allSatisfy { text.lowercased().contains($0) }, "\(file)")
    }
  }

  private static func commands(_ root: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [root] + root.configuration.subcommands.flatMap { commands($0) }
  }

  private static func examples(_ text: String) -> [String] {
    text.replacing("\\\n", with: " ").split(separator: "\n")
      .filter { $0.hasPrefix("  ") }
      .map { String($0.drop { $0 == " " }) }.filter { $0.hasPrefix("larder ") }
  }

  private static func words(_ line: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    for character in line + " " {
      switch character {
      case "'", "\"": isQuoted.toggle()
      case " " where !isQuoted:
        if !word.isEmpty { words.append(word) }
        word = ""
      default: word.append(character)
      }
    }
    return Array(words.dropFirst().prefix { !["|", ">", "&&", "#"].contains($0) })
  }
}

/// Results of traces that were finished before a later one failed.
@Suite(.endsInTime) struct FinishedTraceTests {
  @Test(arguments: [
    ["simulate", "--policy", "lru", "--capacity", "2"], ["mrc", "--capacity", "2"],
  ])
  func finishedTraceIsWrittenBeforeTheError(_ arguments: [String]) throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n", to: "good.txt")
    let run = try LarderProcess(
      arguments + [
        "good.txt", "absent.txt", "--format", "txt", "--ignore-size", "--csv", "-", "--quiet",
      ], in: scratch.folder)
    #expect(run.exitCode == 2 && run.notes.contains("absent.txt"), "\(run.notes)")
    #expect(run.output.split(separator: "\n").count >= 2, "\(run.output)")
    #expect(run.output.contains("good"), "\(run.output)")
  }
}
