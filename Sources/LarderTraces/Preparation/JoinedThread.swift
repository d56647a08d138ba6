#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread that is waited for, so that what it uses may live on the stack of its starter, or that
/// is left to end by itself.
struct JoinedThread {
  private let thread: pthread_t

  /// A closure that a C function can be handed.
  private final class Box {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Starts a thread; nil where the system has no more.
  init?(_ body: @escaping () -> Void) {
    let context = Unmanaged.passRetained(Box(body)).toOpaque()
    #if canImport(Glibc)
      var thread = pthread_t()
      let failed = pthread_create(
        &thread, nil,
        { context in
          context.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
          return nil
        }, context)
      let started: pthread_t? = failed == 0 ? thread : nil
    #else
      var started: pthread_t?
      let failed = pthread_create(
        &started, nil,
        { context in
          Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
          return nil
        }, context)
    #endif
    guard failed == 0, let started else {
      Unmanaged<Box>.fromOpaque(context).release()
      return nil
    }
    self.thread = started
  }

  /// Leaves it to end by itself. What it uses is its own.
  func detach() { pthread_detach(thread) }

  /// Waits until it has ended.
  func join() { pthread_join(thread, nil) }
}
