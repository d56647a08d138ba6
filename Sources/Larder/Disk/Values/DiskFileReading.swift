import LarderEngine
import LarderLibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value in a file that is to be read. The file is neither written over nor given another value
/// until the reading is finished; it may be removed.
final class DiskFileReading: Sendable {
  let id: ObjectID
  let files: any FileLayer
  let folder: OpenFolder
  /// Which storing of the key the file belongs to.
  let stored: UInt64
  let file: UInt64
  let name: ValueName
  /// Where the value begins in a segment, nil where the file is its own.
  let offset: UInt64?
  let bytes: Int
  let checksum: UInt64
  let checksumSeed: UInt64
  /// What the value is opened with, and bound to, where it is encrypted.
  let seal: DiskSeal?
  let binding: Data
  let metadata: DiskMetadata

  init(
    id: ObjectID, slot: DiskSlot, key: DiskKey, in folder: DiskFolder, seal: DiskSeal?,
    metadata: DiskMetadata
  ) {
    self.id = id
    files = folder.files
    self.folder = folder.values
    name = folder.name(slot.file)
    self.seal = seal
    self.metadata = metadata
    stored = slot.stored
    file = slot.file
    offset = DiskSegmentPlace(slot.file)?.offset
    bytes = Int(slot.bytes)
    checksum = slot.checksum
    checksumSeed = key.digest.checksumSeed
    binding = seal == nil ? Data() : DiskSeal.binding(key)
  }

  /// The value, or nil when it is not what was stored. Needs no lock.
  ///
  /// - Throws: what says nothing of the value: it may be read another time.
  func value() throws(FileFailure) -> Data? {
    let count = bytes + (seal == nil ? 0 : DiskSeal.overhead)
    guard let memory = malloc(max(1, count)) else {
      throw FileFailure("read", folder.path, ENOMEM)
    }
    let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
    let isWhole: Bool
    do throws(FileFailure) {
      if let offset {
        isWhole = try files.read(name, in: folder, at: offset, into: buffer)
      } else {
        isWhole = try files.read(name, in: folder, into: buffer)
      }
    } catch {
      isWhole = false
      if error.isPassing {
        free(memory)
        throw error
      }
    }
    if let seal {
      defer { free(memory) }
      guard isWhole else { return nil }
      return seal.openValue(
        UnsafeRawBufferPointer(buffer), bytes: bytes, mark: checksum, binding)
    }
    guard isWhole,
      ByteHash.hash(UnsafeRawBufferPointer(buffer), seed: checksumSeed) == checksum
    else {
      free(memory)
      return nil
    }
    return Data(bytesNoCopy: memory, count: bytes, deallocator: .free)
  }
}
