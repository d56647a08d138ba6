/// Keeps a handler of events listening for as long as it lives.
public final class CacheEventToken: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }

  /// Ends the calls of the handler. One that is under way may still finish.
  public func cancel() { body() }
}
