#if os(Linux)
  import Dispatch

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The thread that waits for the kernel. It owns the files that it waits on.
  struct PressureWaiter: Sendable {
    let triggers: [(file: Int32, level: MemoryPressureLevel)]
    let wake: Int32
    let handler: @Sendable (MemoryPressureLevel) -> Void

    func run() {
      let held = Unmanaged.passRetained(Box(self))
      var thread = pthread_t()
      let failed = pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().waiter.wait()
          return nil
        }, held.toOpaque())
      if failed == 0 {
        pthread_detach(thread)
      } else {
        // Without a thread to be had, one of the dispatch library's waits as soon as it has one.
        let waiter = held.takeRetainedValue().waiter
        DispatchQueue(label: "larder.pressure").async { waiter.wait() }
      }
    }

    private func wait() {
      while true {
        var waits = triggers.map { pollfd(fd: $0.file, events: Int16(POLLPRI), revents: 0) }
        waits.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0))
        let ready = poll(&waits, nfds_t(waits.count), -1)
        if ready < 0, errno == EINTR { continue }
        // The writing end has been closed, or a trigger is no more.
        if ready < 0 || waits[triggers.count].revents != 0 { break }
        if waits.contains(where: { $0.revents & Int16(POLLERR) != 0 }) { break }
        // The more urgent alone, where both are due.
        if let place = waits.indices.last(where: { waits[$0].revents != 0 }) {
          handler(triggers[place].level)
        }
      }
      closeAll()
    }

    private func closeAll() {
      for trigger in triggers { close(trigger.file) }
      close(wake)
    }

    private final class Box: Sendable {
      let waiter: PressureWaiter

      init(_ waiter: PressureWaiter) { self.waiter = waiter }
    }
  }
#endif
