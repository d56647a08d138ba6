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

/// One cache's policy behind callbacks: what is resident, and what the caller has not heard yet.
final class CallbackInstance {
  /// What happened: the numbers of `larder.h`.
  enum Event: UInt64 {
    case hit = 0
    case insert = 1
    case remove = 2
    case replace = 3
  }

  private let callbacks: Callbacks
  private let number: Int64?
  private let events: UnsafeMutablePointer<UInt64>
  private let sizes: UnsafeMutablePointer<UInt32>
  private var count = 0
  /// Resident objects, in no order: what is evicted when the caller has failed.
  private var residents: [ObjectID] = []
  /// The place in `residents` of each object, from 1; 0 for one that is not there.
  private var places: [UInt32]

  /// Events that are collected.
  private static let capacity = 4096

  /// A policy for an empty cache.
  init(_ callbacks: Callbacks, _ setup: PolicySetup) {
    self.callbacks = callbacks
    events = .allocate(capacity: Self.capacity)
    sizes = .allocate(capacity: Self.capacity)
    places = [UInt32](repeating: 0, count: setup.objects + 1)
    number = callbacks.create(
      larder_policy_setup(
        capacity: setup.capacity, counts_bytes: setup.unit == .bytes ? 1 : 0, seed: setup.seed,
        events: events, sizes: sizes))
  }

  deinit {
    flush()
    if let number { callbacks.destroy(number) }
    events.deallocate()
    sizes.deallocate()
  }

  /// Memory held, without what the caller has.
  var bytes: Int { 12 * Self.capacity + 4 * (places.count + residents.capacity) }

  /// Whether an object is resident: by this account or, where contracts are checked, by the
  /// caller's.
  @inline(__always) func contains(_ id: ObjectID) -> Bool {
    if callbacks.asksContains { return ask(id) }
    return places[Int(id)] != 0
  }

  @inline(never) private func ask(_ id: ObjectID) -> Bool {
    flush()
    guard let number, callbacks.failure == nil else { return places[Int(id)] != 0 }
    return callbacks.contains(number, id) ?? (places[Int(id)] != 0)
  }

  /// Something happened.
  @inline(__always) func note(_ event: Event, _ id: ObjectID, _ size: UInt32) {
    events[count] = event.rawValue << 32 | UInt64(id)
    sizes[count] = size
    count += 1
    if count == Self.capacity { flush() }
  }

  /// An object is stored.
  func insert(_ id: ObjectID, _ size: UInt32) {
    note(.insert, id, size)
    guard places[Int(id)] == 0 else { return }
    residents.append(id)
    places[Int(id)] = UInt32(residents.count)
  }

  /// An object is deleted, whether or not it is resident.
  func remove(_ id: ObjectID) {
    note(.remove, id, 0)
    forget(id)
  }

  /// What is given up.
  func evict() -> ObjectID {
    if let number, callbacks.failure == nil {
      let answer = callbacks.apply(number, count, evicts: true)
      count = 0
      if let answer {
        let victim = ObjectID(exactly: answer) ?? .none
        let isResident = Int(victim) < places.count && places[Int(victim)] != 0
        if isResident {
          forget(victim)
          return victim
        }
        // The checks of the contract have words of their own for it.
        if callbacks.asksContains { return victim }
        callbacks.fail("evict returned \(answer), which is not resident")
      }
    }
    guard let victim = residents.last else { return .none }
    forget(victim)
    return victim
  }

  /// Has the caller replay gets.
  func replay(
    _ objects: UnsafePointer<ObjectID>, _ sizes: UnsafePointer<UInt32>?, _ count: Int,
    _ gets: inout larder_gets
  ) {
    guard let number, callbacks.failure == nil else { return }
    _ = callbacks.replay(number, objects, sizes, count, &gets)
  }

  /// Makes room for ids up to `objects`.
  func reserve(_ objects: Int) {
    let missing = objects + 1 - places.count
    if missing > 0 { places += [UInt32](repeating: 0, count: missing) }
  }

  private func flush() {
    defer { count = 0 }
    guard count > 0, let number, callbacks.failure == nil else { return }
    _ = callbacks.apply(number, count, evicts: false)
  }

  private func forget(_ id: ObjectID) {
    let place = places[Int(id)]
    guard place != 0, let last = residents.popLast() else { return }
    places[Int(id)] = 0
    guard last != id else { return }
    residents[Int(place) - 1] = last
    places[Int(last)] = place
  }
}

/// A policy that asks a caller's callbacks: see `larder_policy` in `larder.h`.
///
/// It keeps the account of what is resident itself, so that a lookup is not a call, and collects
/// what happens until the caller must decide something.
struct CallbackPolicy: EvictionPolicy, ~Copyable {
  /// As every description; the registry does not have it, and nobody sees it.
  static let description = PolicyDescription(
    name: "callback", family: .adaptive, summary: "Decides as a caller's callbacks do.",
    parameters: [PolicyParameter(parameter, default: "0", "Number of the callbacks.")],
    paper: "The caller's.")

  /// The parameter that names the callbacks.
  static let parameter = "callbacks"

  private let instance: CallbackInstance

  init(_ setup: PolicySetup) throws(PolicyError) {
    let number = try setup.spec.integer(Self.parameter, default: 0, in: 0...Int.max)
    guard let callbacks = Callbacks.table[UInt64(number)] else {
      throw .badSetup(Self.parameter, "\(number)", expected: "callbacks that are there")
    }
    instance = CallbackInstance(callbacks, setup)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { instance.contains(id) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    instance.note(.hit, request.id, request.size)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    instance.note(.replace, request.id, request.size)
  }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    instance.evict()
  }

  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    instance.insert(request.id, request.size)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) { instance.remove(id) }

  mutating func reserve(objects: Int) { instance.reserve(objects) }

  func prefetch(_ id: ObjectID) {}

  var stateBytes: Int { instance.bytes }
}
