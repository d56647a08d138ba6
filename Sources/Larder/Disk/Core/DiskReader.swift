import LarderEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A connection that reads rows of the database's file as the latest checkpoint left it, or where
/// there is no log the latest commit. It takes no lock of SQLite's and does not see the log; it
/// must be closed before a checkpoint, or such a commit. For one thread at a time.
final class DiskReader {
  private let connection: SQLiteConnection
  private let seal: DiskSeal?
  private var keys: SQLiteBlob?
  private var values: SQLiteBlob?
  private var statement: SQLiteStatement?
  private var key: [UInt8] = []

  init(
    path: String, pageCacheBytes: Int, seal: DiskSeal?, layer: String?
  ) throws(SQLiteError) {
    connection = try SQLiteConnection(
      unchanging: path, pageCacheBytes: pageCacheBytes, layer: layer)
    self.seal = seal
  }

  /// Closes the connection now. Every later call fails.
  func close() {
    keys?.close()
    values?.close()
    statement?.finalize()
    connection.close()
  }

  /// An entry whose value is in its row, or nil when it is not what was stored under this key.
  func read(
    _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey
  ) throws(SQLiteError) -> DiskReading? {
    if seal == nil, !slot.hasTexts { return try readPlain(Int64(id), slot, key) }
    let statement = try prepared()
    guard let seal else { return try DiskIndex.read(id, slot, key, with: statement) }
    return try DiskIndex.read(id, slot, key, seal, with: statement)
  }

  private func prepared() throws(SQLiteError) -> SQLiteStatement {
    if let statement { return statement }
    let statement = try connection.prepare(
      seal == nil ? DiskIndex.getQuery : DiskIndex.rowQuery)
    self.statement = statement
    return statement
  }

  /// The same without a statement, for a row without texts.
  private func readPlain(
    _ row: Int64, _ slot: DiskSlot, _ key: DiskKey
  ) throws(SQLiteError) -> DiskReading? {
    guard try hasKey(row, key.bytes) else { return nil }
    let blob = try blob("value", row, &values)
    let count = Int(slot.bytes)
    guard blob.count == count else { return nil }
    guard count > 0 else {
      let empty = UnsafeRawBufferPointer(start: nil, count: 0)
      return ByteHash.hash(empty, seed: key.digest.checksumSeed) == slot.checksum
        ? DiskReading(value: Data()) : nil
    }
    guard let memory = malloc(count) else { return nil }
    let bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
    do throws(SQLiteError) {
      try blob.read(into: bytes)
    } catch {
      free(memory)
      throw error
    }
    guard
      ByteHash.hash(UnsafeRawBufferPointer(bytes), seed: key.digest.checksumSeed)
        == slot.checksum
    else {
      free(memory)
      return nil
    }
    return DiskReading(value: Data(bytesNoCopy: memory, count: count, deallocator: .free))
  }

  /// Whether a row is that of a key, which another key with the same digest is not.
  private func hasKey(
    _ row: Int64, _ wanted: UnsafeRawBufferPointer
  ) throws(SQLiteError) -> Bool {
    let blob = try blob("key", row, &keys)
    guard blob.count == wanted.count else { return false }
    guard let base = wanted.baseAddress, !wanted.isEmpty else { return true }
    if key.count < wanted.count { key = [UInt8](repeating: 0, count: wanted.count) }
    let isSame = key.withUnsafeMutableBytes { bytes in
      Result { () throws(SQLiteError) -> Bool in
        let bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted.count])
        try blob.read(into: bytes)
        return bytes.baseAddress.map { memcmp($0, base, wanted.count) == 0 } ?? false
      }
    }
    return try isSame.get()
  }

  private func blob(
    _ column: String, _ row: Int64, _ blob: inout SQLiteBlob?
  ) throws(SQLiteError) -> SQLiteBlob {
    if let blob {
      try blob.move(to: row)
      return blob
    }
    let opened = try connection.openBlob(table: "entries", column: column, row: row)
    blob = opened
    return opened
  }
}
