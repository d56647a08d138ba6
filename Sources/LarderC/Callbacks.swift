import CLarder
import LarderEngine

/// The callbacks of a caller's policy during one call, and their first error.
final class Callbacks: @unchecked Sendable {
  // Unchecked: the pointers are the caller's, who states in which threads they may be used.

  static let table = HandleTable<Callbacks>()

  let name: String
  /// True if each lookup also calls the caller, which is slow but needed to check the contract.
  let asksContains: Bool

  let policy: larder_policy
  private let failed = Locked<CallError?>(nil)

  init(_ policy: larder_policy, name: String, asksContains: Bool) throws(CallError) {
    if policy.create == nil { throw .null("policy.create") }
    if policy.apply == nil { throw .null("policy.apply") }
    if asksContains, policy.contains == nil { throw .null("policy.contains") }
    self.policy = policy
    self.name = name
    self.asksContains = asksContains
  }

  /// The first error; nil if there is none. After an error no callback is called.
  var failure: CallError? { failed.withLock { $0 } }

  func fail(_ problem: String) {
    let error = CallError.policy(name, problem)
    failed.withLock { $0 = $0 ?? error }
  }

  func withSpec<Result>(_ body: (PolicySpec) throws -> Result) throws -> Result {
    let number = Self.table.add(self)
    defer { _ = Self.table.remove(number) }
    let spec = try PolicySpec(
      parsing: "\(CallbackPolicy.description.name):\(CallbackPolicy.parameter)=\(number)")
    let result = try body(spec)
    if let failure { throw failure }
    return result
  }

  /// True if the caller replays gets itself.
  var replays: Bool { policy.replay != nil }

  /// The answer of a callback; nil after an error, which a negative answer is.
  func ask(_ call: String, _ body: (larder_policy) -> Int64?) -> Int64? {
    guard failure == nil, let answer = body(policy) else { return nil }
    if answer >= 0 { return answer }
    fail("\(call) failed")
    return nil
  }
}

/// The policy of one cache behind callbacks: resident objects, and events not yet sent to the
/// caller.
final class CallbackInstance {
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
  /// Resident objects in no order: the victims after the caller has failed.
  private var residents: [ObjectID] = []
  private var places: [UInt32]

  private static let capacity = 4096

  init(_ callbacks: Callbacks, _ setup: PolicySetup) {
    self.callbacks = callbacks
    events = .allocate(capacity: Self.capacity)
    sizes = .allocate(capacity: Self.capacity)
    places = [UInt32](repeating: 0, count: setup.objects + 1)
    let setup = larder_policy_setup(
      capacity: setup.capacity, counts_bytes: setup.unit == .bytes ? 1 : 0, seed: setup.seed,
      events: events, sizes: sizes)
    number = callbacks.ask("create") { policy in
      withUnsafePointer(to: setup) { policy.create?(policy.context, $0) }
    }
  }

  deinit {
    flush()
    let policy = callbacks.policy
    if let number { policy.destroy?(policy.context, number) }
    events.deallocate()
    sizes.deallocate()
  }

  var bytes: Int { 12 * Self.capacity + 4 * (places.count + residents.capacity) }

  /// True if an object is resident: by this record or, while contracts are checked, by the
  /// caller's.
  @inline(__always) func contains(_ id: ObjectID) -> Bool {
    if callbacks.asksContains { return ask(id) }
    return places[Int(id)] != 0
  }

  @inline(never) private func ask(_ id: ObjectID) -> Bool {
    flush()
    guard let number else { return places[Int(id)] != 0 }
    let answer = callbacks.ask("contains") { policy in
      policy.contains.map { Int64($0(policy.context, number, id)) }
    }
    return answer.map { $0 != 0 } ?? (places[Int(id)] != 0)
  }

  @inline(__always) func note(_ event: Event, _ id: ObjectID, _ size: UInt32) {
    events[count] = event.rawValue << 32 | UInt64(id)
    sizes[count] = size
    count += 1
    if count == Self.capacity { flush() }
  }

  func insert(_ id: ObjectID, _ size: UInt32) {
    note(.insert, id, size)
    guard places[Int(id)] == 0 else { return }
    residents.append(id)
    places[Int(id)] = UInt32(residents.count)
  }

  func remove(_ id: ObjectID) {
    note(.remove, id, 0)
    forget(id)
  }

  func evict() -> ObjectID {
    if let number, let answer = apply(number, evicts: true) {
      let victim = ObjectID(exactly: answer) ?? .none
      if Int(victim) < places.count, places[Int(victim)] != 0 {
        forget(victim)
        return victim
      }
      // The contract checker reports this fault itself.
      if callbacks.asksContains { return victim }
      callbacks.fail("evict returned \(answer), which is not resident")
    }
    guard let victim = residents.last else { return .none }
    forget(victim)
    return victim
  }

  func replay(
    _ objects: UnsafePointer<ObjectID>, _ sizes: UnsafePointer<UInt32>?, _ count: Int,
    _ gets: inout larder_gets
  ) {
    guard let number else { return }
    _ = callbacks.ask("replay") {
      $0.replay?($0.context, number, objects, sizes, UInt64(count), &gets)
    }
  }

  func reserve(_ objects: Int) {
    let missing = objects + 1 - places.count
    if missing > 0 { places += [UInt32](repeating: 0, count: missing) }
  }

  private func flush() {
    if count > 0, let number { _ = apply(number, evicts: false) }
    count = 0
  }

  /// Passes the events to the caller, and returns the evicted object if there is one.
  private func apply(_ number: Int64, evicts: Bool) -> Int64? {
    defer { count = 0 }
    return callbacks.ask("apply") {
      $0.apply?($0.context, number, UInt64(count), evicts ? 1 : 0)
    }
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

/// A policy that calls a caller's callbacks: see `larder_policy` in `larder.h`.
///
/// It records the resident objects itself, so lookups need no call, and collects events until the
/// caller must decide.
struct CallbackPolicy: EvictionPolicy, ~Copyable {
  /// Required by the protocol; never listed, because the registry does not contain it.
  static let description = PolicyDescription(
    name: "callback", family: .adaptive, summary: "A policy implemented by callbacks.",
    parameters: [PolicyParameter(parameter, default: "0", "Number of the callbacks.")],
    paper: "The caller's.")

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
