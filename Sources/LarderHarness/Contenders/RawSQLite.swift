import Foundation
import Larder
import LarderEngine
import LarderExperiments

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// A table of a SQLite database with a row for each key and a commit for each write; an LRU in
/// memory selects the entries to keep. One connection, one lock.
final class RawSQLite: ListedDiskCache, @unchecked Sendable {
  let lock = NSLock()
  let entries: LinkedLRU<Void>
  private let clock: TraceClock
  private let database: OpaquePointer
  private let reading: OpaquePointer
  private let writing: OpaquePointer
  private let removing: OpaquePointer
  private var isOpen = true

  /// An empty cache with a write-ahead log; `synchronous` follows from the durability.
  init(_ tier: TierSetup, _ setup: CacheSetup) throws(RawSQLiteError) {
    entries = LinkedLRU(tier)
    clock = setup.clock
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2("\(setup.folder)/cache.sqlite", &opened, flags, nil) == SQLITE_OK,
      let opened
    else {
      let error = RawSQLiteError(opened)
      sqlite3_close_v2(opened)
      throw error
    }
    let synchronous =
      switch setup.execution.durability {
      case .none: "OFF"
      case .normal: "NORMAL"
      case .full: "FULL"
      }
    do throws(RawSQLiteError) {
      let script = """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = \(synchronous);
        CREATE TABLE cache (key INTEGER PRIMARY KEY, value BLOB NOT NULL);
        """
      guard sqlite3_exec(opened, script, nil, nil, nil) == SQLITE_OK else {
        throw RawSQLiteError(opened)
      }
      reading = try Self.prepare("SELECT value FROM cache WHERE key = ?1", opened)
      writing = try Self.prepare("INSERT OR REPLACE INTO cache VALUES (?1, ?2)", opened)
      removing = try Self.prepare("DELETE FROM cache WHERE key = ?1", opened)
    } catch {
      sqlite3_close_v2(opened)
      throw error
    }
    database = opened
  }

  deinit { try? close() }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    try lock.withLock {
      let found: Void? = try entries.get(key, now: clock.time) { try removeRow($0) }
      guard found != nil else { return nil }
      sqlite3_bind_int64(reading, 1, Int64(bitPattern: key))
      defer { sqlite3_reset(reading) }
      guard sqlite3_step(reading) == SQLITE_ROW else { throw RawSQLiteError(database) }
      let bytes = Int(sqlite3_column_bytes(reading, 0))
      guard bytes > 0, let blob = sqlite3_column_blob(reading, 0) else {
        return CacheAnswer(Data(), from: .disk)
      }
      return CacheAnswer(Data(bytes: blob, count: bytes), from: .disk)
    }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try lock.withLock {
      let isStored = try entries.set(key, (), options, now: clock.time) {
        try removeRow($0)
      }
      guard isStored else { return }
      sqlite3_bind_int64(writing, 1, Int64(bitPattern: key))
      try value.withUnsafeBytes { bytes in
        // The value outlives the statement's step, so no copy is needed.
        if bytes.count == 0 {
          sqlite3_bind_zeroblob(writing, 2, 0)
        } else {
          sqlite3_bind_blob64(writing, 2, bytes.baseAddress, UInt64(bytes.count), nil)
        }
        try finish(writing)
      }
    }
  }

  func remove(_ key: UInt64) throws {
    try lock.withLock {
      if entries.remove(key) { try removeRow(key) }
    }
  }

  func close() throws {
    try lock.withLock {
      guard isOpen else { return }
      isOpen = false
      for statement in [reading, writing, removing] { sqlite3_finalize(statement) }
      guard sqlite3_close_v2(database) == SQLITE_OK else { throw RawSQLiteError(database) }
    }
  }

  private func removeRow(_ key: UInt64) throws(RawSQLiteError) {
    sqlite3_bind_int64(removing, 1, Int64(bitPattern: key))
    try finish(removing)
  }

  private func finish(_ statement: OpaquePointer) throws(RawSQLiteError) {
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw RawSQLiteError(database) }
  }

  private static func prepare(
    _ text: String, _ database: OpaquePointer
  ) throws(RawSQLiteError) -> OpaquePointer {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(database, text, -1, flags, &statement, nil) == SQLITE_OK,
      let statement
    else { throw RawSQLiteError(database) }
    return statement
  }
}

struct RawSQLiteError: Error, CustomStringConvertible {
  /// A one-line description for users.
  let description: String

  /// The latest error of a connection.
  init(_ database: OpaquePointer?) {
    description =
      "SQLite error \(sqlite3_extended_errcode(database)): "
      + String(cString: sqlite3_errmsg(database))
  }
}

extension CacheContender {
  /// Plain SQLite.
  static let rawSQLite = CacheContender(
    name: "sqlite",
    summary: "One table of an SQLite database through the C API, one commit per write; LRU in "
      + "memory",
    kinds: [.disk]
  ) { setup in
    guard case .disk(let tier) = setup.simulation.arrangement else {
      throw ExecutionError.kind(cache: "sqlite", kind: .memory)
    }
    return try RawSQLite(tier, setup)
  }
}
