import Foundation
import Larder

/// A disk that becomes full and has room again, while a cache works on it: errors, but no wrong
/// value, no loss of acknowledged values, and a cache that works as soon as there is room.
enum FullScenario: Scenario {
  static let name = "full"
  static let summary = "a disk that is full now and then"
  static let rounds = 2_000
  private static let keys = 40

  static func launch(_ program: String, _ arguments: [String]) -> Launch {
    FillableDisk.launch(program, arguments)
  }

  /// A round in progress.
  private struct Run {
    let disk: FillableDisk
    let configuration: DiskConfiguration
    var cache: BlockingDiskCache
    var model: FaultModel<EntryKey>
    var version: UInt64 = 0
    var isFull = false
    var failures = 0
  }

  static func round(_ random: inout Random, _ counts: inout Counts) throws {
    let disk = try FillableDisk()
    let durability = random.pick([DiskDurability.normal, .normal, .full, .none])
    let configuration = try DiskConfiguration.unlimited(
      &random, durability, isEncrypted: random.oneIn(5))
    var run = Run(
      disk: disk, configuration: configuration,
      cache: try BlockingDiskCache(path: disk.folder + "/cache", configuration: configuration),
      model: FaultModel(
        Dictionary(uniqueKeysWithValues: (0..<keys).map { (EntryKey($0), nil) }), durability))
    for step in 0..<(50 + random.below(150)) {
      if random.oneIn(12) {
        run.isFull.toggle()
        if run.isFull {
          disk.fill(leaving: random.pick([0, 0, 4_096, 30_000, 200_000]))
        } else {
          disk.empty()
        }
      }
      let hasFailed = try operate(&run, &random)
      if hasFailed {
        counts["failed calls", default: 0] += 1
        // Errors may occur only on a full disk.
        try require(run.isFull, "step \(step): a call fails though the disk has room")
      }
      counts["calls", default: 0] += 1
      if random.oneIn(25) { try crash(run, &random, &counts) }
      if random.oneIn(60) { try reopen(&run, &counts) }
    }
    try finish(&run)
  }

  /// Performs one operation, and returns true if it failed.
  private static func operate(_ run: inout Run, _ random: inout Random) throws -> Bool {
    let key = EntryKey(random.below(keys))
    let kind = random.below(24)
    do {
      switch kind {
      case 0..<12:
        run.version += 1
        let isStored = try run.cache.set(
          PatternValue.make(key, run.version), for: key.key, suite: key.suite)
        try require(isStored, "\(key) is refused")
        run.model.noted(key, run.version, hasSucceeded: true)
      case 12..<16:
        try run.cache.remove(key.key, suite: key.suite)
        run.model.noted(key, nil, hasSucceeded: true)
      case 16:
        try run.cache.removeAll()
        try require(run.cache.count == 0, "entries are left after clearing")
        run.model.removed({ _ in true }, hasSucceeded: true)
      case 17:
        try run.cache.removeAll(suite: key.suite)
        run.model.removed({ $0.suite == key.suite }, hasSucceeded: true)
      case 18:
        try run.cache.trim(toCount: random.below(10))
        run.model.trimmed(hasSucceeded: true)
      case 19:
        try run.cache.flush()
        run.model.flushed(hasSucceeded: true)
      default:
        let found = try History.find(key, in: run.cache)
        try run.model.found(key, found?.value)
      }
    } catch let error as DiskCacheError {
      switch error {
      case .database, .files: break
      default: throw Failure("unexpected: \(error)")
      }
      switch kind {
      case 0..<12: run.model.noted(key, run.version, hasSucceeded: false)
      case 12..<16: run.model.noted(key, nil, hasSucceeded: false)
      case 16: run.model.removed({ _ in true }, hasSucceeded: false)
      case 17: run.model.removed({ $0.suite == key.suite }, hasSucceeded: false)
      case 18: run.model.trimmed(hasSucceeded: false)
      case 19: run.model.flushed(hasSucceeded: false)
      default: break
      }
      return true
    }
    return false
  }

  /// Checks a copy of the folder, as if the process had been killed now.
  private static func crash(
    _ run: Run, _ random: inout Random, _ counts: inout Counts
  ) throws {
    // The copy and its cache need room.
    if run.isFull, ProcessInfo.processInfo.environment[FillableDisk.mountVariable] == nil {
      return
    }
    let copy = try Scratch(copyOf: run.disk.folder + "/cache")
    let cache = try BlockingDiskCache(path: copy.path, configuration: run.configuration)
    for number in 0..<keys {
      let key = EntryKey(number)
      try run.model.checkLater(
        key, try History.find(key, in: cache)?.value, "crash (\(run.configuration.durability))")
    }
    try require(cache.statistics.rebuilds == 0, "crash: \(cache.damage ?? "none")")
    try cache.close()
    counts["crashes", default: 0] += 1
  }

  /// Closes the cache, which must release the folder, and reopens it, if the disk permits.
  private static func reopen(_ run: inout Run, _ counts: inout Counts) throws {
    let isClosed = (try? run.cache.close()) != nil
    try require(isClosed || run.isFull, "closing fails though the disk has room")
    run.model.flushed(hasSucceeded: isClosed)
    var again = try? BlockingDiskCache(
      path: run.disk.folder + "/cache", configuration: run.configuration)
    if again == nil {
      try require(run.isFull, "opening fails though the disk has room")
      run.isFull = false
      run.disk.empty()
      again = try BlockingDiskCache(
        path: run.disk.folder + "/cache", configuration: run.configuration)
    }
    guard let again else { return }
    run.cache = again
    run.model.isReopened()
    counts["openings", default: 0] += 1
  }

  /// Checks that the same cache works again with room, and so does the next one.
  private static func finish(_ run: inout Run) throws {
    run.disk.empty()
    run.isFull = false
    for number in 0..<keys {
      let key = EntryKey(number)
      try run.model.found(key, try History.find(key, in: run.cache)?.value)
    }
    for number in 0..<10 {
      let key = EntryKey(number)
      run.version += 1
      try require(
        try run.cache.set(PatternValue.make(key, run.version), for: key.key, suite: key.suite),
        "with room again \(key) is refused")
      run.model.noted(key, run.version, hasSucceeded: true)
      try run.model.found(key, try History.find(key, in: run.cache)?.value)
    }
    try require(run.cache.statistics.rebuilds == 0, "\(run.cache.damage ?? "none")")
    try run.cache.close()
    run.model.flushed(hasSucceeded: true)
    let last = try BlockingDiskCache(
      path: run.disk.folder + "/cache", configuration: run.configuration)
    for number in 0..<keys {
      let key = EntryKey(number)
      try run.model.checkLater(key, try History.find(key, in: last)?.value, "at the end")
    }
    try require(last.statistics.damages == 0, "\(last.statistics)")
    try last.close()
  }
}
