import LarderEngine
import LarderPolicies

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A disk cache without its lock: one call at a time.
///
/// After every call three states agree: the tier, which knows the resident entries; the slots,
/// which describe each id; and the database as seen by the open transaction. `DiskTransaction`
/// shows the life of an entry.
final class DiskCore {
  var configuration: DiskConfiguration
  let clock: any CacheClock
  let path: String
  let files: any FileLayer
  var folder: DiskFolder
  var lock: FolderLock?
  private(set) var isClosed = false
  private(set) var isSuspended = false
  /// Nil once the cache is closed, and while the database cannot be opened: `openIndex` tries
  /// again.
  var index: DiskIndex?
  /// Created only by `remakeTier`, so that it has room for the ids of `reservedIDs`.
  private(set) var tier: CacheTier {
    didSet { hasVictims = Self.question(tier) }
  }
  private(set) var hasVictims: () -> Bool
  private var reservedIDs = DiskCore.reservedMin
  var statistics = TierStatistics()
  /// Damage because of which the database is to be set aside, as soon as that succeeds.
  var damageFound: DiskCacheError?
  var damage: String?
  var keptExpirations: UInt64 = 0

  var uses: DiskUses
  var slots = DiskSlots()
  private var swept = 0
  /// Keys of values in files that were read lately, so that a get need not read their rows.
  var fileKeys: [ObjectID: [UInt8]] = [:]
  private(set) var suites: [ExactName: UInt32] = [:]
  private(set) var suiteNames: [UInt32: String] = [:]
  var largestSuite: UInt32 = 0
  var codecs: [UInt32: String] = [:]
  var sequence: UInt64 = 0
  /// The sequence number when the last snapshot was begun.
  var snapshotSequence: UInt64 = 0
  /// Transactions begun when the database came to name a snapshot, which it does until the next.
  var snapshotTransactions: Int?
  var writing: DiskSnapshotWriting?
  /// Removals that are under way.
  var removals: [DiskRemoval] = []
  var total = DiskTotal()
  /// By suite.
  var totals: [UInt32: DiskTotal] = [:]

  var doomed: [ObjectID] = []
  /// Entries that must not reappear when the database is reopened.
  var losses = DiskLosses()
  var transaction = DiskTransaction()
  var removalsSinceShrinking = 0
  var hasShrunk = false
  var unsettledMoves: [DiskMove] = []
  var bytesSinceFreeCheck: UInt64 = .max

  private(set) var isHeard = false
  private var reportedLeader: Int?
  var heard: [CacheEvent<DiskEntryName>] = []

  init(
    path: String, _ configuration: DiskConfiguration, clock: any CacheClock, files: any FileLayer
  ) throws(DiskCacheError) {
    self.configuration = configuration
    self.clock = clock
    try configuration.check()
    uses = DiskUses(life: configuration.expireAfterAccess?.microseconds, from: clock.time)
    let tier = try Self.makeTier(configuration, objects: Self.reservedMin)
    self.tier = tier
    hasVictims = Self.question(tier)
    self.path = try DiskFolder.absolutePath(path)
    self.files = files
    folder = try Self.openFolder(self.path, configuration, files)
    try takeFolder()
    try open()
  }

  private static var reservedMin: Int { 1024 }

  func remakeTier(_ configuration: DiskConfiguration) throws(DiskCacheError) {
    let objects = max(Self.reservedMin, slots.count)
    tier = try Self.makeTier(configuration, objects: objects)
    reservedIDs = objects
  }

  func checkPolicy(_ configuration: DiskConfiguration) throws(DiskCacheError) {
    _ = try Self.makeTier(configuration, objects: 1)
  }

  private static func question(_ tier: CacheTier) -> () -> Bool { { tier.victims.count > 0 } }

  private static func makeTier(
    _ configuration: DiskConfiguration, objects: Int
  ) throws(DiskCacheError) -> CacheTier {
    let limits = configuration.limits
    do throws(PolicyError) {
      return try PolicyRegistry.makeCacheTier(
        CacheTierSetup(
          policy: PolicySpec(parsing: configuration.policy.description),
          entriesMax: limits.count,
          bytesMax: limits.bytes,
          timeToLiveMicroseconds: limits.age.map { max(1, $0.microseconds) },
          objects: objects, seed: configuration.seed,
          admission: PolicySpec(parsingOptional: configuration.admission)))
    } catch {
      throw .configuration(error)
    }
  }

  func weight(_ bytes: UInt32, row units: UInt16) -> UInt32 {
    if configuration.limits.bytes == nil && configuration.limits.count != nil { return 1 }
    return UInt32(clamping: UInt64(bytes) + rowBytes(units))
  }

  func rowBytes(_ units: UInt16) -> UInt64 { configuration.countsRows ? UInt64(units) * 64 : 0 }

  func rowUnits(keyBytes: Int) -> UInt16 {
    UInt16(clamping: (DiskLimits.entryOverhead + keyBytes + 63) / 64)
  }

  /// The database, which is reopened if it was closed because of a failure.
  ///
  /// - Throws: `closed`, or the error of opening it.
  func openIndex() throws(DiskCacheError) -> DiskIndex {
    if let index { return index }
    guard !isClosed else { throw .closed(path: path) }
    guard !isSuspended else { throw .suspended(path: path) }
    findFolder()
    if lock == nil { try takeFolder() }
    if let damageFound { try rebuild(after: damageFound) } else { try open() }
    guard let index else { throw .closed(path: path) }
    return index
  }

  func openIndex(
    toChange bytes: UnsafeRawBufferPointer, suite: String, writesFile: Bool = false
  ) throws(DiskCacheError) -> DiskIndex {
    do throws(DiskCacheError) {
      try checkPlace()
      let index = try openIndex()
      if !writesFile || folder.values.folder.isInPlace { return index }
      try reopenValues()
      return try openIndex()
    } catch {
      if !isClosed { losses.insert(bytes, suite: suite) }
      throw error
    }
  }

  func openIndex(toClear clearing: DiskLosses.Clearing) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try checkPlace()
      _ = try openIndex()
    } catch {
      if !isClosed { losses.clearings.insert(clearing) }
      throw error
    }
  }

  // MARK: Suites

  func adoptSuite(_ number: UInt32, _ name: String) {
    suites[ExactName(name)] = number
    suiteNames[number] = name
    largestSuite = max(largestSuite, number)
  }

  func forgetSuites(_ numbers: [UInt32]) {
    for number in numbers {
      if let name = suiteNames.removeValue(forKey: number), suites[ExactName(name)] == number {
        suites[ExactName(name)] = nil
      }
      codecs[number] = nil
    }
  }

  func forgetSuites() {
    suites = [:]
    suiteNames = [:]
    codecs = [:]
    largestSuite = 0
  }

  // MARK: Ids

  /// Takes an id for a new key. If none is free, looks at a few others: their ghosts may be
  /// forgotten.
  func addID(_ key: DiskKey) -> ObjectID {
    for _ in 0..<Self.sweptIDs where !slots.hasFree && slots.count > Self.reservedMin {
      swept = swept % (slots.count - 1) + 1
      releaseIfForgotten(ObjectID(swept))
    }
    let id = slots.add(key)
    if id > reservedIDs {
      reservedIDs = max(Int(id), reservedIDs * 2)
      tier.reserve(reservedIDs)
    }
    return id
  }

  private static var sweptIDs: Int { 8 }

  /// The id of a key whose entry no removal takes.
  func find(_ key: DiskKey) -> ObjectID? {
    guard let id = slots.find(key.digest) else { return nil }
    guard !removals.isEmpty,
      let removal = removals.first(where: { $0.takes(id, slots[Int(id)]) })
    else { return id }
    if slots[Int(id)].state == .known { tier.remove(id) }
    drop(id, removal)
    return slots.find(key.digest)
  }

  func releaseIfForgotten(_ id: ObjectID) {
    let slot = slots[Int(id)]
    guard slot.state == .known, !slot.isStored, !tier.remembers(id) else { return }
    slots.release(id)
  }

  func resetIDs(_ known: DiskBlocks<DiskSlot> = DiskBlocks()) throws(DiskCacheError) {
    slots = DiskSlots(known)
    fileKeys = [:]
    let choice = tier.choice
    try remakeTier(configuration)
    // A cache that is opened again after a failure continues from its choice.
    for isRestoring in [true, false] { tier.setRestoring(isRestoring, choice: choice) }
    doomed = []
    (writing, snapshotTransactions) = (nil, nil)
    transaction = DiskTransaction()
    unsettledMoves = []
    (total, totals) = (DiskTotal(), [:])
  }

  func releaseFolder() {
    closeIndexForGood()
    lock = nil
  }

  func suspend() throws(DiskCacheError) {
    guard !isClosed else { throw .closed(path: path) }
    guard !isSuspended else { return }
    defer {
      releaseFolder()
      isSuspended = true
    }
    try save()
  }

  func resume() throws(DiskCacheError) {
    isSuspended = false
    _ = try openIndex()
  }

  func markClosed() {
    isClosed = true
    configuration.encryption = nil
  }

  // MARK: Entries

  func drop(_ id: ObjectID, _ kind: CacheEventKind? = nil) {
    let slot = slots[Int(id)]
    if slot.isStored {
      if isHeard, let kind { note(kind, id) }
      unstore(id)
      doomed.append(id)
    }
    releaseIfForgotten(id)
  }

  func unstore(_ id: ObjectID) {
    let slot = slots[Int(id)]
    if slot.file != 0 {
      transaction.retired.append(StoredValue(number: slot.file, bytes: slot.bytes))
    }
    count(slot, times: -1)
    slots[Int(id)].unstore()
    if !fileKeys.isEmpty { fileKeys[id] = nil }
  }

  func remember(_ key: UnsafeRawBufferPointer, of id: ObjectID) {
    guard key.count <= 1024 else { return }
    if fileKeys.count >= Self.fileKeysMax { fileKeys = [:] }
    fileKeys[id] = Array(key)
  }

  private static var fileKeysMax: Int { 4096 }

  func dropVictims(
    sparing id: ObjectID, counting counter: WritableKeyPath<TierStatistics, UInt64>
  ) -> Bool {
    var isVictim = false
    let victims = tier.victims
    for place in 0..<victims.count {
      let victim = victims[place]
      if victim == id { isVictim = true } else { drop(victim, .evict(.capacity)) }
    }
    if victims.count > 0 { statistics[keyPath: counter] += UInt64(victims.count) }
    return isVictim
  }
}

struct DiskKey {
  let bytes: UnsafeRawBufferPointer
  let suite: UInt32
  let digest: KeyDigest

  init(_ bytes: UnsafeRawBufferPointer, suite: UInt32, seed: UInt64) {
    self.bytes = bytes
    self.suite = suite
    digest = KeyDigest(bytes, suite: suite, seed: seed)
  }

  init(_ bytes: UnsafeRawBufferPointer, suite: UInt32, digest: KeyDigest) {
    self.bytes = bytes
    self.suite = suite
    self.digest = digest
  }

  /// Maximum length of a key in bytes: with the rest of its row it fits SQLite's limit of 10^9.
  static var bytesMax: Int { 100_000_000 }
  static var valueBytesMax: Int { Int(UInt32.max) - 1 }
  static var inlineBytesMax: Int { 500_000_000 }
}

/// Digest of a key in memory: 64 bits of hash of the suite and the key's bytes.
///
/// Two keys with the same digest are possible and harmless: the stored key is compared before a
/// value is returned, so the worst case is a miss.
struct KeyDigest: BitwiseCopyable, Hashable, Sendable {
  /// Binds a value's checksum to its key, so that another key's value never passes the check.
  let checksumSeed: UInt64

  init() { checksumSeed = 0 }

  init(_ key: UnsafeRawBufferPointer, suite: UInt32, seed: UInt64) {
    checksumSeed = ByteHash.hash(key, seed: seed ^ UInt64(suite) &* 0xd6e8_feb8_6659_fd93)
  }

  var fingerprint: UInt32 { UInt32(truncatingIfNeeded: checksumSeed >> 32) }
}

/// A string compared byte by byte. Swift's `String` treats two spellings of an accented letter as
/// equal; a cache must not.
struct ExactName: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: ExactName, other: ExactName) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

struct DiskLife {
  var created: UInt64
  var expiry: Expiry
}

extension DiskCore {
  func note(_ kind: CacheEventKind, _ key: DiskKey) {
    if isHeard { note(kind, suite: key.suite, key.bytes) }
  }

  func note(_ kind: CacheEventKind, _ id: ObjectID) {
    let slot = slots[Int(id)]
    if let key = fileKeys[id] {
      key.withUnsafeBytes { note(kind, suite: slot.suite, $0) }
    } else {
      // If the row cannot be read, its key is unknown and the event is not reported.
      (try? index?.stored(id))?.header.key.withUnsafeBytes { note(kind, suite: slot.suite, $0) }
    }
  }

  func note(_ kind: CacheEventKind, suite: UInt32, _ key: UnsafeRawBufferPointer) {
    guard isHeard else { return }
    let name = suite == 0 ? "" : suiteNames[suite] ?? ""
    heard.append(
      CacheEvent(kind, DiskEntryName(suite: name, key: String(decoding: key, as: UTF8.self))))
  }

  func missUnknown(_ suite: String, _ key: UnsafeRawBufferPointer) {
    statistics.misses += 1
    guard isHeard else { return }
    heard.append(
      CacheEvent(.miss, DiskEntryName(suite: suite, key: String(decoding: key, as: UTF8.self))))
  }

  func listen(_ isHeard: Bool) {
    if isHeard, !self.isHeard { reportedLeader = tier.leading }
    self.isHeard = isHeard
  }

  func takeEvents() -> [CacheEvent<DiskEntryName>] {
    defer { heard = [] }
    if let key = heard.last?.key, let old = reportedLeader, let leader = tier.leading, leader != old
    {
      let change = CacheEventKind.switchPolicy(
        from: UInt8(clamping: old), to: UInt8(clamping: leader))
      heard.append(CacheEvent(change, key))
      reportedLeader = leader
    }
    return heard
  }
}
