from pathlib import Path
W=Path('/work/wt/library'); D=W/'Sources/Larder/Disk'
p=D/'Store/DiskReaders.swift'; t=p.read_text()
a=t.index('/// A bounded number of connections'); b=t.index('  /// Reads an entry whose value is in its row; nil if the row')
head='''/// A bounded number of connections that read the database's file without the cache's lock.
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

  init(path: String, _ configuration: DiskConfiguration, seal: DiskSeal?, layer: String?) {
    let count = min(Self.countMax, max(2, ProcessInfo.processInfo.activeProcessorCount))
    let bytes = configuration.pageCacheBytes
    readers = (0..<count).map { _ in
      DiskReader(seal) { () throws(SQLiteError) in
        try SQLiteConnection(unchanging: path, pageCacheBytes: bytes, layer: layer)
      }
    }
    firstRead = configuration.readersAfter
  }

  /// Claims a reader until `finish` is called; nil if all are taken or reading without the lock is
  /// paused.
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

  /// Pauses reading without the lock for a while after a failure, such as a lack of file
  /// descriptors.
  func rest() { rests = Self.restReads }

  /// Waits for reads and closes all connections; the next read opens one again.
  func close() {
    for reader in readers { reader.close() }
  }

  /// Number of open connections.
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
  private let seal: DiskSeal?
  private var connection: SQLiteConnection?
  private var keys: SQLiteBlob?
  private var values: SQLiteBlob?
  private var statement: SQLiteStatement?
  private var key: [UInt8] = []

  fileprivate init(
    _ seal: DiskSeal?, open: @escaping @Sendable () throws(SQLiteError) -> SQLiteConnection
  ) {
    self.seal = seal
    self.open = open
  }

  fileprivate func claim() -> Bool { lock.tryLock() }

  /// Reads a row and releases the reader; nil if the row is damaged or belongs to another key.
  ///
  /// - Throws: Any failure; the connection is closed then.
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

'''
t=t[:a]+head+t[b:]
def rep(x,y):
    global t
    assert t.count(x)==1,(t.count(x),x); t=t.replace(x,y)
rep('''  /// Reads an entry whose value is in its row; nil if the row is damaged or belongs to another key.
  func read(''','''  private func read(''')
rep('''    let statement = try connection.prepare(
      seal''','''    let statement = try connected().prepare(
      seal''')
rep('try connection.openBlob(table','try connected().openBlob(table')
p.write_text(t)
p=D/'Store/DiskCore+Reading.swift'; t=p.read_text()
rep('''  /// Second half of a get, for a value in a file. `read` is nil if the value is damaged.
''','''  /// Second half of a get, for a value in a file. `read` is nil if the value is damaged. Nil if
  /// another value was stored meanwhile; repeat the lookup.
''')
rep('throws(DiskCacheError) -> DiskFileResult {','throws(DiskCacheError) -> DiskLookup? {')
rep('''      return .again
    }
    damage(reading.id)
    miss(DiskKey(bytes, suite: suite, seed: index.seed))
    return .none
''','''      return nil
    }
    damage(reading.id)
    miss(DiskKey(bytes, suite: suite, seed: index.seed))
    return DiskLookup.none
''')
a=t.index('/// Result of reading a value\'s file.'); b=t.index('/// Treatment of expired entries by a lookup.')
t=t[:a]+t[b:]
rep('guard let place = index.readers.claim()','guard let reader = index.readers.claim()')
rep('digest: digest, place: place,','digest: digest, reader: reader,')
rep('  let place: DiskReaders.Place\n','  let reader: DiskReader\n')
rep('try place.finish(id','try reader.finish(id')
p.write_text(t)
p=D/'DiskCache.swift'; t=p.read_text()
rep('''    switch found {
    case .none:
      return .some(nil)
    case .entry''','''    let next: DiskLookup?
    switch found {
    case .none:
      return .some(nil)
    case .entry''')
rep('''      let again = try withCore { (core) throws(DiskCacheError) in
        try core.retry(reading, hasFailed: hasFailed, key)
      }
      guard let again else { return nil }
      return try finish(again, key, suite)
''','''      next = try withCore { (core) throws(DiskCacheError) in
        try core.retry(reading, hasFailed: hasFailed, key)
      }
''')
rep('''      let result = try withCore { (core) throws(DiskCacheError) in
        try core.finish(reading, value, key, suite: core.suiteNumber(suite) ?? 0)
      }
      return switch result {
      case .entry(let entry): entry
      case .none: .some(nil)
      case .again: nil
      }
    }
''','''      next = try withCore { (core) throws(DiskCacheError) in
        try core.finish(reading, value, key, suite: core.suiteNumber(suite) ?? 0)
      }
    }
    guard let next else { return nil }
    return try finish(next, key, suite)
''')
p.write_text(t)
