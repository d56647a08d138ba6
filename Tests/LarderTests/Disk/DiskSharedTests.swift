import Foundation
import LarderEngine
import LarderLibc
import TestSupport
import Testing

@testable import DiskCacheVictim
@testable import Larder

/// Reading of a cache that another process has: a child owns the folder, the test reads.
@Suite(.endsInTime, .serialized) struct DiskSharedTests {
  /// Storage of the values.
  struct Storage: Sendable, CustomTestStringConvertible {
    var key: String?
    var hasSegments = false
    var testDescription: String {
      "\(key == nil ? "plain" : "encrypted")\(hasSegments ? ", segments" : "")"
    }
    var options: String { "normal+shared" + (hasSegments ? "+segments" : "") }
  }

  private static let storages: [Storage] = [
    Storage(), Storage(hasSegments: true), Storage(key: "0123456789abcdef"),
    Storage(key: "0123456789abcdef0123456789abcdef", hasSegments: true),
  ]

  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    path = folder.path + "/cache"
  }

  private func owner(_ storage: Storage = Storage()) throws -> OwnerProcess {
    let owner = try OwnerProcess(folder: path, storage.options, key: storage.key)
    #expect(owner.answer == "open")
    return owner
  }

  private func reader(_ storage: Storage = Storage()) throws -> DiskCacheReader {
    try DiskCacheReader(
      path: path, encryption: try storage.key.map { try DiskEncryption(key: Data($0.utf8)) })
  }

  private func version(_ reader: DiskCacheReader, _ key: Int, _ suite: String = "") throws
    -> UInt64?
  {
    guard let value = try reader.value(for: "key \(key)", suite: suite) else { return nil }
    let version = VictimValue.version(of: value, key: key)
    let found: UInt64 = try #require(version, "wrong value of key \(key)")
    return found
  }

  /// Every file of the folder with its bytes.
  private func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      contents[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data()
    }
    return contents
  }

  // MARK: The owner is open

  @Test(arguments: storages) func whatTheOwnerStoresIsRead(_ storage: Storage) throws {
    let reader = try reader(storage)
    #expect(try reader.value(for: "key 1") == nil && !reader.contains("key 1"))
    let owner = try owner(storage)
    #expect(try reader.value(for: "key 1") == nil)
    // Five sizes, in the row and in files.
    for key in 0..<10 { try owner("set \(key) \(100 + key)") }
    try owner("set 3 7 other")
    #expect(owner.answer == "ok")
    for key in 0..<10 {
      #expect(try version(reader, key) == UInt64(100 + key))
      #expect(try reader.contains("key \(key)"))
      let metadata = try #require(try reader.entry(for: "key \(key)")).metadata
      #expect(metadata.version == "\(100 + key)" && metadata.expires == nil)
    }
    #expect(try version(reader, 3, "other") == 7)
    #expect(try reader.value(for: "key 4", suite: "other") == nil)
    #expect(try reader.value(for: "key 4", suite: "none") == nil)
    let many = try reader.values(for: (0..<20).map { "key \($0)" })
    #expect(many.count == 10)
    // Replaced and removed.
    for key in 0..<10 where key != 5 { try owner("set \(key) \(200 + key)") }
    try owner("remove 5")
    for key in 0..<10 {
      #expect(try version(reader, key) == (key == 5 ? nil : UInt64(200 + key)))
    }
    #expect(try !reader.contains("key 5"))
  }

  @Test func expiredEntriesAreMissesUnlessAccepted() throws {
    let owner = try owner()
    try owner("expired 1")
    let reader = try reader()
    #expect(try reader.value(for: "key 1") == nil && !reader.contains("key 1"))
    let entry = try #require(try reader.entry(for: "key 1", acceptingExpired: true))
    #expect(entry.metadata.isExpired && entry.data == Data("1".utf8))
    // A clock that was an hour and more ahead when the entry was stored.
    let early = try DiskCacheReader(path: path, clock: ManualClock(seconds: 1_000))
    #expect(try early.value(for: "key 1") == nil)
  }

  @Test(arguments: storages) func evictedAndClearedEntriesAreMisses(_ storage: Storage) throws {
    let (owner, reader) = (try owner(storage), try reader(storage))
    for key in 0..<20 { try owner("set \(key) \(key + 1)") }
    try owner("trim 5")
    let found = try (0..<20).filter { try version(reader, $0) != nil }
    #expect(found == Array(15..<20))
    try owner("clear")
    for key in 0..<20 { #expect(try version(reader, key) == nil) }
    try owner("set 1 9")
    #expect(try version(reader, 1) == 9)
  }

  /// Values are whole, their key's, and never older than one that was read before, while the owner
  /// stores, removes, renews, recycles and moves its log, until it is killed.
  @Test(arguments: storages) func valuesAreWholeWhileTheOwnerWorks(_ storage: Storage) throws {
    let (owner, reader) = (try owner(storage), try reader(storage))
    try owner.send("churn 1000000")
    var latest: [Int: UInt64] = [:]
    var hits = 0
    while hits < 400 {
      let key = Int.random(in: 0..<40)
      guard let version = try version(reader, key) else { continue }
      hits += 1
      #expect(version >= latest[key] ?? 0, "key \(key)")
      latest[key] = version
    }
    owner.kill()
    // Without an owner, the log is read as it was left.
    let left = try (0..<40).map { try version(reader, $0) }
    for (key, version) in latest { #expect(left[key] ?? .max >= version) }
    let cache = try BlockingDiskCache(
      path: path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0),
        encryption: try storage.key.map { try DiskEncryption(key: Data($0.utf8)) },
        isShared: true))
    #expect(cache.statistics.damages == 0 && cache.statistics.rebuilds == 0)
    for key in 0..<40 {
      let value = try cache.value(for: "key \(key)")
      #expect(value.flatMap { VictimValue.version(of: $0, key: key) } == left[key])
      #expect(try reader.value(for: "key \(key)") == value)
    }
  }

  @Test func openingAndClosingIsNoticed() throws {
    let (owner, reader) = (try owner(), try reader())
    try owner("set 1 5")
    try owner("set 3 6")
    for round in 0..<30 {
      try owner.send(round % 2 == 0 ? "close" : "open")
      #expect(try version(reader, 1) == 5)
      #expect(try version(reader, 3) == 6)
      #expect(owner.receive() == "ok")
      #expect(try version(reader, 1) == 5)
    }
  }

  // MARK: The folder

  @Test func folderThatIsDestroyedIsEmpty() throws {
    let (owner, reader) = (try owner(), try reader())
    for round in UInt64(1)...5 {
      for key in 0..<5 { try owner("set \(key) \(round)") }
      #expect(try version(reader, 3) == round)
      try owner("destroy")
      for key in 0..<5 { #expect(try version(reader, key) == nil) }
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try owner("open") == "ok")
      for key in 0..<5 { #expect(try version(reader, key) == nil) }
    }
    try owner("set 1 9")
    try FileManager.default.removeItem(atPath: path)
    #expect(try version(reader, 1) == nil)
    // The owner starts anew at its path.
    try owner("set 2 10")
    #expect(try version(reader, 1) == nil && version(reader, 2) == 10)
  }

  @Test func missingOrDamagedValueIsAMissAndStays() throws {
    let (owner, reader) = (try owner(), try reader())
    for key in 0..<10 { try owner("set \(key) \(100 + key)") }
    let files = try FileManager.default.subpathsOfDirectory(atPath: path + "/files")
      .map { path + "/files/" + $0 }.filter { !(isFolder($0)) }.sorted()
    try #require(files.count == 4)
    try FileManager.default.removeItem(atPath: files[0])
    try Data("other".utf8).write(to: URL(fileURLWithPath: files[1]))
    let found = try (0..<10).filter { try version(reader, $0) != nil }
    #expect(found.count == 8)
    #expect(try Data(contentsOf: URL(fileURLWithPath: files[1])) == Data("other".utf8))
  }

  private func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  @Test(arguments: storages) func readingChangesNothing(_ storage: Storage) throws {
    let (owner, reader) = (try owner(storage), try reader(storage))
    for key in 0..<10 { try owner("set \(key) \(100 + key)") }
    // Killed: the log holds everything.
    owner.kill()
    let killed = try contents()
    #expect((killed["index.sqlite-wal"]?.count ?? 0) > 0)
    for key in 0..<10 { #expect(try version(reader, key) == UInt64(100 + key)) }
    #expect(try contents() == killed)
    // Closed: the log is empty.
    let second = try self.owner(storage)
    try second("close")
    let closed = try contents()
    #expect(closed["index.sqlite-wal"]?.count == 0)
    for key in 0..<10 { #expect(try version(reader, key) == UInt64(100 + key)) }
    #expect(try contents() == closed)
  }

  #if os(Linux)
    @Test func nothingIsHeldBetweenCalls() throws {
      let (owner, reader) = (try owner(), try reader())
      for key in 0..<10 { try owner("set \(key) \(100 + key)") }
      for key in 0..<10 { _ = try reader.value(for: "key \(key)") }
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      #expect(!open.isEmpty && !open.contains { $0.hasPrefix(path) })
    }
  #endif

  // MARK: What cannot be read

  @Test func cacheThatIsNotSharedIsAnError() throws {
    let error = DiskCacheError.notShared(path: path)
    let reader = try reader()
    do {
      let owner = try OwnerProcess(folder: path, "normal")
      try owner("set 1 5")
      #expect(throws: error) { try reader.value(for: "key 1") }
      try owner("close")
    }
    #expect(throws: error) { try reader.value(for: "key 1") }
    #expect(!FileManager.default.fileExists(atPath: path + "/index.sqlite-shm"))
    // Shared from now on, and then no more.
    do {
      let owner = try owner()
      #expect(try version(reader, 1) == 5)
      try owner("set 2 6")
      try owner("close")
      #expect(try version(reader, 2) == 6)
    }
    do {
      let owner = try OwnerProcess(folder: path, "normal")
      try owner("set 3 7")
      try owner("remove 2")
      try owner("close")
    }
    #expect(throws: error) { try reader.value(for: "key 1") }
    let owner = try owner()
    #expect(owner.answer == "open")
    #expect(try version(reader, 1) == 5 && version(reader, 2) == nil && version(reader, 3) == 7)
  }

  @Test func wrongTagsAreRepaired() throws {
    do {
      let owner = try owner()
      for key in 0..<10 { try owner("set \(key) \(100 + key)") }
      try owner("close")
    }
    try FileManager.default.removeItem(atPath: path + "/snapshot")
    let database = try SQLiteConnection(path: path + "/index.sqlite", busyMilliseconds: 0)
    try database.execute(
      "UPDATE tags SET tag = tag + 1 WHERE id < 4; DELETE FROM tags WHERE id = 5")
    try database.execute("INSERT INTO tags VALUES(77, 5)")
    database.close()
    let owner = try owner()
    #expect(owner.answer == "open")
    let reader = try reader()
    for key in 0..<10 { #expect(try version(reader, key) == UInt64(100 + key)) }
  }

  @Test func damagedDatabaseIsAnErrorAndStays() throws {
    do {
      let owner = try owner()
      for key in 0..<10 { try owner("set \(key) \(100 + key)") }
      try owner("close")
    }
    let database = URL(fileURLWithPath: path + "/index.sqlite")
    let whole = try Data(contentsOf: database)
    let reader = try reader()
    var outcomes: Set<String> = []
    for page in 0..<(whole.count / 4096) {
      var damaged = whole
      for offset in 0..<512 {
        damaged[page * 4096 + offset] ^= UInt8(truncatingIfNeeded: offset | 1)
      }
      try damaged.write(to: database)
      let before = try contents()
      for key in 0..<10 {
        do throws(DiskCacheError) {
          let value = try reader.value(for: "key \(key)")
          let isRight = value.map { VictimValue.version(of: $0, key: key) == UInt64(100 + key) }
          #expect(isRight ?? true)
          outcomes.insert(value == nil ? "miss" : "hit")
        } catch {
          switch error {
          case .damaged, .database, .notShared, .format: outcomes.insert("error")
          default: Issue.record("\(error)")
          }
        }
      }
      #expect(try contents() == before)
    }
    #expect(outcomes.contains("error") && outcomes.contains("hit"))
    try whole.write(to: database)
    #expect(try version(reader, 3) == 103)
    try Data("no database at all, but text".utf8).write(to: database)
    #expect {
      try reader.value(for: "key 1")
    } throws: {
      if case DiskCacheError.damaged = $0 { true } else { false }
    }
  }

  @Test func keyMustFit() throws {
    let storage = Self.storages[2]
    let owner = try owner(storage)
    try owner("set 1 5")
    let path = path + "/index.sqlite"
    #expect(throws: DiskCacheError.keyMissing(path: path)) {
      try reader().value(for: "key 1")
    }
    #expect(throws: DiskCacheError.wrongKey(path: path)) {
      try reader(Storage(key: "another-key-0000")).value(for: "key 1")
    }
    #expect(try version(reader(storage), 1) == 5)
  }

  @Test func sharingNeedsALog() throws {
    #expect(
      throws: DiskCacheError.limit(
        "durability", "none", expected: "normal or full in a shared cache")
    ) {
      try BlockingDiskCache(
        path: path, configuration: DiskConfiguration(durability: .none, isShared: true))
    }
  }

  @Test func typedValuesOfHybridAreRead() throws {
    var configuration = HybridCacheConfiguration()
    configuration.disk = DiskConfiguration(limits: DiskLimits(freeBytes: 0), isShared: true)
    let cache = try HybridCache<Int, [String]>(path: path, configuration: configuration)
    try cache.set(["a", "b"], for: 17)
    // In the same process, too.
    let reader = try reader()
    #expect(try reader.value(for: 17, codec: .json) == ["a", "b"])
    #expect(try reader.value(for: 18, codec: DiskCodec<[String]>.json) == nil)
    #expect(throws: DiskCacheError.self) {
      try reader.value(for: 17, codec: DiskCodec<String>.text)
    }
    try cache.close()
    #expect(try reader.value(for: 17, codec: .json) == ["a", "b"])
  }

  /// An owner leaves a snapshot; the next one, another process, changes entries, and is killed or
  /// closes. The third has what the second has left.
  @Test(arguments: [false, true])
  func writesAfterASnapshotOfAnotherProcessAreSeen(isKilled: Bool) throws {
    do {
      let owner = try owner()
      for key in 0..<10 { try owner("set \(key) \(100 + key)") }
      try owner("close")
    }
    #expect(FileManager.default.fileExists(atPath: path + "/snapshot"))
    let reader = try reader()
    do {
      let owner = try owner()
      for key in 0..<10 { #expect(try version(reader, key) == UInt64(100 + key)) }
      try owner("set 3 203")
      try owner("set 12 212")
      try owner("remove 4")
      if isKilled { owner.kill() } else { try owner("close") }
    }
    let cache = try BlockingDiskCache(
      path: path,
      configuration: DiskConfiguration(limits: DiskLimits(freeBytes: 0), isShared: true))
    #expect(cache.count == 10 && cache.statistics.damages == 0)
    for key in 0..<13 {
      let value = try cache.value(for: "key \(key)")
      let found = value.flatMap { VictimValue.version(of: $0, key: key) }
      let stored: [Int: UInt64] = [3: 203, 12: 212]
      let expected = stored[key] ?? (key < 10 && key != 4 ? UInt64(100 + key) : nil)
      #expect(try found == expected && version(reader, key) == expected, "\(key)")
    }
  }

  @Test func readersInTheOwnersProcessDoNotPreventOpening() throws {
    let reader = try reader()
    let done = Locked(false)
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      if thread > 0 {
        while !done.withLock({ $0 }) {
          _ = try? reader.value(for: "a")
          usleep(200)
        }
        return
      }
      defer { done.withLock { $0 = true } }
      for round in 0..<50 {
        do {
          let cache = try BlockingDiskCache(
            path: path,
            configuration: DiskConfiguration(limits: DiskLimits(freeBytes: 0), isShared: true))
          try cache.set(Data("\(round)".utf8), for: "a")
          #expect(try reader.value(for: "a") == Data("\(round)".utf8))
          try cache.close()
        } catch {
          Issue.record("\(error)")
        }
      }
    }
  }
}
