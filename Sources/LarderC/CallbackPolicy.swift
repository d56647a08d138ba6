import LarderEngine

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

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { instance.contains(id) }

  @inline(__always)
  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
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
