#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A thread of its own for something that lasts: a thread of Dispatch's would be missing elsewhere.
enum WriterThread {
  private final class Box {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Runs `body` in a new thread, behind what the user waits for; false where there is none.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = Unmanaged.passRetained(Box(body)).toOpaque()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
      pthread_attr_set_qos_class_np(&attributes, QOS_CLASS_UTILITY, 0)
      var thread: pthread_t?
      let failed = pthread_create(
        &thread, &attributes,
        { context in
          Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
          return nil
        }, context)
    #else
      var thread = pthread_t()
      let failed = pthread_create(
        &thread, &attributes,
        { context in
          context.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
          return nil
        }, context)
    #endif
    if failed != 0 { Unmanaged<Box>.fromOpaque(context).release() }
    return failed == 0
  }
}
