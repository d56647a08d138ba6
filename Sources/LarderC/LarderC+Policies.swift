import CLarder
import LarderEngine

extension LarderC {
  /// The callbacks of a caller's policy.
  static func callbacks(
    _ policy: UnsafePointer<larder_policy>?, _ name: UnsafePointer<CChar>?, asksContains: Bool
  ) throws(CallError) -> Callbacks {
    let name = try text(name, "name")
    guard !name.isEmpty, !name.contains(where: { $0.isNewline || $0 == "," }) else {
      throw .policy(name, "a name is a line without commas, and not empty")
    }
    return try Callbacks(
      try required(policy, "policy").pointee, name: name, asksContains: asksContains)
  }
}

/// `larder_policy_simulate` of `larder.h`.
@_cdecl("larder_policy_simulate")
public func larderPolicySimulate(
  _ trace: UInt64, _ policy: UnsafePointer<larder_policy>?, _ name: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?, _ task: UInt64,
  _ csv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  LarderC.compute(trace, options, known: PolicyCall.options, task, csv, error) {
    let callbacks = try LarderC.callbacks(policy, name, asksContains: false)
    return try PolicyCall(trace: $0, callbacks: callbacks, options: $1, task: $2).csv()
  }
}

/// `larder_policy_check` of `larder.h`.
@_cdecl("larder_policy_check")
public func larderPolicyCheck(
  _ policy: UnsafePointer<larder_policy>?, _ name: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  LarderC.call(error) {
    let options = try CallOptions(
      try LarderC.optionalText(options, "options"), known: PolicyCall.checkOptions)
    try PolicyCall.check(
      try LarderC.callbacks(policy, name, asksContains: true), options)
  }
}
