import Foundation
import Larder
import LarderEngine

@testable import LarderHarness

/// An unlimited cache with one fault, which counts its calls.
final class FaultyCache: CacheUnderTest, @unchecked Sendable {
  enum Fault: Sendable {
    case none
    case anotherKeysValue
    case anOldVersion
    case aDeletedValue
    case aTruncatedValue
    case aDamagedValue
    case anEmptyValue
    case throwsInGet
    case throwsInFill
    case throwsInUsage
    case throwsInClose
    case tooManyEntries
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String { "the disk is\nmade of cheese" }
  }

  private struct State {
    var values: [UInt64: Data] = [:]
    var old: [UInt64: Data] = [:]
    var last: Data?
    var gets: [UInt64: Int] = [:]
    var getCount = 0
    var isClosed = false
    var levels: [MemoryPressureLevel] = []
  }

  private let fault: Fault
  private let after: Int
  private let onCall: @Sendable () -> Void
  private let state = Locked(State())

  init(_ fault: Fault, after: Int = 0, onCall: @escaping @Sendable () -> Void = {}) {
    self.fault = fault
    self.after = after
    self.onCall = onCall
  }

  var gets: [UInt64: Int] { state.withLock { $0.gets } }
  var isClosed: Bool { state.withLock { $0.isClosed } }
  var levels: [MemoryPressureLevel] { state.withLock { $0.levels } }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    onCall()
    return try state.withLock { state in
      state.gets[key, default: 0] += 1
      state.getCount += 1
      let value = state.values[key]
      defer { if let value { state.last = value } }
      guard state.getCount > after else { return value.map { CacheAnswer($0) } }
      switch fault {
      case .throwsInGet: throw Failure()
      case .anotherKeysValue:
        return (value == nil ? nil : state.last ?? value).map { CacheAnswer($0) }
      case .anOldVersion: return (state.old[key] ?? value).map { CacheAnswer($0) }
      case .aDeletedValue: return (value ?? state.old[key]).map { CacheAnswer($0) }
      case .aTruncatedValue: return value.map { CacheAnswer($0.prefix($0.count / 2)) }
      case .anEmptyValue: return value.map { _ in CacheAnswer(Data()) }
      case .aDamagedValue:
        return value.map { value in
          var bytes = [UInt8](value)
          if let last = bytes.indices.last { bytes[last] ^= 1 }
          return CacheAnswer(Data(bytes))
        }
      default: return value.map { CacheAnswer($0) }
      }
    }
  }

  func fill(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    if fault == .throwsInFill { throw Failure() }
    try set(value, for: key, options)
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    onCall()
    state.withLock { state in
      if state.old[key] == nil { state.old[key] = state.values[key] ?? value }
      state.values[key] = value
    }
  }

  func remove(_ key: UInt64) throws { state.withLock { $0.values[key] = nil } }

  func handle(_ pressure: MemoryPressureLevel) { state.withLock { $0.levels.append(pressure) } }

  func usage() throws -> CacheUsage {
    if fault == .throwsInUsage { throw Failure() }
    var usage = CacheUsage()
    if fault == .tooManyEntries { usage.memoryEntries = state.withLock { $0.values.count } }
    return usage
  }

  func close() throws {
    state.withLock { $0.isClosed = true }
    if fault == .throwsInClose { throw Failure() }
  }

  var contender: CacheContender {
    CacheContender(name: "faulty", summary: "", kinds: [.memory]) { _ in self }
  }
}
