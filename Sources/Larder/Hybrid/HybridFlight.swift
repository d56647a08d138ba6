#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A fetch that is under way, and who waits for it. Everything is used under the lock of the key's
/// stripe.
final class HybridFlight<Value: Sendable>: @unchecked Sendable {
  /// What the cache had when it began: what "not modified" renews, and what may stand in for a
  /// failure.
  let candidate: CacheHit<Value>?
  let isBackground: Bool
  /// Requests that want the answer. When the last of them is cancelled so is the fetch, unless it
  /// is a refresh that nobody waits for.
  var interested = 0
  var waiters: [HybridWaiter<Value>] = []
  var task: Task<Void, Never>?
  /// Set when it is done.
  var result: CacheResult<Value>?
  /// Then the bytes of its value, where each who waits is to have a value of its own.
  var data: Data?

  init(candidate: CacheHit<Value>?, isBackground: Bool) {
    self.candidate = candidate
    self.isBackground = isBackground
  }
}

/// A request that waits for a fetch.
final class HybridWaiter<Value: Sendable>: @unchecked Sendable {
  var continuation: CheckedContinuation<CacheResult<Value>, Never>?
  var isCancelled = false

  init() {}
}
