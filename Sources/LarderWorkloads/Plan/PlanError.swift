import LarderEngine
import LarderTraces

/// Why a workload does not fit its traces.
package enum PlanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A capacity counts something else than the trace does, or comes to nothing.
  case capacity(CapacityError, configuration: String, trace: String)
  /// The memory tier's share of a hybrid's capacity is less than 1.
  case memoryTooSmall(configuration: String, share: Share, of: UInt64, unit: CapacityUnit)
  /// Bytes are asked for, but the trace has no sizes.
  case noSizes(trace: String)
  /// A bound is asked for where it is none.
  case bound(PolicyError, configuration: String)
  /// Requests are to be made when the trace says, which does not say when.
  case noTimes(trace: String)
  /// Fetches take time, of which the trace has none.
  case noTimesForFetches(configuration: String, trace: String)
  /// Fetches transfer bytes, of which the trace has none.
  case noSizesForFetches(configuration: String, trace: String)
  /// A layout does not fit a capacity or a trace: why.
  case layout(String, configuration: String)
  /// Prefixes are to be counted in a trace without prompts.
  case noPrompts(configuration: String, trace: String)
  /// The origin is to take what the trace says, which does not say so.
  case noCosts(trace: String)
  /// Nothing is known of the trace of a seed.
  case factsMissing(seed: UInt64)
  /// A configuration has no policy, and the workload has none to sweep.
  case noPolicy(configuration: String)
  /// A configuration has no capacity, and the workload has none to sweep.
  case noCapacity(configuration: String)
  /// A configuration has an admission filter that cannot stand before one of its policies.
  case filter(PolicyError, configuration: String)
  /// The values of an executed cell do not fit into the memory that is left.
  case memory(
    configuration: String, capacity: String, trace: String, needBytes: UInt64,
    availableBytes: UInt64)
  /// No cell is simulated, and none executed.
  case nothingToRun

  /// One line for a person.
  package var description: String {
    switch self {
    case .capacity(let error, let configuration, let trace):
      return "configuration '\(configuration)' on '\(trace)': \(error)"
    case .memoryTooSmall(let configuration, let share, let capacity, let unit):
      return "configuration '\(configuration)': \(share) of \(capacity) \(unit.rawValue) leaves "
        + "nothing for memory; set a larger 'share' or a 'capacity'"
    case .noSizes(let trace):
      return "'\(trace)' has no sizes, so capacities cannot count bytes: remove 'unit', or "
        + "set it to objects"
    case .noTimes(let trace):
      return "'\(trace)' has no times, so 'execute' cannot use them: set a rate in 'load', or "
        + "remove it for a closed loop"
    case .noTimesForFetches(let configuration, let trace):
      return "configuration '\(configuration)': '\(trace)' has no times, so a fetch cannot take "
        + "any: write it as a number of requests, such as 'fetch: 1000 requests'"
    case .noSizesForFetches(let configuration, let trace):
      return "configuration '\(configuration)': '\(trace)' has no sizes, so 'bandwidth' does not "
        + "apply: remove it"
    case .layout(let reason, let configuration):
      return "configuration '\(configuration)': \(reason)"
    case .noPrompts(let configuration, let trace):
      return "configuration '\(configuration)': '\(trace)' has no prompts, so prefixes cannot be "
        + "counted: remove 'prefix', or use the format hash-ids or the generator llm-prefix"
    case .noCosts(let trace):
      return "'\(trace)' has no costs, so 'origin: from-trace' has no times: write a time, such as "
        + "80ms, or read the costs ('larder trace formats' lists the options)"
    case .factsMissing(let seed):
      return "no trace for seed \(seed)"
    case .noPolicy(let configuration):
      return "configuration '\(configuration)' has no policy, and the workload names none"
    case .noCapacity(let configuration):
      return "configuration '\(configuration)' has no capacity, and the workload names none"
    case .filter(let error, let configuration), .bound(let error, let configuration):
      return "configuration '\(configuration)': \(error)"
    case .memory(let configuration, let capacity, let trace, let need, let available):
      return "configuration '\(configuration)' at \(capacity) on '\(trace)': executing it needs "
        + "\(MemoryBudget.text(need)) of memory for values, only \(MemoryBudget.text(available)) "
        + "are available: choose smaller capacities or values, or only 'mode: simulate'"
    case .nothingToRun:
      return "nothing to run: 'mode' does not include simulate, and 'execute' selects no cell"
    }
  }
}
