/// What does not fit between a folder and the key it is opened with.
public enum DiskEncryptionFault: Sendable, Hashable, CaseIterable {
  /// The folder was encrypted with another key.
  case wrongKey
  /// The folder is encrypted, and no key was given.
  case keyMissing
  /// A key was given, and the folder is not encrypted.
  case notEncrypted

  var sentence: String {
    switch self {
    case .wrongKey: "the cache was encrypted with another key; open it with that key"
    case .keyMissing: "the cache is encrypted; open it with its key"
    case .notEncrypted: "the cache is not encrypted; open it without a key"
    }
  }
}
