import CLarderShims

/// A call from a cache into code of its user (the body of an update, a codec, a listener) on the
/// current thread.
///
/// It is on the stack, and calls within each other are linked, the innermost first. A cache so
/// knows that it is called from its own call, and neither waits for itself nor calls itself without
/// end.
@usableFromInline
struct ForeignCall {
  /// The cache, or the part of it that makes the call.
  private let owner: UnsafeRawPointer
  /// The lock that the cache holds meanwhile, if any, and the memory in which all its locks are.
  private let lock: CacheLock?
  private let bytes: Int
  private let outer: UnsafeMutablePointer<ForeignCall>?
  private var isReleased = false

  private static var innermost: UnsafeMutablePointer<ForeignCall>? {
    larder_foreign_call()?.assumingMemoryBound(to: ForeignCall.self)
  }

  /// Makes a call.
  static func run<Result, Failure: Error>(
    of owner: UnsafeRawPointer, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var isReleased = false
    return try run(of: owner, bytes: 0, holding: nil, isReleased: &isReleased, body)
  }

  /// Makes a call with a lock held, one of those in the `bytes` from `owner` on. The lock was
  /// released, and is for the caller to take again, if the thread has waited for one of them.
  static func run<Result, Failure: Error>(
    of owner: UnsafeRawPointer, bytes: Int, holding lock: CacheLock?, isReleased: inout Bool,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = innermost
    var call = ForeignCall(owner: owner, lock: lock, bytes: bytes, outer: outer)
    return try withUnsafeMutablePointer(to: &call) { (place) throws(Failure) in
      larder_set_foreign_call(place)
      defer {
        larder_set_foreign_call(outer)
        isReleased = place.pointee.isReleased
      }
      return try body()
    }
  }

  /// True if the thread is in a call that `owner` makes.
  @usableFromInline
  static func isInside(_ owner: UnsafeRawPointer) -> Bool {
    var next = innermost
    while let call = next {
      if call.pointee.owner == owner { return true }
      next = call.pointee.outer
    }
    return false
  }

  /// The thread is about to wait for a lock: releases those that it holds of the same cache, one of
  /// which may be that, or be wanted by the thread that holds it.
  static func releaseLocks(beforeWaitingAt place: UnsafeRawPointer) {
    var next = innermost
    while let call = next {
      let owner = call.pointee.owner
      if let lock = call.pointee.lock, !call.pointee.isReleased, place >= owner,
        place < owner + call.pointee.bytes
      {
        call.pointee.isReleased = true
        lock.unlock()
      }
      next = call.pointee.outer
    }
  }
}
