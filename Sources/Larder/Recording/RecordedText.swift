/// The texts of keys in recordings.
enum RecordedText {
  /// Sees to it that keys of a type have a text.
  ///
  /// - Throws: `keysWithoutText`.
  static func check<Key>(_ type: Key.Type) throws(RecordingError) {
    guard type is any DiskKeyRepresentable.Type || type is any CustomStringConvertible.Type else {
      throw .keysWithoutText(type: "\(type)")
    }
  }

  /// The text of a key: the one that it has on disk, or its description.
  static func text<Key>(of key: Key) -> String {
    if let key = key as? any DiskKeyRepresentable { return key.diskKey }
    return (key as? any CustomStringConvertible)?.description ?? "\(key)"
  }
}
