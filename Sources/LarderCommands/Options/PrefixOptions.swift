import ArgumentParser
import LarderWorkloads

/// Requests that are blocks of prompts.
struct PrefixOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Count prefixes of prompts, in traces that have them (hash-ids): blocks of a prompt are \
      requested 'front' first, as listed, or 'tail' first.
      """, valueName: "order"))
  var prefix: String?

  func validate() throws {
    guard let prefix, PromptOrder(rawValue: prefix) == nil else { return }
    throw ValidationError("--prefix expects 'front' or 'tail', found '\(prefix)'")
  }

  /// How prefixes are counted; nil where they are not.
  var spec: PrefixSpec? {
    prefix.flatMap { PromptOrder(rawValue: $0) }.map { PrefixSpec(order: $0) }
  }
}
