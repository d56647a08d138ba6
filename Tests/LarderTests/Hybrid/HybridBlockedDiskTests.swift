import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// A hanging disk delays requests that need it, and no other task of the program.
@Suite(.endsInTime)
struct HybridBlockedDiskTests {
  let folder: ScratchFolder
  let files = FaultyFiles()
  init() throws { folder = try ScratchFolder() }

  /// Releases the disk after a while in any case, so that a failing test ends.
  private func letGo(after seconds: Double, _ isLate: Locked<Bool>) {
    Thread.detachNewThread { [files] in
      if !files.held.waitForRelease(seconds: seconds) {
        isLate.withLock { $0 = true }
        files.held.release()
      }
    }
  }

  @Test(.timeLimit(.minutes(30)), arguments: ["read", "write"])
  func otherTasksContinue(call: String) async throws {
    var configuration = HybridTestCaches.configuration(memory: 100, disk: 400)
    configuration.disk?.inlineBytesMax = 10
    let cache = try HybridCache<String, Data>(
      path: folder.path, configuration: configuration, codec: .data, files: files)
    let large = Data(repeating: 7, count: 5_000)
    let keys = (0..<max(40, ProcessInfo.processInfo.activeProcessorCount + 1)).map { "\($0)" }
    if call == "read" { for key in keys { try await cache.set(large, for: key) } }
    cache.handle(.critical)
    try await cache.set(large, for: "in memory")
    let isLate = Locked(false)
    files.held.hold(call)
    // Much longer than tests running in parallel occupy every thread.
    letGo(after: 600, isLate)
    let begun = Locked(0)
    let requests = keys.map { key in
      Task {
        begun.withLock { $0 += 1 }
        return await cache.result(for: key) { _ in .value(large) }.value
      }
    }
    while begun.withLock({ $0 }) < keys.count || files.held.waiting == 0 {
      if isLate.withLock({ $0 }) { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    // Enough to occupy every thread.
    try await Task.sleep(for: .milliseconds(200))
    let others = await withTaskGroup(of: Int.self) { group in
      for number in 0..<20 {
        group.addTask {
          await Task.yield()
          return number
        }
      }
      return await group.reduce(0, +)
    }
    #expect(others == 190)
    // A hit in memory waits for nothing.
    #expect(await cache.result(for: "in memory") { _ in .absent }.value == large)
    #expect(!isLate.withLock { $0 })
    files.held.release()
    for request in requests { #expect(await request.value == large) }
  }
}
