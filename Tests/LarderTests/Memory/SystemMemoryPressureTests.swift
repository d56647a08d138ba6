#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import Larder

  @Suite(.endsInTime) struct SystemMemoryPressureTests {
    @Test func unwatchableFileIsAnError() {
      #expect(throws: MemoryCacheError.self) {
        try SystemMemoryPressure(path: "/nowhere/memory.pressure")
      }
      let error = MemoryCacheError.memoryPressure(path: "/nowhere/memory.pressure", code: 2)
      #expect(
        "\(error)".hasPrefix("/nowhere/memory.pressure: cannot observe memory pressure: No such")
      )
    }

    /// Any writable file accepts the triggers; it just never fires.
    @Test func triggersAreRegisteredAndFilesClosed() throws {
      let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("pressure-\(UUID().uuidString)").path
      try Data().write(to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      // Some never start.
      for round in 0..<1_000 {
        let source = try SystemMemoryPressure(path: path)
        if round % 2 == 0 {
          source.start { _ in }
          source.stop()
        }
        // The thread closes its files some time after `stop`.
        let end = ContinuousClock.now + .seconds(120)
        while openFiles(path) > 200, ContinuousClock.now < end { usleep(1000) }
        try #require(openFiles(path) <= 200, "the files of stopped sources stay open")
      }
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text == "full 100000 2000000\0")
    }

    @Test(.enabled(if: access("/proc/pressure/memory", R_OK | W_OK) == 0))
    func kernelAcceptsTheTriggers() throws {
      let source = try SystemMemoryPressure(path: "/proc/pressure/memory")
      source.start { _ in }
      source.stop()
    }

    /// Number of this process's descriptors of the file, which other tests do not use.
    private func openFiles(_ path: String) -> Int {
      let folder = "/proc/self/fd"
      let open = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return open.count { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == path
      }
    }
  }
#endif
