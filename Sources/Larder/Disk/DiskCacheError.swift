public import LarderEngine

/// Error of a disk cache.
///
/// A damaged or missing value is no error: it is a miss, and counted.
public enum DiskCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another cache, in this process or another, has the folder.
  case inUse(path: String)
  /// The folder has a cache that is not shared, so no other process can read it: see
  /// `DiskConfiguration.isShared`.
  case notShared(path: String)
  /// The cache was closed.
  case closed(path: String)
  /// The cache is suspended: see `DiskCache.suspend`.
  case suspended(path: String)
  /// SQLite failed. `code` is its extended result code, `message` its error message.
  case database(path: String, code: Int32, message: String)
  /// The database cannot be read, and `DiskConfiguration.troubleHandling` is `fail`. `message`
  /// describes the damage.
  case damaged(path: String, message: String)
  /// The folder, or a file of its database, belongs to this user, not the one that runs the cache:
  /// what it contains may not be the cache's. Nothing was changed.
  case otherOwner(path: String, user: UInt32)
  /// Group or others may write to the folder, or to a file of its database, according to these
  /// permissions: what it contains may not be the cache's. Nothing was changed.
  case writableByOthers(path: String, mode: UInt32)
  /// A file or folder could not be used; `message` names the file, the call and the reason.
  case files(message: String)
  /// The folder holds a cache in a format unknown to this version; see `DiskTroubleHandling`.
  case format(path: String, found: Int64, expected: Int64)
  /// The folder was encrypted with another key. Nothing was changed.
  case wrongKey(path: String)
  /// The folder is encrypted, and no key was given. Nothing was changed.
  case keyMissing(path: String)
  /// A key was given, and the folder is not encrypted. Nothing was changed.
  case notEncrypted(path: String)
  /// An encryption key that does not have 128, 192 or 256 bits.
  case encryptionKeyLength(bits: Int)
  /// The policy or the admission filter cannot be used.
  case configuration(PolicyError)
  /// A number of the configuration is out of range: its name, its value, and its valid range.
  case limit(String, String, expected: String)
  /// The value exceeds the maximum size, 4 GiB - 2.
  case valueTooLarge(bytes: Int, bytesMax: Int)
  /// The key exceeds the maximum length.
  case keyTooLarge(bytes: Int, bytesMax: Int)
  /// A value could not be encoded, or stored bytes not decoded; `message` is the codec's.
  case codec(message: String)
  /// The suite holds values that another codec wrote. Nothing was changed; see
  /// `DiskTroubleHandling`.
  case codecMismatch(suite: String, stored: String, given: String)

  /// The error in one line of text.
  public var description: String {
    switch self {
    case .inUse(let path):
      return "\(path): another cache has this folder open"
    case .notShared(let path):
      return "\(path): the cache is not shared; open it with DiskConfiguration.isShared in the app"
    case .closed(let path):
      return "\(path): the cache is closed"
    case .suspended(let path):
      return "\(path): the cache is suspended; call resume() when the app is active again"
    case .database(let path, let code, let message):
      return "\(path): SQLite error \(code): \(message)"
    case .damaged(let path, let message):
      return "\(path): the cache is damaged: \(message); remove the folder, or let the cache "
        + "start empty"
    case .otherOwner(let path, let user):
      return "\(path): belongs to user \(user); use a folder of the user that runs the cache, or "
        + "chown it"
    case .writableByOthers(let path, let mode):
      return "\(path): other users may write to it (mode \(String(mode, radix: 8))); use a folder "
        + "of the cache's own, or chmod go-w"
    case .files(let message):
      return message
    case .format(let path, let found, let expected):
      return "\(path): the cache has format \(found), expected \(expected); "
        + "remove the folder, use another, or \(Self.startEmpty)"
    case .wrongKey(let path):
      return "\(path): the cache was encrypted with another key; open it with that key, or "
        + Self.startEmpty
    case .keyMissing(let path):
      return "\(path): the cache is encrypted; open it with its key, or \(Self.startEmpty)"
    case .notEncrypted(let path):
      return "\(path): the cache is not encrypted; open it without a key, or \(Self.startEmpty)"
    case .encryptionKeyLength(let bits):
      return "the encryption key has \(bits) bits; expected 128, 192 or 256"
    case .configuration(let error):
      return error.description
    case .limit(let name, let value, let expected):
      return "disk cache: \(name) \(value) is out of range: expected \(expected)"
    case .valueTooLarge(let bytes, let bytesMax):
      return "the value has \(bytes) bytes; expected at most \(bytesMax)"
    case .keyTooLarge(let bytes, let bytesMax):
      return "the key has \(bytes) bytes; expected at most \(bytesMax)"
    case .codec(let message):
      return message
    case .codecMismatch(let suite, let stored, let given):
      return "suite '\(suite)' has values of codec '\(stored)' and was opened with '\(given)'; "
        + "use that codec or another suite, remove all entries of the suite first, or "
        + Self.startEmpty
    }
  }

  private static var startEmpty: String {
    "set DiskConfiguration.troubleHandling to startEmpty to discard the contents"
  }

  var isDamage: Bool {
    switch self {
    case .damaged: true
    case .database(_, let code, _): SQLiteError.isDamage(code)
    default: false
    }
  }

  var reason: String {
    switch self {
    case .damaged(_, let message): message
    case .database(_, let code, let message): "SQLite error \(code): \(message)"
    default: description
    }
  }

  init(_ error: SQLiteError) {
    self = .database(path: error.path, code: error.code, message: error.message)
  }

  init(_ error: FileFailure) { self = .files(message: error.description) }
}

/// Handling of contents of a folder that a disk cache cannot use.
public enum DiskTroubleHandling: Sendable, Hashable, CaseIterable {
  /// Opening, or the call that finds it, throws `damaged`, `format`, `codecMismatch` or the error
  /// of the key, and so does every later call. Nothing in the folder is changed.
  case fail
  /// The contents are discarded, permanent entries included, and the cache starts empty;
  /// `BlockingDiskCache.damage` and `TierStatistics.rebuilds` report it. A damaged database, or
  /// another program's, is moved into the subfolder `damaged`, in place of an earlier one. That
  /// copy is removed when the disk is full and by `DiskCache.removeAll` of all suites. An intact
  /// database with another key or of another format is deleted at once. The entries of a suite with
  /// another codec are removed, and count in `TierStatistics.undecodables`.
  case startEmpty
}

func inDatabase<Result>(
  _ body: () throws(SQLiteError) -> Result
) throws(DiskCacheError) -> Result {
  do throws(SQLiteError) { return try body() } catch { throw DiskCacheError(error) }
}

func inFiles<Result>(
  _ body: () throws(FileFailure) -> Result
) throws(DiskCacheError) -> Result {
  do throws(FileFailure) { return try body() } catch { throw DiskCacheError(error) }
}
