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

extension DiskCore {
  /// The entry of a key, which is a reference to it.
  func get(_ bytes: UnsafeRawBufferPointer, suite: UInt32) throws(DiskCacheError) -> DiskEntry? {
    let index = try openIndex()
    let key = DiskKey(bytes, suite: suite, seed: index.seed)
    guard let id = findForUse(key) else {
      statistics.misses += 1
      return nil
    }
    let entry: DiskEntry?
    do throws(SQLiteError) {
      entry = try index.read(id, key: bytes, digest: key.digest).flatMap { reading in
        value(of: reading, key).map { DiskEntry(data: $0, metadata: DiskMetadata(reading)) }
      }
    } catch {
      statistics.misses += 1
      try recover(from: error)
      return nil
    }
    let isVictim = slots[Int(id)].state == .known && !tier.contains(id)
    guard let entry else {
      statistics.damages += 1
      statistics.misses += 1
      if slots[Int(id)].state == .known { tier.remove(id) }
      drop(id)
      return nil
    }
    statistics.hits += 1
    statistics.bytesRead += UInt64(entry.data.count)
    if isVictim { drop(id) } else { noteUse(id) }
    return entry
  }

  /// Whether a get would find an entry. No reference to it, and nothing is read.
  func contains(_ bytes: UnsafeRawBufferPointer, suite: UInt32) throws(DiskCacheError) -> Bool {
    let key = DiskKey(bytes, suite: suite, seed: try openIndex().seed)
    guard let id = directory[key.digest], slots[Int(id)].isStored else { return false }
    if slots[Int(id)].state == .permanent { return true }
    return tier.contains(id) && tier.expiry(id) > clock.nowMicroseconds
  }

  /// The id of a resident entry, of which the policy is told that it is used.
  private func findForUse(_ key: DiskKey) -> ObjectID? {
    guard let id = directory[key.digest] else { return nil }
    if slots[Int(id)].state == .permanent { return id }
    switch tier.access(id, tier.expires ? clock.nowMicroseconds : 0) {
    case .absent:
      return nil
    case .expired:
      statistics.expirations += 1
      drop(id)
      return nil
    case .hit:
      // Some policies give objects up on a hit, this one among them; it is still answered.
      _ = dropVictims(sparing: id, counting: \.evictions)
      return id
    }
  }

  private func noteUse(_ id: ObjectID) {
    sequence += 1
    slots[Int(id)].accessed = sequence
    if slots[Int(id)].hits < .max { slots[Int(id)].hits += 1 }
    hitsSinceOrder += 1
    if hitsSinceOrder >= orderInterval { writeOrder() }
  }

  /// The value that a row speaks of, or nil when it is damaged or cannot be read.
  private func value(of reading: DiskReading, _ key: DiskKey) -> Data? {
    let row = reading.row
    guard row.file != 0 else { return reading.value }
    let count = Int(row.bytes)
    guard let memory = malloc(max(1, count)) else { return nil }
    let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
    let isWhole = (try? folder.read(row.file, into: buffer)) ?? false
    guard isWhole,
      ByteHash.hash(UnsafeRawBufferPointer(buffer), seed: key.digest.checksumSeed) == row.checksum
    else {
      free(memory)
      return nil
    }
    return Data(bytesNoCopy: memory, count: count, deallocator: .free)
  }
}

extension DiskMetadata {
  /// What a row says.
  init(_ reading: DiskReading) {
    self.init(
      version: reading.version, contentType: reading.contentType,
      createdMicroseconds: reading.row.created,
      expiresMicroseconds: reading.row.expires == Request.noExpiry ? nil : reading.row.expires,
      isPermanent: reading.row.isPermanent)
  }
}
