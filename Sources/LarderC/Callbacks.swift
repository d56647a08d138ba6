import CLarder
import LarderEngine

/// The callbacks of a caller's policy during one call, and what went wrong in them.
final class Callbacks: @unchecked Sendable {
  // Unchecked: the pointers are the caller's, who says in which threads they may be used.

  /// All that are in use, by number.
  static let table = HandleTable<Callbacks>()

  /// What the policy is called.
  let name: String
  /// Whether each lookup asks the caller, too: slow, and what a check of the contract needs.
  let asksContains: Bool

  private let context: UnsafeMutableRawPointer?
  private let createCallback: Create
  private let applyCallback: Apply
  private let containsCallback: Contains?
  private let destroyCallback: Destroy?
  private let replayCallback: Replay?
  private let failed = Locked<CallError?>(nil)

  private typealias Create =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<larder_policy_setup>?) -> Int64
  private typealias Apply =
    @convention(c) (UnsafeMutableRawPointer?, Int64, UInt64, Int32) -> Int64
  private typealias Contains =
    @convention(c) (UnsafeMutableRawPointer?, Int64, UInt32) -> Int32
  private typealias Destroy = @convention(c) (UnsafeMutableRawPointer?, Int64) -> Void

  private typealias Replay =
    @convention(c) (
      UnsafeMutableRawPointer?, Int64, UnsafePointer<UInt32>?, UnsafePointer<UInt32>?, UInt64,
      UnsafeMutablePointer<larder_gets>?
    ) -> Int64

  /// The callbacks of `policy`.
  ///
  /// - Throws: `CallError` when one that is needed is null.
  init(_ policy: larder_policy, name: String, asksContains: Bool) throws(CallError) {
    guard let create = policy.create else { throw .null("policy.create") }
    guard let apply = policy.apply else { throw .null("policy.apply") }
    if asksContains, policy.contains == nil { throw .null("policy.contains") }
    context = policy.context
    createCallback = create
    applyCallback = apply
    containsCallback = policy.contains
    destroyCallback = policy.destroy
    replayCallback = policy.replay
    self.name = name
    self.asksContains = asksContains
  }

  /// What went wrong first; nil while all is well. Nothing is asked after that.
  var failure: CallError? { failed.withLock { $0 } }

  /// Something went wrong.
  func fail(_ problem: String) {
    let error = CallError.policy(name, problem)
    failed.withLock { $0 = $0 ?? error }
  }

  /// Calls `body` with the name of a policy that uses these callbacks; they are forgotten after it.
  ///
  /// - Throws: what `body` throws, or what went wrong in a callback.
  func withSpec<Result>(_ body: (PolicySpec) throws -> Result) throws -> Result {
    let number = Self.table.add(self)
    defer { _ = Self.table.remove(number) }
    let spec = try PolicySpec(
      parsing: "\(CallbackPolicy.description.name):\(CallbackPolicy.parameter)=\(number)")
    let result = try body(spec)
    if let failure { throw failure }
    return result
  }

  /// A policy for an empty cache; nil when there is none.
  func create(_ setup: larder_policy_setup) -> Int64? {
    guard failure == nil else { return nil }
    let number = withUnsafePointer(to: setup) { createCallback(context, $0) }
    if number < 0 { fail("create failed") }
    return number < 0 ? nil : number
  }

  /// Hands events over; nil when that failed. Otherwise what is to be evicted, where that is asked.
  func apply(_ policy: Int64, _ count: Int, evicts: Bool) -> Int64? {
    let answer = applyCallback(context, policy, UInt64(count), evicts ? 1 : 0)
    if answer < 0 { fail("apply failed") }
    return answer < 0 ? nil : answer
  }

  /// Whether the caller replays gets itself.
  var replays: Bool { replayCallback != nil }

  /// Has the caller replay gets; false when that failed.
  func replay(
    _ policy: Int64, _ objects: UnsafePointer<UInt32>, _ sizes: UnsafePointer<UInt32>?,
    _ count: Int, _ gets: inout larder_gets
  ) -> Bool {
    guard let replayCallback else { return false }
    let answer = replayCallback(context, policy, objects, sizes, UInt64(count), &gets)
    if answer < 0 { fail("replay failed") }
    return answer >= 0
  }

  /// Whether an object is resident; nil when that failed.
  func contains(_ policy: Int64, _ id: ObjectID) -> Bool? {
    guard let containsCallback else { return nil }
    let answer = containsCallback(context, policy, id)
    if answer < 0 { fail("contains failed") }
    return answer < 0 ? nil : answer != 0
  }

  /// The cache is gone.
  func destroy(_ policy: Int64) { destroyCallback?(context, policy) }
}
