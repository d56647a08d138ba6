import Foundation
import Larder
import LarderLogging
import Logging
import Synchronization
import Testing

@Suite struct LoggingTests {
  /// A log handler that stores the entries.
  private final class Log: Sendable {
    let lines = Mutex<[String]>([])

    func logger(_ level: Logger.Level) -> Logger {
      Logger(label: "test") { _ in Handler(log: self, logLevel: level) }
    }
  }

  private struct Handler: LogHandler {
    let log: Log
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    init(log: Log, logLevel: Logger.Level) {
      self.log = log
      self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let said = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      log.lines.withLock {
        $0.append("\(event.level): \(event.message) [\(said.joined(separator: " "))]")
      }
    }
  }

  @Test func failedFetchesAreWarningsWithoutTheirKeys() async throws {
    let log = Log()
    let scratch = Scratch()
    let cache = try await HybridCache<String, String>(path: scratch.path)
    let token = cache.log(to: log.logger(.info), name: "c")
    _ = try? await cache.value(for: "secret") { _ in throw Refused() }
    _ = try await cache.value(for: "b") { _ in "of b" }
    try await cache.close()
    token.cancel()
    let lines = log.lines.withLock { $0 }
    #expect(
      lines.contains { $0.hasPrefix("warning: a fetch failed: ") && $0.hasSuffix("[cache=c]") })
    #expect(!lines.contains { $0.contains("secret") || $0.hasPrefix("debug") })
  }

  @Test func keysAndFetchesAreLoggedOnDemand() async throws {
    let log = Log()
    let scratch = Scratch()
    let cache = try await HybridCache<String, String>(path: scratch.path)
    let token = cache.log(to: log.logger(.debug), name: "c", logsKeys: true)
    _ = try await cache.value(for: "b") { _ in "of b" }
    try await cache.close()
    token.cancel()
    #expect(log.lines.withLock { $0 }.contains("debug: fetched [cache=c key=b]"))
  }

  /// Requests are a loop, in which LRU has no hits.
  @Test func changesOfThePolicyAreNotices() async throws {
    let log = Log()
    let scratch = Scratch()
    let configuration = DiskConfiguration(
      policy: "auto:policies=lru/mru", limits: DiskLimits(count: 100, freeBytes: 0),
      durability: .none)
    let disk = try BlockingDiskCache(path: scratch.path, configuration: configuration)
    var token = DiskCache(disk).log(to: log.logger(.info), name: "d")
    for index in 0..<12_000 where try disk.value(for: "\(index % 120)") == nil {
      try disk.set(Data(), for: "\(index % 120)")
    }
    token.cancel()
    try disk.close()
    let cache = try await HybridCache<Int, Int>(
      configuration: HybridCacheConfiguration(
        memory: MemoryTier(
          limits: MemoryCacheLimits(count: 100), policy: "auto:policies=lru/mru"),
        disk: nil))
    token = cache.log(to: log.logger(.info), name: "h")
    for index in 0..<12_000 {
      let key = index % 120
      if try await cache.value(for: key) == nil { try await cache.set(index, for: key) }
    }
    token.cancel()
    #expect(
      log.lines.withLock { $0 } == [
        "notice: the policy changed from lru to mru [cache=d]",
        "notice: the policy changed from lru to mru [cache=h tier=memory]",
      ])
  }

  @Test func damageOnDiskIsAWarning() throws {
    let log = Log()
    let scratch = Scratch()
    let cache = try BlockingDiskCache(
      path: scratch.path, configuration: DiskConfiguration(inlineBytesMax: 0))
    let token = DiskCache(cache).log(to: log.logger(.info), name: "c", logsKeys: true)
    try cache.set(Data(repeating: 7, count: 5000), for: "a")
    let names = try #require(FileManager.default.enumerator(atPath: scratch.path + "/files"))
    for case let name as String in names {
      let path = scratch.path + "/files/" + name
      if (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) == 5000 {
        try Data(repeating: 8, count: 5000).write(to: URL(fileURLWithPath: path))
      }
    }
    #expect(try cache.value(for: "a") == nil)
    token.cancel()
    #expect(
      log.lines.withLock { $0 } == [
        "warning: an entry was given up: its value was damaged or not written [cache=c key=a]"
      ])
    try cache.close()
  }
}
