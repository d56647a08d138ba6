import LarderTraces

extension ResultStore {
  /// The entry of a file, which must be what the name of the file says.
  static func checked<Entry: StoredEntry>(
    _ type: Entry.Type, in file: String, named name: EntryName
  ) throws(SealFault) -> Entry {
    let entry = try entry(type, in: file)
    guard ContentDigest(of: entry.cell).description == name.key, entry.rules == name.rules else {
      throw .content("it is of another cell than its name says")
    }
    return entry
  }

  /// Reads a prepared trace.
  static func checkPrepared(_ file: String) throws(SealFault) {
    do {
      _ = try PreparedTrace.load(path: file)
    } catch {
      throw .content("\(error)")
    }
  }
}
