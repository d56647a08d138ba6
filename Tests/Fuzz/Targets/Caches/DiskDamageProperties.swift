import Foundation
import Larder

/// Properties of a cache whose folder was damaged.
enum DiskDamageProperties {
  static func check(_ files: [DiskSample.File], _ configuration: DiskConfiguration) throws {
    FuzzScratch.remove("damaged")
    defer { FuzzScratch.remove("damaged") }
    let path = FuzzScratch.path("damaged")
    try DiskSample.write(files, to: path)
    let clock = FuzzClock(DiskSample.now)
    func open() throws -> BlockingDiskCache? {
      try accepted(or: DiskCacheError.self) {
        try BlockingDiskCache(path: path, configuration: configuration, clock: clock)
      }
    }
    guard let cache = try open() else { return }
    for (key, value) in DiskSample.values {
      let found = try accepted(or: DiskCacheError.self) { try cache.value(for: key) }
      if case .some(.some(let found)) = found {
        try require(found == value, "\(key) has \(found.count) bytes that were never stored")
      }
    }
    let number = try accepted(or: DiskCacheError.self) {
      try cache.value(for: "number", suite: DiskSample.suite, codec: DiskCodec<Int>.json)
    }
    if case .some(.some(let number)) = number {
      try require(number == 17, "\(number) was never stored")
    }
    _ = try accepted(or: DiskCacheError.self) { try cache.suites() }
    let fresh = Data("fresh".utf8)
    let isStored = try accepted(or: DiskCacheError.self) { try cache.set(fresh, for: "fresh") }
    let isRenewed = try accepted(or: DiskCacheError.self) { try cache.renew("inline-1") }
    _ = isRenewed
    _ = try accepted(or: DiskCacheError.self) { try cache.removeExpired() }
    let isClosed = try accepted(or: DiskCacheError.self) { try cache.close() } != nil
    guard let again = try open() else { throw FuzzFinding("opens once and then no more") }
    if isStored == true, isClosed {
      let found = try accepted(or: DiskCacheError.self) { try again.value(for: "fresh") }
      if case .some(let found) = found {
        try require(found == nil || found == fresh, "a wrong value was stored")
      }
    }
    _ = try accepted(or: DiskCacheError.self) { try again.close() }
  }
}
