import Foundation
import LarderEngine

@testable import Larder

/// A file layer whose calls fail as a test demands.
final class FaultyFiles: FileLayer {
  struct Faults: Sendable {
    /// Names of failing calls in `FileLayer`.
    var calls: Set<String> = []
    var allowed = 0
    var percent = 0
    var random = TestRandom(seed: 1)
    /// True if failing writes write half of their bytes.
    var leavesHalf = true
    var freeBytes: UInt64?
    var number = EIO
  }

  private let system = SystemFiles()
  let databaseLayer: String?

  /// - Parameter databaseLayer: Name of SQLite's file layer, nil for its own.
  init(databaseLayer: String? = nil) { self.databaseLayer = databaseLayer }

  private let faults = Locked(Faults())
  let held = HeldCalls()

  func set(_ change: (inout Faults) -> Void) { faults.withLock { change(&$0) } }

  /// Makes calls of this name fail after `count` more of them.
  func failsAfter(_ count: Int, _ call: String) {
    set { faults in
      faults.calls = [call]
      faults.allowed = count
    }
  }

  private func check(_ call: String, _ path: String) throws(FileFailure) {
    held.pass(call)
    let number: Int32? = faults.withLock { faults in
      if faults.allowed > 0, faults.calls.contains(call) {
        faults.allowed -= 1
        return nil
      }
      let byChance = faults.percent > 0 && faults.random.below(100) < faults.percent
      return faults.calls.contains(call) || byChance ? faults.number : nil
    }
    if let number { throw FileFailure(call, path, number) }
  }

  func makeFolder(_ path: String) throws(FileFailure) {
    try check("makeFolder", path)
    try system.makeFolder(path)
  }

  func kind(_ path: String) throws(FileFailure) -> FileKind {
    try check("kind", path)
    return try system.kind(path)
  }

  func rewrite(_ path: String) throws(FileFailure) {
    try check("rewrite", path)
    try system.rewrite(path)
  }

  func makePrivateFile(_ path: String) throws(FileFailure) {
    try check("makePrivateFile", path)
    try system.makePrivateFile(path)
  }

  func removeFolder(_ path: String) throws(FileFailure) {
    try check("removeFolder", path)
    try system.removeFolder(path)
  }

  func list(_ path: String) throws(FileFailure) -> [FolderItem] {
    try check("list", path)
    return try system.list(path)
  }

  func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, at offset: UInt64?, _ target: FileTarget,
    syncs: Bool
  ) throws(FileFailure) {
    do throws(FileFailure) {
      try check(offset == nil ? "write" : "append", path)
    } catch {
      let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
      if faults.withLock({ $0.leavesHalf }) {
        try? system.write(half, to: path, at: offset, target, syncs: false)
      }
      throw error
    }
    try system.write(bytes, to: path, at: offset, target, syncs: syncs)
  }

  func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Bool
  {
    try check("read", path)
    return try system.read(path, into: buffer)
  }

  func read(
    _ name: ValueName, in folder: OpenFolder, at offset: UInt64?,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool {
    try check("read", name.text)
    return try system.read(name, in: folder, at: offset, into: buffer)
  }

  func rename(_ path: String, to other: String) throws(FileFailure) {
    try check("rename", path)
    try system.rename(path, to: other)
  }

  func syncFolder(_ path: String) throws(FileFailure) {
    try check("syncFolder", path)
    try system.syncFolder(path)
  }

  func remove(_ path: String) throws(FileFailure) {
    try check("remove", path)
    try system.remove(path)
  }

  func size(_ path: String) throws(FileFailure) -> UInt64 {
    try check("size", path)
    return try system.size(path)
  }

  func freeBytes(at path: String) throws(FileFailure) -> UInt64 {
    try check("freeBytes", path)
    if let bytes = faults.withLock({ $0.freeBytes }) { return bytes }
    return try system.freeBytes(at: path)
  }
}
