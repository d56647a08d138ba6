import Foundation
import LarderTraces

extension ResultStore {
  /// The kinds of sealed files in a store.
  package static var kinds: [String] { [StoredCell.kind, StoredTimings.kind, "trace"] }

  /// Reads the bytes of a file of one of `kinds`, and writes them again.
  ///
  /// - Returns: What it says, sealed: that of an equal file is the same. Nil for another kind.
  /// - Throws: `SealFault` with what is wrong.
  package static func resealed(_ data: Data, kind: String) throws(SealFault) -> Data? {
    switch kind {
    case StoredCell.kind:
      try resealed(checked(SealedFile.value(StoredCell.self, kind: kind, of: data)), kind)
    case StoredTimings.kind:
      try resealed(checked(SealedFile.value(StoredTimings.self, kind: kind, of: data)), kind)
    case "trace":
      try resealed(checked(SealedFile.value(TraceMemory.self, kind: kind, of: data)), kind)
    default: nil
    }
  }

  private static func resealed(
    _ value: some Encodable, _ kind: String
  ) throws(SealFault) -> Data {
    do {
      return SealedFile.bytes(kind: kind, json: try json(value, ""))
    } catch {
      throw .content("\(error)")
    }
  }

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
