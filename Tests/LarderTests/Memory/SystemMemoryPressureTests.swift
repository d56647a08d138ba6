#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import Larder

  @Suite(.endsInTime) struct SystemMemoryPressureTests {
    @Test func whatCannotBeWatchedIsAnError() {
      #expect(throws: MemoryPressureError.self) {
        try SystemMemoryPressure(path: "/nowhere/memory.pressure")
      }
      let error = MemoryPressureError(path: "/nowhere/memory.pressure", code: 2)
      #expect(
        "\(error)".hasPrefix("/nowhere/memory.pressure: cannot observe memory pressure: No such")
      )
    }

    /// Any file that can be written takes the triggers; it only never tells of anything.
    @Test func triggersAreRegisteredAndTheFilesGivenBack() throws {
      let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("pressure-\(UUID().uuidString)").path
      try Data().write(to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      let cache = try MemoryCache<Int, Int>(count: 10)
      // Many more than a process may have files open, were they not closed; some never start.
      let limit = 1_000
      for round in 0..<limit {
        let source = try SystemMemoryPressure(path: path)
        if round % 2 == 0 {
          cache.observe(source)
          cache.stopObserving()
        }
        // The thread closes its files some time after `stop`.
        while openFiles() > 500 { sched_yield() }
      }
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text == "full 100000 2000000\0")
    }

    @Test(.enabled(if: access("/proc/pressure/memory", R_OK | W_OK) == 0))
    func theKernelTakesTheTriggers() throws {
      let source = try SystemMemoryPressure(path: "/proc/pressure/memory")
      let cache = try MemoryCache<Int, Int>(count: 10)
      cache.set(1, for: 1)
      cache.observe(source)
      cache.stopObserving()
      #expect(cache.get(1) == 1)
    }

    private func openFiles() -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
  }
#endif
