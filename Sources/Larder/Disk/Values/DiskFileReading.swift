import LarderEngine
import LarderLibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A read of a value in a file. The file is not overwritten or reused until the read is finished;
/// it may be removed.
final class DiskFileReading: Sendable {
  let id: ObjectID
  let stored: UInt64
  let file: UInt64
  let location: ValueLocation
  let bytes: Int
  let checksum: UInt64
  let checksumSeed: UInt64
  let seal: DiskSeal?
  let binding: Data
  let metadata: DiskMetadata

  init(
    id: ObjectID = .none, stored: UInt64, file: UInt64, bytes: UInt32, checksum: UInt64,
    key: DiskKey, at location: ValueLocation, seal: DiskSeal?, metadata: DiskMetadata
  ) {
    self.id = id
    self.stored = stored
    self.file = file
    self.location = location
    self.bytes = Int(bytes)
    self.checksum = checksum
    self.seal = seal
    self.metadata = metadata
    checksumSeed = key.digest.checksumSeed
    binding = seal == nil ? Data() : DiskSeal.binding(key)
  }

  func value() throws(FileFailure) -> Data? {
    let count = bytes + (seal == nil ? 0 : DiskSeal.overhead)
    guard let memory = malloc(max(1, count)) else {
      throw FileFailure("read", location.folder.path, ENOMEM)
    }
    let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
    let isWhole: Bool
    do throws(FileFailure) {
      isWhole = try location.read(into: buffer)
    } catch {
      isWhole = false
      if !error.isNoFile {
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
