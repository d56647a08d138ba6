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
/// All calls except those of a `Place` are made with the cache's lock. A thread with that lock may
/// wait for a place; a thread with a place must not wait for the lock.
final class DiskReaders {
  /// A connection, opened on first use, for the thread that has claimed it.
  final class Place: @unchecked Sendable {
    private let lock = BriefLock()
    private let open: @Sendable () throws(SQLiteError) -> DiskReader
    private var reader: DiskReader?

    fileprivate init(open: @escaping @Sendable () throws(SQLiteError) -> DiskReader) {
      self.open = open
    }

    fileprivate func claim() -> Bool { lock.tryLock() }

    /// Reads a row and releases the place; nil if the row is damaged.
    ///
    /// - Throws: Any failure; the connection is closed then.
    func finish(
      _ id: ObjectID, _ slot: DiskSlot, _ key: DiskKey
    ) throws(SQLiteError) -> DiskReading? {
      defer { lock.unlock() }
      do throws(SQLiteError) {
        return try opened().read(id, slot, key)
      } catch {
        reader?.close()
        reader = nil
        throw error
      }
    }

    private func opened() throws(SQLiteError) -> DiskReader {
      if let reader { return reader }
      let reader = try open()
      self.reader = reader
      return reader
    }

    fileprivate var isOpen: Bool {
      lock.lock()
      defer { lock.unlock() }
      return reader != nil
    }

    fileprivate func close() {
      lock.lock()
      reader?.close()
      reader = nil
      lock.unlock()
    }
  }

  private let places: [Place]
  /// Reads from the database before the first connection is opened: a cache that reads little needs
  /// none.
  let firstRead: Int
  private var reads = 0
  private var rests = 0

  init(path: String, _ configuration: DiskConfiguration, seal: DiskSeal?, layer: String?) {
    let count = min(Self.countMax, max(2, ProcessInfo.processInfo.activeProcessorCount))
    let bytes = configuration.pageCacheBytes
    places = (0..<count).map { _ in
      Place { () throws(SQLiteError) in
        try DiskReader(path: path, pageCacheBytes: bytes, seal: seal, layer: layer)
      }
    }
    firstRead = configuration.readersAfter
  }

  /// Claims a place until `finish` is called; nil if all are taken or reading without the lock is
  /// paused.
  func claim() -> Place? {
    if rests > 0 {
      rests -= 1
      return nil
    }
    guard reads >= firstRead else {
      reads += 1
      return nil
    }
    // Each thread prefers its own place, whose memory is then near its core.
    let own = Int(larder_thread_number())
    for step in 0..<places.count {
      let place = places[(own + step) % places.count]
      if place.claim() { return place }
    }
    return nil
  }

  /// Pauses reading without the lock for a while after a failure, such as a lack of file
  /// descriptors.
  func rest() { rests = Self.restReads }

  /// Waits for reads and closes all connections; the next read opens one again.
  func close() {
    for place in places { place.close() }
  }

  /// Number of open connections.
  var openCount: Int { places.count { $0.isOpen } }

  private static var countMax: Int { 4 }
  private static var restReads: Int { 1_000 }
}

/// A connection that reads rows of the database's file as of the latest checkpoint, or without a
/// log of the latest commit. It takes no lock of SQLite's and does not see the log; it must be
/// closed before a checkpoint, or such a commit. For one thread at a time.
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

  /// Reads an entry whose value is in its row; nil if the row is damaged or belongs to another key.
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

  /// Reads a row without texts, without a statement.
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

  /// True if a row has this key, not another one with the same digest.
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

/// Result of a lookup in the database.
struct DiskReading {
  var version: String?
  var contentType: String?
  /// The value if it is in the row and intact.
  var value: Data?
}
