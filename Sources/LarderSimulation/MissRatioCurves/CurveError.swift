import LarderEngine
import LarderWorkloads

/// Why there is no curve.
package enum CurveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// SHARDS is asked for a policy that is not LRU.
  case shardsOfAnotherPolicy(String)
  /// SHARDS is asked for a trace whose entries expire.
  case shardsWithExpiry(trace: String)
  /// The trace has sets and deletes alone.
  case noGets(trace: String)
  /// Bytes are asked for, but the trace has no sizes.
  case noSizes(trace: String)
  /// A capacity does not fit the trace.
  case capacity(CapacityError, trace: String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .shardsOfAnotherPolicy(let policy):
      return "SHARDS supports 'lru' only, not '\(policy)'; use --method miniature"
    case .shardsWithExpiry(let trace):
      return "\(trace): entries expire, which stack distances cannot model; use --method "
        + "miniature, or exact to simulate at each capacity"
    case .noGets(let trace):
      return "\(trace): has no gets, so no hit ratio exists"
    case .noSizes(let trace):
      return "\(trace): has no sizes, so capacities cannot count bytes; remove --unit, or use "
        + "--unit objects"
    case .capacity(let error, let trace):
      return "\(trace): \(error)"
    }
  }
}
