import LarderWorkloads

/// Why a cell could not be executed, or its execution not be believed.
package enum ExecutionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No cache has the name.
  case unknownCache(String, known: [String])
  /// The cache cannot have the shape.
  case kind(cache: String, kind: ConfigurationKind)
  /// The cache could not be made.
  case making(cache: String, message: String)
  /// A call of the cache threw; `request` is its place in the trace, from 1, nil where there is
  /// none.
  case failed(cache: String, call: String, request: Int?, message: String)
  /// Values were read that are not what was written.
  case wrongValues(cache: String, wrong: UInt64, checked: UInt64, first: String)
  /// The load cannot be made.
  case load(String)
  /// A number of threads that cannot be had.
  case threads(Int)
  /// A folder for the cache's files cannot be used.
  case folder(path: String, message: String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .unknownCache(let name, let known):
      return "unknown cache '\(name)'; known are \(known.joined(separator: ", "))"
    case .kind(let cache, let kind):
      return "the cache '\(cache)' cannot be a configuration of kind \(kind.rawValue)"
    case .making(let cache, let message):
      return "cannot create the cache '\(cache)': \(message)"
    case .failed(let cache, let call, let request, let message):
      let place = request.map { " for request \($0) of the trace" } ?? ""
      return "the cache '\(cache)' failed in \(call)\(place): \(message)"
    case .wrongValues(let cache, let wrong, let checked, let first):
      return "the cache '\(cache)' returned \(wrong) wrong values of \(checked) checked; the first "
        + "for \(first)"
    case .load(let message):
      return message
    case .threads(let threads):
      return "invalid number of threads \(threads): expected 1 to \(Self.threadsMax)"
    case .folder(let path, let message):
      return "\(path): \(message)"
    }
  }

  /// Threads that one cache can be driven with.
  package static var threadsMax: Int { 256 }
}
