/// A cache in a process of its own, as a workload names it: `cache: {process: [...]}`.
package struct ProcessSpec: Sendable, Hashable {
  /// The program and its arguments, with placeholders.
  package var command: [String]
  /// The folder that the process starts in; empty for the current one.
  package var folder: String
  /// The longest that it may take to start, to give one answer, and to end; seconds.
  package var timeoutSeconds: UInt32

  /// The name of such caches in the list of those that can be executed.
  package static let contender = "process"

  /// A process; see the properties for the meaning of each part.
  package init(command: [String], folder: String = "", timeoutSeconds: UInt32 = 30) {
    self.command = command
    self.folder = folder
    self.timeoutSeconds = timeoutSeconds
  }

  /// The name in results: that of the program's file, with `-` for what a name may not have.
  package var name: String {
    let file = command.first?.split(separator: "/").last ?? ""
    let name = file.map { WorkloadDecoder.isNameCharacter($0) ? $0 : "-" }
      .drop { $0 == "." }
    return name.isEmpty ? Self.contender : String(name.prefix(100))
  }

  /// Whether a word of the command has the placeholder.
  package func uses(_ placeholder: ProcessPlaceholder) -> Bool {
    command.contains { $0.contains("{\(placeholder.rawValue)}") }
  }

  /// Fills the placeholders of every word in.
  package func filled(
    _ value: (ProcessPlaceholder) -> String
  ) -> [String] {
    command.map { word in
      ProcessPlaceholder.allCases.reduce(word) { word, placeholder in
        word.replacing("{\(placeholder.rawValue)}", with: value(placeholder))
      }
    }
  }

  /// The first word in braces that is no placeholder; nil where there is none.
  static func unknownPlaceholder(in word: String) -> String? {
    word.matches(of: /\{([a-z][a-zA-Z:-]*)\}/).lazy.map { String($0.output.1) }
      .first { ProcessPlaceholder(rawValue: $0) == nil }
  }
}
