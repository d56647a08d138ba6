import LarderSystem

/// Why a store cannot be used.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no store at the path.
  case absent(String)
  /// There is something else at the path.
  case notAStore(String)
  /// Another larder made it.
  case version(String, found: String)
  /// Something cannot be read or written.
  case failed(path: String, action: String, reason: String)
  /// The user's cache folder is not known.
  case noCacheFolder

  /// One line for a person.
  package var description: String {
    switch self {
    case .absent(let path):
      return "\(path): no store there; 'larder run --store' makes one"
    case .notAStore(let path):
      return "\(path): not a store; name an empty folder, or one that 'larder run --store' made"
    case .version(let path, let found):
      return "\(path): a store of version \(found), but this larder knows \(StoreFolder.version)"
    case .failed(let path, let action, let reason):
      return "\(path): cannot \(action): \(reason)"
    case .noCacheFolder:
      return "neither XDG_CACHE_HOME nor HOME is set: name the store with --store or LARDER_STORE"
    }
  }

  /// Why, without the path.
  var reason: String {
    if case .failed(_, _, let reason) = self { return reason }
    return description
  }

  /// A file that could not be written.
  init(_ error: AtomicFileError) {
    self = .failed(path: error.path, action: error.action, reason: error.reason)
  }
}
