import Foundation
import LarderReports
import LarderSupport

/// The system's files with one failing call: the `failing`-th of all, or every one of a kind.
final class FailingFiles: FileLayer, @unchecked Sendable {
  enum Call: Hashable, CaseIterable {
    case makeDirectory, create, write, flush, close, rename, flushDirectory
  }

  let code: Int32
  private let files = SystemFiles()
  private let kind: Call?
  private let number: Int?
  private(set) var calls = 0

  /// Fails each call of one kind.
  init(every kind: Call, code: Int32) {
    self.kind = kind
    self.code = code
    number = nil
  }

  /// Fails the call with this number, from 0; nil only counts.
  init(call number: Int?, code: Int32) {
    self.number = number
    self.code = code
    kind = nil
  }

  private func step(_ call: Call) throws(FileFault) {
    defer { calls += 1 }
    if call == kind || calls == number { throw FileFault(code: code) }
  }

  func kind(of path: String) -> FileKind { files.kind(of: path) }
  func resolved(_ path: String) -> String? { files.resolved(path) }
  func remove(_ path: String) { files.remove(path) }

  func makeDirectory(_ path: String) throws(FileFault) {
    try step(.makeDirectory)
    try files.makeDirectory(path)
  }

  func create(_ path: String) throws(FileFault) -> Int32 {
    try step(.create)
    return try files.create(path)
  }

  func openExisting(_ path: String) throws(FileFault) -> Int32 { try files.openExisting(path) }

  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileFault) -> Int {
    do throws(FileFault) {
      try step(.write)
    } catch {
      let half = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2))
      _ = try files.write(half, to: descriptor)
      throw error
    }
    return try files.write(bytes, to: descriptor)
  }

  func flush(_ descriptor: Int32) throws(FileFault) {
    try step(.flush)
    try files.flush(descriptor)
  }

  func close(_ descriptor: Int32) throws(FileFault) {
    try files.close(descriptor)
    try step(.close)
  }

  func rename(_ path: String, to target: String) throws(FileFault) {
    try step(.rename)
    try files.rename(path, to: target)
  }

  func flushDirectory(_ path: String) throws(FileFault) {
    try step(.flushDirectory)
    try files.flushDirectory(path)
  }
}
