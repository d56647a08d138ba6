/// What the first half of a get found.
enum DiskLookup {
  /// Nothing that can be used.
  case none
  /// The entry.
  case entry(DiskEntry)
  /// The entry is in its row, to be read without the lock.
  case row(DiskRowReading)
  /// The entry's metadata; its value is in a file, to be read without the lock.
  case file(DiskFileReading)
}

/// What reading a value's file came to.
enum DiskFileResult {
  /// The entry.
  case entry(DiskEntry)
  /// The value was damaged.
  case none
  /// Something else was stored meanwhile: look again.
  case again
}
