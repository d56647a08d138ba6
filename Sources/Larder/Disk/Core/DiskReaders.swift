import CLarderShims
import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Connections that read the database's file without the cache's lock, a bounded number.
///
/// All calls but those of a `Place` are made with the cache's lock. Whoever has that lock may wait
/// for a place; whoever has a place must not wait for the lock.
final class DiskReaders {
  /// A connection, opened when it is first used, for whoever has its lock.
  final class Place: @unchecked Sendable {
    private let lock = BriefLock()
    private let open: @Sendable () throws(SQLiteError) -> DiskReader
    private var reader: DiskReader?

    fileprivate init(open: @escaping @Sendable () throws(SQLiteError) -> DiskReader) {
      self.open = open
    }

    fileprivate func claim() -> Bool { lock.tryLock() }

    /// Reads a row and gives the place back; nil when the row is not what was stored.
    ///
    /// - Throws: whatever fails; the connection is closed then.
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
  /// Reads from the database before the first connection is opened: a cache of which little is read
  /// needs none.
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

  /// A place that is the caller's until it calls `finish`, or nil when all are taken or none is to
  /// be used.
  func claim() -> Place? {
    if rests > 0 {
      rests -= 1
      return nil
    }
    guard reads >= firstRead else {
      reads += 1
      return nil
    }
    // Threads keep to a place each, whose memory is near their core then.
    let own = Int(larder_thread_number())
    for step in 0..<places.count {
      let place = places[(own + step) % places.count]
      if place.claim() { return place }
    }
    return nil
  }

  /// After a failure, as for want of file descriptors, reads go another way for a while.
  func rest() { rests = Self.restReads }

  /// Waits for reads and closes all connections; the next read opens one again.
  func close() {
    for place in places { place.close() }
  }

  /// Connections that are open.
  var openCount: Int { places.count { $0.isOpen } }

  private static var countMax: Int { 4 }
  private static var restReads: Int { 1_000 }
}
