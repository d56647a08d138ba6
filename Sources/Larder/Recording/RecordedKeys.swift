/// What stands for keys in a recording.
public enum RecordedKeys: Sendable, Hashable {
  /// A hash of 64 bits with a random key that is thrown away when the recording ends: nobody can
  /// tell a key from the file, nor whether a key is in it, and two recordings cannot be matched.
  /// Requests of one key can be told from those of others, which is all that a simulation needs.
  case keyed
  /// The text of the key, as it is. For keys without secrets.
  case plain
}
