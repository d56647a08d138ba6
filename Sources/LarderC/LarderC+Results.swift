import CLarder
import LarderAdvice
import LarderEngine
import LarderReports
import LarderSimulation
import LarderTraces

extension LarderC {
  /// Calls `body`, which computes something of a trace, and gives the caller its text.
  static func compute(
    _ trace: UInt64, _ options: UnsafePointer<CChar>?, known: Set<String>, _ task: UInt64,
    _ result: Text?, _ error: Text?,
    _ body: (PreparedTrace, CallOptions, TaskState) throws -> String
  ) -> larder_status {
    result?.pointee = nil
    return call(error) {
      let place = try required(result, "result")
      let options = try CallOptions(try optionalText(options, "options"), known: known)
      try give(try body(try self.trace(trace), options, try self.task(task)), to: place)
    }
  }
}

/// `larder_simulate` of `larder.h`.
@_cdecl("larder_simulate")
public func larderSimulate(
  _ trace: UInt64, _ options: UnsafePointer<CChar>?, _ task: UInt64,
  _ csv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  LarderC.compute(trace, options, known: SimulateCall.options, task, csv, error) {
    try SimulateCall(trace: $0, options: $1, task: $2).csv()
  }
}

/// `larder_mrc` of `larder.h`.
@_cdecl("larder_mrc")
public func larderMRC(
  _ trace: UInt64, _ options: UnsafePointer<CChar>?, _ task: UInt64,
  _ csv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  LarderC.compute(trace, options, known: CurveCall.options, task, csv, error) {
    try CurveCall(trace: $0, options: $1, task: $2).csv()
  }
}

/// `larder_advise` of `larder.h`.
@_cdecl("larder_advise")
public func larderAdvise(
  _ trace: UInt64, _ options: UnsafePointer<CChar>?, _ task: UInt64,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  LarderC.compute(trace, options, known: AdviceCall.options, task, json, error) {
    try AdviceCall(trace: $0, options: $1, task: $2).json()
  }
}

/// `larder_policies` of `larder.h`.
@_cdecl("larder_policies")
public func larderPolicies(
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  json?.pointee = nil
  return LarderC.call(error) {
    let place = try LarderC.required(json, "json")
    try LarderC.give(try PolicyEntry.list(), to: place)
  }
}
