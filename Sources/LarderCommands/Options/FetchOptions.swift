import ArgumentParser
import LarderEngine
import LarderExperiments

struct FetchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Duration of a fetch: 100ms, or 1000requests for traces without times. Requests for an object \
      in flight wait for its fetch (delayed hits). After a colon: bandwidth=100MB/s of each fetch; \
      servers=8 concurrent fetches, others queue; coalescing=false: every request fetches; \
      disk-read=100us: duration of a read from the cache, simulated as kind disk.
      """, valueName: "time"))
  var fetch: String?
}

extension ParameterReader {
  init(_ values: [String: String?], _ parameters: [Parameter]) throws(ComponentError) {
    try self.init(
      ComponentSpec(name: "", values: values.compactMapValues { $0 }), parameters: parameters)
  }
}

extension [String] {
  var list: String? { isEmpty ? nil : joined(separator: ",") }
}

struct PrefixOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Count prefix hits, in traces of prompts (hash-ids). The blocks of a prompt are requested \
      'front' first, as listed, or 'tail' first.
      """, valueName: "order"))
  var prefix: String?

  func validate() throws {
    guard let prefix, PromptOrder(rawValue: prefix) == nil else { return }
    throw ValidationError("--prefix expects 'front' or 'tail', found '\(prefix)'")
  }

  var spec: PrefixSpec? {
    prefix.flatMap { PromptOrder(rawValue: $0) }.map { PrefixSpec(order: $0) }
  }
}
