import Foundation
import LarderEngine
import Synchronization

@testable import Larder

/// A file that fails or waits, as a test demands.
final class TestRecordingFile: RecordingFile {
  private let file: SystemRecordingFile
  private let calls = Atomic<Int>(0)
  /// Behaviour of the write with a number, from 0.
  private let behaviour: @Sendable (Int) -> Behaviour

  enum Behaviour {
    case write
    /// A write that writes no byte.
    case fail(Int32)
    case failHalfWay(Int32)
    /// Written once the gate is opened.
    case wait(DispatchSemaphore)
  }

  init(path: String, _ behaviour: @escaping @Sendable (Int) -> Behaviour) throws {
    file = try SystemRecordingFile(path: path)
    self.behaviour = behaviour
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileFailure) {
    switch behaviour(calls.wrappingAdd(1, ordering: .relaxed).oldValue) {
    case .write: break
    case .fail(let number): throw FileFailure("write", "recording", number)
    case .failHalfWay(let number):
      try file.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)), at: offset)
      throw FileFailure("write", "recording", number)
    case .wait(let gate): gate.wait()
    }
    try file.write(bytes, at: offset)
  }

  func close(at length: UInt64) throws(FileFailure) { try file.close(at: length) }

  func discard() { file.discard() }
}
