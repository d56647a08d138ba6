import Foundation
import Testing

@testable import Larder

/// Counts of cancelled fetches and lost events.
@Suite struct HybridCountTests {
  let folder: ScratchFolder
  init() throws { folder = try ScratchFolder() }

  /// A loader whose task was cancelled may throw any error.
  @Test(.timeLimit(.minutes(30))) func cancelledFetchIsNoFailure() async throws {
    let cache = try await HybridCache<String, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration())
    let (entered, gate) = (Gate(), Gate())
    let request = Task {
      await cache.result(for: "a") { _ in
        await withTaskCancellationHandler {
          entered.open()
          await gate.pass()
        } onCancel: {
          gate.open()
        }
        throw OriginFailure()
      }.kind
    }
    await entered.pass()
    request.cancel()
    #expect(await request.value == "failure CancellationError")
    while cache.readStatistics().loads.cancelled == 0 { await Task.yield() }
    #expect(cache.readStatistics().loads.failed == 0)
  }

  @Test func theQueueKeepsTheNewest() {
    var queue = HybridEventQueue()
    #expect(queue.takeAll().isEmpty)
    let count = HybridEventQueue.eventsMax + 10
    for key in 0..<count { queue.append(HybridEvent(.hit, key: "\(key)", tier: nil)) }
    let events = queue.takeAll()
    guard case .dropped(10) = events.first?.kind else {
      Issue.record("\(String(describing: events.first))")
      return
    }
    #expect(events.dropFirst().map(\.key) == (10..<count).map { "\($0)" })
    #expect(queue.dropped == 10)
    queue.append(HybridEvent(.hit, key: "x", tier: nil))
    #expect(queue.takeAll().map(\.key) == ["x"])
  }

  @Test func lostEventsAreCounted() throws {
    let cache = try HybridCache<Int, Int>(
      configuration: HybridTestCaches.configuration(disk: nil))
    let stream = cache.eventStream(buffered: 10)
    for key in 0..<15 { _ = try cache.entry(for: key) }
    #expect(cache.readStatistics().droppedEvents == 5)
    withExtendedLifetime(stream) {}
    let memory = MemoryCache<Int, Int>(count: 10)
    let ofMemory = memory.eventStream(buffered: 10)
    for key in 0..<15 { _ = memory.value(for: key) }
    #expect(memory.statistics.droppedEvents == 5)
    withExtendedLifetime(ofMemory) {}
    let disk = try BlockingDiskCache(path: folder.path)
    let ofDisk = disk.eventStream(buffered: 10)
    for key in 0..<15 { _ = try disk.value(for: "\(key)") }
    #expect(disk.statistics.droppedEvents == 5)
    withExtendedLifetime(ofDisk) {}
  }
}
