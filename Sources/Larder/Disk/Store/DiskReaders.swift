import CLarderShims
import LarderEngine
import LarderLibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A bounded number of connections that read the database's file without the cache's lock.
///
/// All calls except those of a claimed `DiskReader` are made with the cache's lock. A thread with
/// that lock may wait for a reader; a thread with a reader must not wait for the lock.
final class DiskReaders {
  private let readers: [DiskReader]
  /// Reads from the database before the first connection is opened: a cache that reads little needs
  /// none.
  let firstRead: Int
  private var reads = 0
  private var rests = 0

  init(
    path: String, _ configuration: DiskConfiguration, seed: UInt64, seal: DiskSeal?,
    layer: String?
  ) {
    let count = min(Self.countMax, max(2, ProcessInfo.processInfo.activeProcessorCount))
    let bytes = configuration.pageCacheBytes
    readers = (0..<count).map { _ in
      DiskReader(seed, seal) { () throws(SQLiteError) in
        try SQLiteConnection(unchanging: path, pageCacheBytes: bytes, layer: layer)
      }
    }
    firstRead = configuration.readersAfter
  }

  func claim() -> DiskReader? {
    if rests > 0 {
      rests -= 1
      return nil
    }
    guard reads >= firstRead else {
      reads += 1
      return nil
    }
    // Each thread prefers its own reader, whose memory is then near its core.
    let own = Int(larder_thread_number())
    for step in 0..<readers.count {
      let reader = readers[(own + step) % readers.count]
      if reader.claim() { return reader }
    }
    return nil
  }

  func rest() { rests = Self.restReads }

  func close() {
    for reader in readers { reader.close() }
  }

  var openCount: Int { readers.count { $0.isOpen } }

  private static var countMax: Int { 4 }
  private static var restReads: Int { 1_000 }
}

/// A connection that reads rows of the database's file as of the latest checkpoint, or without a
/// log of the latest commit; opened on first use, for the thread that has claimed it. It takes no
/// lock of SQLite's and does not see the log; it must be closed before a checkpoint, or such a
/// commit.
final class DiskReader: @unchecked Sendable {
  private let lock = BriefLock()
  private let open: @Sendable () throws(SQLiteError) -> SQLiteConnection
  private let seed: UInt64
  private let seal: DiskSeal?
  private var connection: SQLiteConnection?
  private var keys: SQLiteBlob?
  private var values: SQLiteBlob?
  private var statement: SQLiteStatement?
  private var key: [UInt8] = []

  fileprivate init(
    _ seed: UInt64, _ seal: DiskSeal?,
    open: @escaping @Sendable () throws(SQLiteError) -> SQLiteConnection
  ) {
    self.seed = seed
    self.seal = seal
    self.open = open
  }

  fileprivate func claim() -> Bool { lock.tryLock() }

  func finish(
    _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey
  ) throws(SQLiteError) -> DiskReading? {
    defer { lock.unlock() }
    do throws(SQLiteError) {
      return try read(id, slot, key)
    } catch {
      disconnect()
      throw error
    }
  }

  fileprivate var isOpen: Bool {
    lock.lock()
    defer { lock.unlock() }
    return connection != nil
  }

  fileprivate func close() {
    lock.lock()
    disconnect()
    lock.unlock()
  }

  private func disconnect() {
    keys?.close()
    values?.close()
    statement?.finalize()
    connection?.close()
    (keys, values, statement, connection) = (nil, nil, nil, nil)
  }

  private func connected() throws(SQLiteError) -> SQLiteConnection {
    if let connection { return connection }
    let connection = try open()
    self.connection = connection
    return connection
  }

  private func read(
    _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey
  ) throws(SQLiteError) -> DiskReading? {
    if seal == nil, !slot.hasTexts { return try readPlain(Int64(id), slot, key) }
    let statement = try prepared()
    return try DiskIndex.read(id, slot, key, seed, seal, with: statement)
  }

  private func prepared() throws(SQLiteError) -> SQLiteStatement {
    if let statement { return statement }
    let statement = try connected().prepare(DiskIndex.rowQuery)
    self.statement = statement
    return statement
  }

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
    let opened = try connected().openBlob(table: "entries", column: column, row: row)
    blob = opened
    return opened
  }
}

struct DiskReading {
  var version: String?
  var contentType: String?
  var value: Data?
}
