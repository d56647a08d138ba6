/// Why there is no advice.
package enum AdviceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The work was stopped.
  case cancelled
  /// The trace has sets and deletes alone.
  case noGets(trace: String)
  /// The trace is too short to be divided into a part to choose on and a part to score on.
  case tooShort(trace: String, requests: Int)
  /// Bytes are asked for, but the trace has no sizes.
  case noSizes(trace: String)
  /// Prefixes are asked for, but the trace has no prompts.
  case noPrompts(trace: String)
  /// Prefixes are asked for, with a tier that they are not counted in.
  case prefixesOfTiers
  /// A policy that was asked for is no candidate.
  case policy(String, reason: String)
  /// A capacity does not fit the trace.
  case capacity(String, trace: String)
  /// A file with prices says something that is not understood.
  case prices(file: String, line: Int?, message: String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .cancelled: "stopped; nothing was written"
    case .noGets(let trace): "\(trace): has no gets, so no hit ratio exists"
    case .tooShort(let trace, let requests):
      "\(trace): \(requests) requests are too few to choose on one part and score on the rest; "
        + "expected at least \(Self.requestsMin); use --whole"
    case .noSizes(let trace):
      "\(trace): has no sizes, so capacities cannot count bytes; remove --unit, or use --unit "
        + "objects"
    case .noPrompts(let trace):
      "\(trace): has no prompts, so prefixes cannot be counted; remove --prefix, or use a trace of "
        + "the format hash-ids"
    case .prefixesOfTiers:
      "prefixes are counted in one tier: use --tiers memory or --tiers disk with --prefix"
    case .policy(let policy, let reason): "the policy '\(policy)' cannot be advised: \(reason)"
    case .capacity(let message, let trace): "\(trace): \(message)"
    case .prices(let file, let line, let message):
      "\(file):" + (line.map { "\($0):" } ?? "") + " \(message)"
    }
  }

  /// Fewer requests than this are not divided.
  static let requestsMin = 10
}
