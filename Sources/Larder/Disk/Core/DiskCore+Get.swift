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
      entry = try read(id, key, from: index)
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

  /// The entry of an id, or nil when it is damaged, cannot be read or is another key's.
  private func read(
    _ id: ObjectID, _ key: DiskKey, from index: DiskIndex
  ) throws(SQLiteError) -> DiskEntry? {
    let slot = slots[Int(id)]
    var reading: DiskReading?
    if let stored = slot.key {
      if stored.elementsEqual(key.bytes) { reading = DiskReading() }
    } else {
      reading = try index.read(id, slot, key)
    }
    guard let reading, let data = slot.file == 0 ? reading.value : fileValue(slot, key) else {
      return nil
    }
    let expires = slot.state == .permanent ? Request.noExpiry : tier.expiry(id)
    return DiskEntry(
      data: data,
      metadata: DiskMetadata(
        version: reading.version, contentType: reading.contentType,
        createdMicroseconds: slot.created,
        expiresMicroseconds: expires == Request.noExpiry ? nil : expires,
        isPermanent: slot.state == .permanent))
  }

  private func fileValue(_ slot: DiskSlot, _ key: DiskKey) -> Data? {
    let count = Int(slot.bytes)
    guard let memory = malloc(max(1, count)) else { return nil }
    let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
    let isWhole = (try? folder.read(slot.file, into: buffer)) ?? false
    guard isWhole,
      ByteHash.hash(UnsafeRawBufferPointer(buffer), seed: key.digest.checksumSeed) == slot.checksum
    else {
      free(memory)
      return nil
    }
    return Data(bytesNoCopy: memory, count: count, deallocator: .free)
  }
}
