// The system's C library under one name: modules import this one in place of three.

#if canImport(Darwin)
  @_exported import Darwin
#elseif canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#endif

/// A thread that is either joined, so that it may use the stack of its starter, or detached.
package struct JoinedThread {
  private let thread: pthread_t

  private final class Box {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  package init?(_ body: @escaping () -> Void) {
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

  /// Lets the thread end by itself; it must own everything that it uses.
  package func detach() { pthread_detach(thread) }

  package func join() { pthread_join(thread, nil) }
}
