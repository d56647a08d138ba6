#if canImport(Darwin)
  import Dispatch
  import LarderEngine

  /// The system's memory pressure: on Apple's systems from a `DispatchSource`. A source serves one
  /// cache.
  package final class SystemMemoryPressure: MemoryPressureSource {
    private struct Active: @unchecked Sendable {
      let source: any DispatchSourceMemoryPressure
    }

    private let active = Locked<Active?>(nil)

    /// Creates a source that is not observed yet.
    package init() {}

    deinit { stop() }

    /// Calls `handler` at every change to a warning or to critical, until `stop`.
    package func start(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) {
      stop()
      let made = Active(
        source: DispatchSource.makeMemoryPressureSource(
          eventMask: [.warning, .critical], queue: .global(qos: .utility)))
      // `cancel` breaks this retain cycle.
      made.source.setEventHandler {
        handler(made.source.data.contains(.critical) ? .critical : .warning)
      }
      made.source.activate()
      active.withLock { $0 = made }
    }

    /// Stops the calls.
    package func stop() {
      active.withLock { active in
        active?.source.cancel()
        active = nil
      }
    }
  }
#elseif os(Linux)
  import Dispatch
  import LarderEngine
  import LarderLibc

  /// Memory pressure as measured by Linux: the share of time in which tasks waited for memory
  /// ("pressure stall information", kernel 4.20).
  ///
  /// Uses the process's own control group (version 2) if it has one, otherwise the machine. A
  /// trigger is registered with the kernel, which wakes a thread when some tasks waited for more
  /// than 5 % of two seconds (a warning), or all of them did (critical); nothing is polled. A
  /// source serves one cache, once: create another for another cache, and after `stop`.
  package final class SystemMemoryPressure: MemoryPressureSource {
    private struct State {
      /// Both ends of the pipe that ends the thread, which owns the reading end once it runs.
      var pipe: [Int32]
      var hasStarted = false
      var hasStopped = false
    }

    private let state: Locked<State>
    private let triggers: [(file: Int32, level: MemoryPressureLevel)]

    /// Registers with the kernel.
    ///
    /// - Parameter path: The file to watch; nil for that of the process's own group or the machine.
    /// - Throws: `MemoryCacheError.memoryPressure` if the kernel does not support or allow this.
    package init(path: String? = nil) throws(MemoryCacheError) {
      let path = path ?? SystemMemoryPressure.defaultPath
      var triggers: [(Int32, MemoryPressureLevel)] = []
      for (trigger, level) in [
        ("some 100000 2000000", MemoryPressureLevel.warning),
        ("full 100000 2000000", MemoryPressureLevel.critical),
      ] {
        let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        let written =
          file < 0 ? -1 : trigger.withCString { write(file, $0, trigger.utf8.count + 1) }
        guard written > 0 else {
          let code = errno
          if file >= 0 { close(file) }
          for (open, _) in triggers { close(open) }
          throw .memoryPressure(path: path, code: code)
        }
        triggers.append((file, level))
      }
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        let code = errno
        for (open, _) in triggers { close(open) }
        throw .memoryPressure(path: "pipe", code: code)
      }
      // Close on exec: otherwise `stop` would have no effect while a child process runs.
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      self.triggers = triggers
      state = Locked(State(pipe: ends))
    }

    deinit {
      stop()
      guard !state.withLock({ $0.hasStarted }) else { return }
      for trigger in triggers { close(trigger.file) }
      close(state.withLock { $0.pipe[0] })
    }

    /// Calls `handler` from its own thread, at most once in two seconds for each level, until
    /// `stop`.
    package func start(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) {
      let wake: Int32? = state.withLock { state in
        guard !state.hasStarted, !state.hasStopped else { return nil }
        state.hasStarted = true
        return state.pipe[0]
      }
      guard let wake else { return }
      PressureWaiter(triggers: triggers, wake: wake, handler: handler).run()
    }

    /// Stops the calls and the thread. A running call may still finish.
    package func stop() {
      state.withLock { state in
        guard !state.hasStopped else { return }
        state.hasStopped = true
        // The thread closes the other end and the triggers.
        close(state.pipe[1])
      }
    }

    private static var defaultPath: String {
      var group = ""
      if let file = fopen("/proc/self/cgroup", "re") {
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, Int32(line.count), file) != nil {
          let bytes = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
          let text = String(decoding: bytes, as: UTF8.self)
          if text.hasPrefix("0::") { group = String(text.dropFirst(3).dropLast()) }
        }
      }
      let own = "/sys/fs/cgroup\(group)/memory.pressure"
      return access(own, R_OK | W_OK) == 0 ? own : "/proc/pressure/memory"
    }
  }

  /// The thread that waits for the kernel. It owns the files that it waits on.
  private struct PressureWaiter: Sendable {
    let triggers: [(file: Int32, level: MemoryPressureLevel)]
    let wake: Int32
    let handler: @Sendable (MemoryPressureLevel) -> Void

    func run() { DispatchQueue(label: "larder.pressure").async { wait() } }

    private func wait() {
      while true {
        var waits = triggers.map { pollfd(fd: $0.file, events: Int16(POLLPRI), revents: 0) }
        waits.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0))
        let ready = poll(&waits, nfds_t(waits.count), -1)
        if ready < 0, errno == EINTR { continue }
        // The writing end was closed, or a trigger has failed.
        if ready < 0 || waits[triggers.count].revents != 0 { break }
        if waits.contains(where: { $0.revents & Int16(POLLERR) != 0 }) { break }
        // Only the more urgent level if both are due.
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
  }
#endif
