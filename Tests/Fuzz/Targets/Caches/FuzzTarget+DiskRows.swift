import Foundation
import Larder

extension FuzzTarget {
  /// A disk cache with changed rows and matching checksums, which only an attacker could write. It
  /// opens, or fails with a reason, and stays usable.
  static let diskRows = FuzzTarget("disk/rows", lengthMax: 256) { input in
    var choices = FuzzInput(input)
    let sample = try choices.pick(DiskSample.plain).get()
    FuzzScratch.remove("rows")
    defer { FuzzScratch.remove("rows") }
    let path = FuzzScratch.path("rows")
    try DiskSample.write(sample.files, to: path)
    try RowEditor.edit("\(path)/index.sqlite", times: 1 + choices.below(4), &choices)
    var configuration = sample.configuration
    configuration.policy = choices.pick(["lru", "fifo", "gdsf", "ttl", "s3-fifo", "lhd"])
    configuration.limits.bytes = choices.maybe { $0.unsigned(below: 4000) }
    configuration.limits.count = choices.maybe { $0.integer(below: 9) }
    let clock = FuzzClock(DiskSample.now)
    var latest: [String: Data] = [:]
    for _ in 0..<2 {
      let cache = try accepted(or: DiskCacheError.self) {
        try BlockingDiskCache(path: path, configuration: configuration, clock: clock)
      }
      guard let cache else { return }
      for (key, _) in DiskSample.values {
        _ = try accepted(or: DiskCacheError.self) { try cache.entry(for: key) }
      }
      _ = try accepted(or: DiskCacheError.self) {
        try cache.value(for: "number", suite: DiskSample.suite, codec: DiskCodec<Int>.json)
      }
      _ = try accepted(or: DiskCacheError.self) { try cache.suites() }
      for _ in 0..<6 { try DiskCalls.call(cache, &choices, &latest, clock) }
      _ = try accepted(or: DiskCacheError.self) { try cache.close() }
    }
  }
}
