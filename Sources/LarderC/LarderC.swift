import CLarder
import Foundation
import LarderEngine
import LarderExperiments
import LarderLearning
import LarderReports
import LarderSupport
import LarderTraces
import Synchronization

/// A text of the caller.
public typealias CText = UnsafePointer<CChar>?
/// The pointer that receives a text, which the caller frees with `larder_text_free`.
public typealias CResult = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
/// The pointer that receives a number.
public typealias CNumber = UnsafeMutablePointer<UInt64>?

/// Shared code of the functions of `larder.h`: status, and texts passed to the caller.
///
/// No argument of a caller may trap: pointers are checked before use, handles are looked up, and
/// numbers are converted with a check.
enum LarderC {

  static let traces = HandleTable<PreparedTrace>()
  static let tasks = HandleTable<TaskState>()

  private static let providesLearning: Void = LightGBM.provide()

  static func call(_ error: CResult, _ body: () throws -> Void) -> larder_status {
    error?.pointee = nil
    _ = providesLearning
    do {
      try body()
      return larder_status(LARDER_OK)
    } catch let failure {
      error?.pointee = copy(message(failure))
      return status(failure)
    }
  }

  static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }

  static func give(_ text: String, to place: CResult) throws(CallError) {
    guard let copy = copy(text) else { throw .noMemory }
    try required(place, "result").pointee = copy
  }

  static func required<Pointer>(_ pointer: Pointer?, _ name: String) throws(CallError) -> Pointer {
    guard let pointer else { throw .null(name) }
    return pointer
  }

  static func text(_ pointer: CText, _ name: String) throws(CallError) -> String {
    try required(optionalText(pointer, name), name)
  }

  static func optionalText(_ pointer: CText, _ name: String) throws(CallError) -> String? {
    guard let pointer else { return nil }
    guard let text = String(validatingCString: pointer) else { throw .notUTF8(name) }
    return text
  }

  static func trace(_ handle: larder_trace) throws(CallError) -> PreparedTrace {
    guard let trace = traces[handle] else { throw .unknownHandle("trace", handle) }
    return trace
  }

  /// The task of a handle; for 0 a new one that nothing observes.
  static func task(_ handle: larder_task) throws(CallError) -> TaskState {
    if handle == 0 { return TaskState() }
    guard let task = tasks[handle] else { throw .unknownHandle("task", handle) }
    return task
  }

  private static func message(_ failure: any Error) -> String {
    if failure is CurveMaker.Cancelled { return "\(CallError.cancelled)" }
    if case CallError.contract(let text) = failure { return text }
    if let error = failure as? ComponentError, error.component.isEmpty, let name = error.parameter {
      return TextSafety.singleLine("\(CallError.option(name, error.message))")
    }
    return TextSafety.singleLine("\(failure)")
  }

  private static func status(_ failure: any Error) -> larder_status {
    switch failure {
    case CallError.cancelled, AdviceError.cancelled, is CurveMaker.Cancelled:
      return larder_status(LARDER_CANCELLED)
    case CallError.contract: return larder_status(LARDER_CHECK_FAILED)
    case SweepError.execution, is CallError, is PolicyError, is CapacityError, is PlanError,
      is WorkloadError, is TraceError, is ComponentError, is CurveError, is AdviceError,
      is ReportError:
      return larder_status(LARDER_MISUSE)
    default: return larder_status(LARDER_FAULT)
    }
  }
}

enum CallError: Error, Hashable, Sendable, CustomStringConvertible {
  case null(String)
  case notUTF8(String)
  case unknownHandle(String, UInt64)
  case option(String, String)
  case column(String, String)
  case element(String, Int, String)
  case number(String, String, expected: String)
  case policy(String, String)
  case contract(String)
  case cancelled
  case noMemory

  var description: String {
    switch self {
    case .null(let name): "\(name) is null"
    case .notUTF8(let name): "\(name) is not UTF-8"
    case .unknownHandle(let kind, let handle):
      "no \(kind) \(handle): it was destroyed, or never created"
    case .option(let name, let problem): "option '\(name)': \(problem)"
    case .column(let name, let problem): "\(name): \(problem)"
    case .element(let name, let index, let problem): "\(name)[\(index)]: \(problem)"
    case .number(let name, let value, let expected):
      "\(name) \(value) is out of range: expected \(expected)"
    case .policy(let name, let problem): "policy '\(name)': \(problem)"
    case .contract(let text): text
    case .cancelled: "stopped; nothing was written"
    case .noMemory: "no memory for the result"
    }
  }
}

/// Objects that C programs identify by number. A number is never reused, so the use of one after
/// its object was destroyed is detected.
final class HandleTable<Object: AnyObject & Sendable>: Sendable {
  private let objects = Locked<[UInt64: Object]>([:])

  func add(_ object: Object) -> UInt64 {
    let number = lastHandle.wrappingAdd(1, ordering: .relaxed).newValue
    objects.withLock { $0[number] = object }
    return number
  }

  subscript(number: UInt64) -> Object? { objects.withLock { $0[number] } }

  func remove(_ number: UInt64) -> Bool {
    objects.withLock { $0.removeValue(forKey: number) != nil }
  }
}

/// The last number, over all tables, so that a trace's number is never a task's.
private let lastHandle = Atomic<UInt64>(0)

final class TaskState: Sendable {
  let cancellation = Cancellation()

  let doneRequests = Atomic<UInt64>(0)
  let totalRequests = Atomic<UInt64>(0)

  func begin(total: Int) {
    doneRequests.store(0, ordering: .relaxed)
    totalRequests.store(UInt64(clamping: total), ordering: .relaxed)
  }

  func advance(_ requests: Int) {
    doneRequests.wrappingAdd(UInt64(clamping: requests), ordering: .relaxed)
  }

  var preparation: PreparedTrace.Progress {
    { requests in
      try self.check()
      self.doneRequests.store(UInt64(clamping: requests), ordering: .relaxed)
    }
  }

  func check() throws(CallError) {
    if cancellation.isRequested { throw .cancelled }
  }
}

/// `larder_abi` of `larder.h`.
@_cdecl("larder_abi")
public func larderABI() -> Int32 { LARDER_ABI }

/// `larder_version` of `larder.h`.
@_cdecl("larder_version")
public func larderVersion() -> UnsafeMutablePointer<CChar>? {
  LarderC.copy(LarderVersion.current)
}

/// `larder_text_free` of `larder.h`.
@_cdecl("larder_text_free")
public func larderTextFree(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

/// `larder_task_create` of `larder.h`.
@_cdecl("larder_task_create")
public func larderTaskCreate() -> UInt64 { LarderC.tasks.add(TaskState()) }

/// `larder_task_cancel` of `larder.h`.
@_cdecl("larder_task_cancel")
public func larderTaskCancel(_ task: UInt64) -> Int32 {
  guard let state = LarderC.tasks[task] else { return Int32(LARDER_MISUSE) }
  state.cancellation.request()
  return Int32(LARDER_OK)
}

/// `larder_task_progress` of `larder.h`.
@_cdecl("larder_task_progress")
public func larderTaskProgress(_ task: UInt64, _ done: CNumber, _ total: CNumber) -> Int32 {
  guard let state = LarderC.tasks[task] else { return Int32(LARDER_MISUSE) }
  done?.pointee = state.doneRequests.load(ordering: .relaxed)
  total?.pointee = state.totalRequests.load(ordering: .relaxed)
  return Int32(LARDER_OK)
}

/// `larder_task_destroy` of `larder.h`.
@_cdecl("larder_task_destroy")
public func larderTaskDestroy(_ task: UInt64) -> Int32 {
  Int32(LarderC.tasks.remove(task) ? LARDER_OK : LARDER_MISUSE)
}
