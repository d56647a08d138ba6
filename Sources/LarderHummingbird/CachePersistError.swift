#if Hummingbird
  /// Why a value could not be stored, where neither `PersistError` nor `DiskCacheError` says so. It
  /// does not name the key, which may be secret, such as that of a session.
  public enum CachePersistError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cache refused a value of so many bytes, and the key has none now: the value is larger
    /// than the cache's limits allow, its policy or filter does not admit it, or the disk is full.
    case notStored(bytes: Int)

    /// One line for a person.
    public var description: String {
      switch self {
      case .notStored(let bytes):
        "a value of \(bytes) bytes was not stored: expected one that the cache's limits and policy "
          + "admit and the disk has space for"
      }
    }
  }
#endif
