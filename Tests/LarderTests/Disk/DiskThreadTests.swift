import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Larder

/// Several threads on one cache: each get returns a value that was stored for its key.
@Suite(.endsInTime) struct DiskThreadTests {
  /// A lookup that is repeated, because another value was stored while the first was read, counts
  /// as one use.
  @Test(arguments: 0..<6)
  func repeatedLookupIsOneUse(usesOfOther: Int) throws {
    var kept: [[Bool]] = []
    for isRepeated in [false, true] {
      let (folder, files) = (try ScratchFolder(isSmall: true), FaultyFiles())
      let cache = try BlockingDiskCache(
        path: folder.path,
        configuration: DiskConfiguration(
          policy: .lfu, limits: DiskLimits(count: 2, freeBytes: 0), inlineBytesMax: 0),
        clock: ManualClock(), files: files)
      for key in ["a", "b"] { try cache.set(Data(count: 100), for: key) }
      for _ in 0..<usesOfOther { _ = try cache.value(for: "b") }
      if isRepeated {
        files.held.hold("read")
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { _ = try? cache.value(for: "a") }
        while files.held.waiting == 0 { usleep(1_000) }
        try cache.set(Data(count: 200), for: "a")
        try cache.set(Data(count: 300), for: "a")
        files.held.release()
        group.wait()
      } else {
        _ = try cache.value(for: "a")
        try cache.set(Data(count: 200), for: "a")
        try cache.set(Data(count: 300), for: "a")
      }
      #expect(Int(cache.statistics.hits) == usesOfOther + 1)
      try cache.set(Data(count: 100), for: "c")
      kept.append(try ["a", "b", "c"].map { try cache.contains($0) })
    }
    #expect(kept[0] == kept[1])
  }

  @Test(arguments: [DiskDurability.none, .normal], [false, true])
  func mixedCallsFromManyThreads(durability: DiskDurability, isEncrypted: Bool) throws {
    let folder = try ScratchFolder()
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: 30_000, freeBytes: 0), durability: durability,
        inlineBytesMax: 200, encryption: isEncrypted ? DiskEncryption(key: Data(count: 16)) : nil))
    let told = Atomic(0)
    let token = cache.onEvent { event in
      if event.kind == .hit { told.wrappingAdd(1, ordering: .relaxed) }
    }
    defer { token.cancel() }
    let wrong = Atomic(0)
    let hits = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var random = TestRandom(seed: UInt64(thread))
      for _ in 0..<400 {
        let key = random.below(30)
        do {
          switch random.below(12) {
          case 0: try cache.remove("\(key)")
          case 1 where random.below(20) == 0: try cache.removeAll()
          case 2 where random.below(20) == 0: try cache.flush()
          case 3:
            _ = try cache.toggleHitBefore("\(key)")
            try cache.renew("\(key)", version: "\(key)")
          case 4...6:
            let count = random.below(5) == 0 ? 2_000 : 100
            try cache.set(Data(repeating: UInt8(key), count: count), for: "\(key)")
          default:
            guard let data = try cache.value(for: "\(key)") else { continue }
            hits.wrappingAdd(1, ordering: .relaxed)
            let isRight = data.allSatisfy { $0 == UInt8(key) } && [100, 2_000].contains(data.count)
            if !isRight { wrong.wrappingAdd(1, ordering: .relaxed) }
          }
        } catch {
          wrong.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(hits.load(ordering: .relaxed) > 100)
    #expect(hits.load(ordering: .relaxed) == told.load(ordering: .relaxed))
    let statistics = cache.statistics
    #expect(Int(statistics.hits) == hits.load(ordering: .relaxed))
    #expect(statistics.damages == 0)
    #expect(cache.valueBytes <= 30_000)
  }
}
