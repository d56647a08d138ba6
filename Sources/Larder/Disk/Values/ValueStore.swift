import LarderEngine

/// Storage of values outside the database.
///
/// A value has a number, which counts only once a row with that number is committed.
protocol ValueStore: AnyObject {
  var sealBytes: UInt64 { get set }

  func write(_ value: UnsafeRawBufferPointer) throws(FileFailure) -> UInt64

  func note(_ id: ObjectID, at number: UInt64)

  func pin(_ number: UInt64)

  func unpin(_ number: UInt64)

  /// Reclaims a value that no committed row names. If it cannot be removed, the next opening
  /// removes it.
  ///
  /// - Parameter keeps: True if its space may be kept to be overwritten.
  func retire(_ number: UInt64, bytes: UInt64, keeps: Bool)

  var spareBytes: UInt64 { get }

  var hasSpare: Bool { get }

  func removeSpare()

  var bytesWritten: UInt64 { get }

  /// Bytes of files in use.
  var usedBytes: UInt64 { get }

  /// Removes everything but `named`, and returns the numbers of those that exist. Files that are
  /// not regular or cannot be removed do not prevent opening. O(files + named).
  ///
  /// - Throws: If a folder cannot be listed, so that its files are unknown.
  func sweep(keeping named: [StoredValue]) throws(FileFailure) -> Set<UInt64>

  func removeFiles() throws(FileFailure)
}

struct StoredValue {
  var number: UInt64
  var bytes: UInt32
}

final class ValueStores {
  let files: any FileLayer
  let folder: OpenFolder
  let segments: SegmentFiles
  private let single: ValueFiles

  init(
    folder path: String, files: any FileLayer, syncs: Bool, segmentBytes: Int
  ) throws(FileFailure) {
    self.files = files
    segments = SegmentFiles(folder: path, files: files, syncs: syncs, bytesMax: segmentBytes)
    single = ValueFiles(folder: path, files: files, syncs: syncs)
    if try ![.folder, .missing].contains(files.kind(path)) { try files.remove(path) }
    try files.makeFolder(path)
    folder = try files.open(folder: path)
  }

  private var stores: [any ValueStore] { [single, segments] }

  private func store(of number: UInt64) -> any ValueStore {
    SegmentPlace(number) == nil ? single : segments
  }

  var sealBytes: UInt64 = 0 { didSet { for store in stores { store.sealBytes = sealBytes } } }

  func write(_ value: UnsafeRawBufferPointer) throws(FileFailure) -> UInt64 {
    do throws(FileFailure) {
      return try segments.takes(value.count) ? segments.write(value) : single.write(value)
    } catch {
      // The disk may be full, and the spare space needed for others.
      removeSpare()
      throw error
    }
  }

  func note(_ id: ObjectID, at number: UInt64) { store(of: number).note(id, at: number) }

  func pin(_ number: UInt64) { store(of: number).pin(number) }

  func unpin(_ number: UInt64) { store(of: number).unpin(number) }

  func retire(_ number: UInt64, bytes: UInt32, keeps: Bool) {
    store(of: number).retire(number, bytes: UInt64(bytes), keeps: keeps)
  }

  var hasSpare: Bool { stores.contains { $0.hasSpare } }

  var spareBytes: UInt64 { stores.reduce(0) { $0 + $1.spareBytes } }

  var bytesWritten: UInt64 { stores.reduce(0) { $0 + $1.bytesWritten } }

  func removeSpare() { for store in stores { store.removeSpare() } }

  var usedBytes: UInt64 { stores.reduce(0) { $0 + $1.usedBytes } }

  @discardableResult func sweep(
    keeping named: [StoredValue]
  ) throws(FileFailure) -> Set<UInt64> {
    var found: Set<UInt64> = []
    for store in stores {
      found.formUnion(
        try store.sweep(keeping: named.filter { self.store(of: $0.number) === store }))
    }
    return found
  }

  func removeFiles() throws(FileFailure) {
    try stores.attempt { (store) throws(FileFailure) in try store.removeFiles() }
    try files.removeIfEmpty(folder.path)
  }

  /// Location of a value, to be read without the cache's lock while the value is pinned.
  func location(of number: UInt64) -> ValueLocation { ValueLocation(of: number, in: folder, files) }
}

struct ValueLocation: Sendable {
  let files: any FileLayer
  let folder: OpenFolder
  let name: ValueName
  let offset: UInt64?

  init(of number: UInt64, in folder: OpenFolder, _ files: any FileLayer) {
    self.files = files
    self.folder = folder
    let place = SegmentPlace(number)
    offset = place?.offset
    name =
      place.map { ValueName(segment: $0.segment) } ?? ValueName(number, shards: ValueFiles.shards)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Bool {
    try files.read(name, in: folder, at: offset, into: buffer)
  }
}
