import CLarder
import Foundation
import LarderAdvice
import LarderEngine
import LarderLearning
import LarderReports
import LarderSimulation
import LarderSystem
import LarderTraces
import LarderWorkloads

/// What the functions of `larder.h` have in common: how they end, and the texts they give away.
///
/// Nothing that a caller passes may trap: pointers are looked at before they are used, handles are
/// looked up, and numbers are converted with a check.
enum LarderC {
  /// The pointer into which a function puts a text, or null.
  typealias Text = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// Traces by handle.
  static let traces = HandleTable<PreparedTrace>()
  /// Tasks by handle.
  static let tasks = HandleTable<TaskState>()

  /// Learned policies find their library from the first call on.
  private static let providesLearning: Void = LightGBM.provide()

  /// Calls `body` and turns what it throws into a status and one line of text.
  static func call(_ error: Text?, _ body: () throws -> Void) -> larder_status {
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

  /// A copy that the caller gives back; null without memory.
  static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }

  /// Puts a text where the caller wants it.
  ///
  /// - Throws: `CallError` when there is no such place.
  static func give(_ text: String, to place: Text) throws(CallError) {
    guard let copy = copy(text) else { throw .noMemory }
    place.pointee = copy
  }

  /// A pointer that must not be null.
  static func required<Pointee>(
    _ pointer: UnsafeMutablePointer<Pointee>?, _ name: String
  ) throws(CallError) -> UnsafeMutablePointer<Pointee> {
    guard let pointer else { throw .null(name) }
    return pointer
  }

  /// A pointer that must not be null.
  static func required<Pointee>(
    _ pointer: UnsafePointer<Pointee>?, _ name: String
  ) throws(CallError) -> UnsafePointer<Pointee> {
    guard let pointer else { throw .null(name) }
    return pointer
  }

  /// A text of the caller's.
  static func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(CallError) -> String {
    guard let text = try optionalText(pointer, name) else { throw .null(name) }
    return text
  }

  /// A text of the caller's, nil for null.
  static func optionalText(
    _ pointer: UnsafePointer<CChar>?, _ name: String
  ) throws(CallError) -> String? {
    guard let pointer else { return nil }
    guard let text = String(validatingCString: pointer) else { throw .notUTF8(name) }
    return text
  }

  /// The trace of a handle.
  static func trace(_ handle: larder_trace) throws(CallError) -> PreparedTrace {
    guard let trace = traces[handle] else { throw .unknownHandle("trace", handle) }
    return trace
  }

  /// The task of a handle; for 0 one that nobody looks at.
  static func task(_ handle: larder_task) throws(CallError) -> TaskState {
    if handle == 0 { return TaskState() }
    guard let task = tasks[handle] else { throw .unknownHandle("task", handle) }
    return task
  }

  private static func message(_ failure: any Error) -> String {
    if failure is CurveMaker.Cancelled { return "\(CallError.cancelled)" }
    if case CallError.contract(let text) = failure { return text }
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
