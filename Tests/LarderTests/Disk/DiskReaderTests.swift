import Dispatch
import Foundation
import LarderEngine
import Synchronization
import TestSupport
import Testing

@testable import Larder

/// Rows read by separate connections without the cache's lock.
@Suite(.endsInTime) struct DiskReaderTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func configuration(
    _ durability: DiskDurability = .none, readersAfter: Int = 0, isEncrypted: Bool = false
  ) throws -> DiskConfiguration {
    var configuration = DiskConfiguration(
      limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability,
      encryption: isEncrypted ? try DiskEncryption(key: Data(count: 32)) : nil)
    configuration.readersAfter = readersAfter
    configuration.checkpointPages = 8
    return configuration
  }

  private func open(
    _ name: String = "cache", _ configuration: DiskConfiguration
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(path: "\(folder.path)/\(name)", configuration: configuration)
  }

  private func value(_ count: Int, _ seed: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 37 ^ $0 >> 8) })
  }

  private func connections(_ cache: BlockingDiskCache) -> Int {
    cache.withLock { $0.index?.readers.openCount ?? 0 }
  }

  @Test(arguments: [false, true])
  func everyKindOfRowIsReadWhole(isEncrypted: Bool) throws {
    // In a URI, `?` would begin a parameter and `%` a character.
    let cache = try open("a?b#c%20d ü", try configuration(isEncrypted: isEncrypted))
    let sizes = [0, 1, 14, 15, 1_000, 4_000, 4_100, 20_000]
    let keys = ["", "k", "ключ", String(repeating: "long", count: 5_000)]
    for (place, size) in sizes.enumerated() {
      for key in keys {
        let options =
          place % 2 == 0
          ? DiskStoreOptions() : DiskStoreOptions(version: "v\(size)", contentType: "text/plain")
        try cache.set(value(size, place), for: key + "\(size)", suite: "s", options: options)
      }
    }
    #expect(connections(cache) == 0)
    try cache.flush()
    for round in 1...3 {
      for (place, size) in sizes.enumerated() {
        for key in keys {
          let entry = try #require(try cache.entry(for: key + "\(size)", suite: "s"))
          #expect(entry.data == value(size, place))
          #expect(entry.metadata.version == (place % 2 == 0 ? nil : "v\(size)"))
          #expect(entry.metadata.contentType == (place % 2 == 0 ? nil : "text/plain"))
        }
      }
      #expect(connections(cache) == 1)
      #expect(cache.statistics.hits == UInt64(round * sizes.count * keys.count))
    }
    #expect(cache.statistics.bytesRead == UInt64(3 * keys.count * sizes.reduce(0, +)))
    #expect(cache.statistics.damages == 0)
  }

  /// Values in the open transaction, or only in the log, are found; a checkpoint closes
  /// connections.
  @Test func rowsOutsideTheDatabaseFileAreRead() throws {
    let cache = try open("cache", try configuration())
    try cache.set(value(900, 1), for: "a")
    try cache.set(value(900, 2), for: "b")
    try cache.flush()
    #expect(try cache.value(for: "a") == value(900, 1))
    #expect(connections(cache) == 1)
    try cache.set(value(900, 3), for: "a")
    #expect(try cache.value(for: "a") == value(900, 3))
    #expect(try cache.value(for: "b") == value(900, 2))
    try cache.renew("b", version: "new")
    #expect(try cache.entry(for: "b")?.metadata.version == "new")
    #expect(connections(cache) == 1)
    try cache.flush()
    #expect(connections(cache) == 0)
    #expect(try cache.value(for: "a") == value(900, 3))
    #expect(try cache.entry(for: "b")?.metadata.version == "new")
    #expect(connections(cache) == 1)
    try cache.remove("a")
    #expect(try cache.value(for: "a") == nil)
    try cache.close()
    #expect(throws: DiskCacheError.self) { try cache.value(for: "b") }
  }

  /// Rows of an earlier process are read without the lock, and so are rows in the log once they
  /// have been read often.
  @Test func rowsLeaveTheLogWhenTheyAreReadOften() throws {
    var settings = try configuration(.normal)
    settings.checkpointPages = 4_000
    var cache = try open("cache", settings)
    for key in 0..<20 { try cache.set(value(1_000, key), for: "\(key)") }
    _ = try cache.value(for: "0")
    for _ in 0..<4_000 { _ = try cache.value(for: "1") }
    #expect(connections(cache) == 0)
    for _ in 0..<4_000 { _ = try cache.value(for: "1") }
    #expect(connections(cache) == 1)
    try cache.close()
    cache = try open("cache", settings)
    for key in 0..<20 { #expect(try cache.value(for: "\(key)") == value(1_000, key)) }
    #expect(connections(cache) == 1)
    #expect(cache.statistics.hits == 20)
  }

  /// A cache with readers returns and counts the same as one that reads only with the lock.
  @Test(arguments: DiskDurability.allCases, [false, true])
  func readersChangeNothing(durability: DiskDurability, isEncrypted: Bool) throws {
    var caches: [BlockingDiskCache] = []
    let clock = ManualClock(seconds: 1_000)
    for (name, readersAfter) in [("with", 0), ("without", Int.max)] {
      var settings = try configuration(
        durability, readersAfter: readersAfter, isEncrypted: isEncrypted)
      settings.policy = "s3-fifo"
      settings.limits.bytes = 60_000
      settings.countsRows = false
      settings.groupWrites = 7
      caches.append(
        try BlockingDiskCache(path: "\(folder.path)/\(name)", configuration: settings, clock: clock)
      )
    }
    var random = TestRandom(seed: 5)
    for step in 0..<3_000 {
      let key = "\(random.below(60) * random.below(4))"
      let (choice, size) = (random.below(40), random.below(3_000))
      let life: Duration? = random.below(4) == 0 ? .seconds(random.below(20)) : nil
      if random.below(10) == 0 { clock.advance(seconds: 1) }
      var answers: [DiskEntry?] = []
      for cache in caches {
        switch choice {
        case 0: try cache.flush()
        case 1: try cache.remove(key)
        case 2: try cache.renew(key, timeToLive: .seconds(30), version: "\(step)")
        case 3: _ = try cache.trim(toCount: 30)
        case 4...14:
          try cache.set(
            value(size, step), for: key,
            options: DiskStoreOptions(
              timeToLive: life, version: choice == 4 ? "v" : nil, isPermanent: choice == 5))
        default: answers.append(try cache.entry(for: key))
        }
      }
      #expect(answers.first == answers.last, "step \(step)")
    }
    #expect(caches[0].statistics == caches[1].statistics)
    #expect(caches[0].tierCounts == caches[1].tierCounts)
    #expect(caches[0].statistics.hits > 500)
    #expect(caches[0].valueBytes == caches[1].valueBytes)
  }

  private func forgetPages(_ cache: BlockingDiskCache) {
    cache.withLock { core in
      try? core.index?.log.checkpoint()
      try? core.index?.connection.execute("PRAGMA shrink_memory")
      core.index?.readers.close()
    }
  }

  /// Another process's change to the file is never a wrong value. A row damaged in place is a miss
  /// and removed.
  @Test(arguments: [false, true]) func aDamagedRowIsAMiss(isCached: Bool) throws {
    let cache = try open("cache", try configuration())
    for key in 0..<50 { try cache.set(value(1_000, key), for: "\(key)") }
    try cache.flush()
    if !isCached { forgetPages(cache) }
    let path = folder.path + "/cache/index.sqlite"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let found = try #require(bytes.range(of: value(1_000, 7)))
    bytes[found.lowerBound + 500] ^= 1
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.write(contentsOf: bytes)
    try file.close()
    // The writing connection has intact pages in memory.
    #expect(try cache.value(for: "7") == (isCached ? value(1_000, 7) : nil))
    #expect(cache.statistics.damages == (isCached ? 0 : 1))
    for key in 0..<50 where key != 7 {
      #expect(try cache.value(for: "\(key)") == value(1_000, key))
    }
    #expect(cache.statistics.hits == (isCached ? 50 : 49))
    #expect(cache.statistics.misses == (isCached ? 0 : 1))
    #expect(cache.statistics.bytesRead == 1_000 * cache.statistics.hits)
    #expect(try cache.contains("7") == isCached)
  }

  /// A get returns the value of its key at some moment of the call: operations of a key are
  /// numbered and performed by one thread, and the others know which had ended before and which
  /// began after.
  @Test(arguments: [DiskDurability.none, .normal], [false, true])
  func getsAreLinearisable(durability: DiskDurability, isEncrypted: Bool) throws {
    var settings = try configuration(durability, isEncrypted: isEncrypted)
    settings.groupWrites = 5
    let cache = try open("cache", settings)
    let (writers, keys) = (2, 12)
    let begun = (0..<keys).map { _ in Locked(0) }
    let ended = (0..<keys).map { _ in Locked(0) }
    let wrong = Atomic(0)
    let hits = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: writers + 3) { thread in
      var random = TestRandom(seed: UInt64(thread))
      for step in 0..<(thread < writers ? 600 : 4_000) {
        do {
          let key = random.below(keys)
          if thread < writers {
            guard key % writers == thread else { continue }
            let number = begun[key].withLock { number in
              number += 1
              return number
            }
            if number % 7 == 0 {
              try cache.remove("\(key)")
            } else {
              let text = "\(key) \(number) " + String(repeating: "x", count: random.below(1_500))
              try cache.set(Data(text.utf8), for: "\(key)")
            }
            ended[key].withLock { $0 = number }
            if step % 100 == 0 { try cache.flush() }
            if step % 150 == 0 { forgetPages(cache) }
          } else {
            let before = ended[key].withLock { $0 }
            let found = try cache.value(for: "\(key)")
            let after = begun[key].withLock { $0 }
            let isRight: Bool
            if let found {
              hits.wrappingAdd(1, ordering: .relaxed)
              let words = String(decoding: found, as: UTF8.self).split(separator: " ")
              let number = Int(words[1]) ?? -1
              isRight = words[0] == "\(key)" && before <= number && number <= after
            } else {
              isRight = (before...after).contains { $0 % 7 == 0 }
            }
            if !isRight { wrong.wrappingAdd(1, ordering: .relaxed) }
          }
        } catch {
          wrong.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(hits.load(ordering: .relaxed) > 1_000)
    #expect(cache.statistics.damages == 0)
    #expect(Int(cache.statistics.hits) == hits.load(ordering: .relaxed))
  }

  /// Evictions, clearing and closing while others read.
  @Test func storesAndRemovalsWhileOthersRead() throws {
    var settings = try configuration(.normal)
    settings.limits.bytes = 40_000
    let cache = try open("cache", settings)
    let wrong = Atomic(0)
    let closed = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var random = TestRandom(seed: UInt64(thread))
      for step in 0..<2_000 {
        let key = random.below(80)
        do {
          if thread == 0, step == 1_500 { try cache.close() }
          if thread == 0, step % 200 == 199 { try cache.removeAll() }
          if thread == 0 || step % 30 == 0 {
            try cache.set(Data(repeating: UInt8(key), count: 800), for: "\(key)")
          } else if let data = try cache.value(for: "\(key)") {
            let isRight = data.count == 800 && data.allSatisfy { $0 == UInt8(key) }
            if !isRight { wrong.wrappingAdd(1, ordering: .relaxed) }
          }
        } catch DiskCacheError.closed {
          closed.wrappingAdd(1, ordering: .relaxed)
        } catch {
          wrong.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(closed.load(ordering: .relaxed) >= 500)
    #expect(cache.statistics.damages == 0)
  }
}
