import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A disk cache without its lock: one call at a time.
///
/// Three things agree after every call: the tier, which says what is resident; the slots, which say
/// what each id stands for; and the database as the open transaction shows it. What is given up is
/// `doomed`: its row is deleted in the next transaction, before anything is put, and its file after
/// that transaction is committed.
final class DiskCore {
  /// Its limits may change.
  var configuration: DiskConfiguration
  let clock: any CacheClock
  /// Absolute, and free of a change of the working directory.
  let path: String
  /// The file layer from which `folder` makes its own.
  let files: any FileLayer
  /// Another one after the folder was removed, moved or replaced.
  var folder: DiskFolder
  /// Nil once the cache is closed, and while another cache has the folder that stands in the place
  /// of the one it had.
  var lock: FolderLock?
  private(set) var isClosed = false
  /// Nil once the cache is closed, and for as long as the database cannot be opened: `openIndex`
  /// tries again.
  var index: DiskIndex?
  /// Made by `remakeTier` alone, so that it has room for the ids of `reservedIDs`.
  private(set) var tier: CacheTier {
    didSet { (mayExpire, hasVictims) = Self.questions(tier) }
  }
  /// What every get asks of the tier, as functions of their own: to ask a tier that is a variable,
  /// the compiler copies all of it, with a reference for each of its operations.
  private(set) var mayExpire: () -> Bool
  private(set) var hasVictims: () -> Bool
  private var reservedIDs = DiskCore.reservedMin
  var statistics = DiskStatistics()
  /// Why the database is to be set aside, which could not be done yet.
  var damageFound: DiskCacheError?
  /// The latest damage for which the cache began anew.
  var damages: [DiskDamage] = []
  /// Entries that were found expired and stayed: a simulation counts them as expirations.
  var keptExpirations: UInt64 = 0
  /// What `statistics.damages` was when the database was last looked through.
  var damagesChecked: UInt64 = 0
  /// Failures for want of room on a disk that has some.
  var unexplainedFailures: UInt64 = 0

  /// By id; the first stands for no id.
  var slots: [DiskSlot] = [DiskSlot()]
  var directory: [KeyDigest: ObjectID] = [:]
  private var freeIDs: [ObjectID] = []
  private var sweepsAt = DiskCore.reservedMin
  private(set) var suites: [ExactName: UInt32] = [:]
  private(set) var suiteNames: [UInt32: String] = [:]
  /// The largest number that a suite has or had: none is used twice.
  var largestSuite: UInt32 = 0
  /// True while pages may hold remains of names of suites that are gone.
  var hasSuiteRemains = false
  /// The identity of the codec whose values a suite holds, by the suite's number.
  var codecs: [UInt32: String] = [:]
  /// The number of the latest operation that stored or used something.
  var sequence: UInt64 = 0
  var hitsSinceOrder = 0

  /// Rows that the next transaction deletes.
  var doomed: [ObjectID] = []
  /// What must not come back when the database is opened again.
  var losses = DiskLosses()
  var transaction = DiskTransaction()
  /// Values that were copied in a transaction which failed: their rows name one place or the other.
  var unsettledMoves: [DiskMove] = []
  /// Sums of the bytes of values that the limits are about, and of permanent ones.
  var valueBytes: UInt64 = 0
  var permanentBytes: UInt64 = 0
  /// Bytes that the rows of the former count in a limit on bytes.
  var rowBytes: UInt64 = 0
  var permanentEntries = 0
  var bytesSinceFreeCheck: UInt64 = .max

  /// Whether anybody listens to what this call does, and what there is to tell.
  var isHeard = false
  var heard: [CacheEvent<DiskEntryName>] = []

  /// Opens the folder; see `DiskCache.init`.
  init(
    path: String, _ configuration: DiskConfiguration, clock: any CacheClock, files: any FileLayer
  ) throws(DiskCacheError) {
    self.configuration = configuration
    self.clock = clock
    try configuration.check()
    let tier = try Self.makeTier(configuration, objects: Self.reservedMin)
    self.tier = tier
    (mayExpire, hasVictims) = Self.questions(tier)
    self.path = try DiskFolder.absolutePath(path)
    self.files = files
    folder = try Self.openFolder(self.path, configuration, files)
    try takeFolder()
    try open()
  }

  /// Ids for which a tier has room from the beginning.
  private static var reservedMin: Int { 1024 }

  /// Replaces the tier by an empty one with room for every id that is in use.
  func remakeTier(_ configuration: DiskConfiguration) throws(DiskCacheError) {
    let objects = max(Self.reservedMin, slots.count)
    tier = try Self.makeTier(configuration, objects: objects)
    reservedIDs = objects
  }

  /// Checks that the policy and the filter can have the limits.
  func checkPolicy(_ configuration: DiskConfiguration) throws(DiskCacheError) {
    _ = try Self.makeTier(configuration, objects: 1)
  }

  private static func questions(_ tier: CacheTier) -> (() -> Bool, () -> Bool) {
    ({ tier.expires }, { tier.victims.count > 0 })
  }

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

  /// Sizes in units of the tier's capacity, of a value and of its row.
  func weight(_ bytes: UInt32, row units: UInt16) -> UInt32 {
    if configuration.limits.bytes == nil && configuration.limits.count != nil { return 1 }
    return UInt32(clamping: UInt64(bytes) + UInt64(units) * 64)
  }

  /// Bytes that a row and its key count in a limit on bytes; see `DiskSlot.rowUnits`.
  func rowUnits(keyBytes: Int) -> UInt16 {
    guard configuration.countsRows else { return 0 }
    return UInt16(clamping: (DiskLimits.entryOverhead + keyBytes + 63) / 64)
  }

  /// The database, which is opened again when it had to be closed because of a failure.
  ///
  /// - Throws: `closed`, or why it cannot be opened.
  func openIndex() throws(DiskCacheError) -> DiskIndex {
    if let index {
      guard index.isLogLost else { return index }
      try rebuild(after: DiskCacheError(index.logLoss))
    }
    if let index { return index }
    guard !isClosed else { throw .closed(path: path) }
    findFolder()
    if lock == nil { try takeFolder() }
    if let damageFound { try rebuild(after: damageFound) } else { try open() }
    guard let index else { throw .closed(path: path) }
    return index
  }

  /// The same, for a call after which a key has no old value, not even when it fails.
  func openIndex(
    toChange bytes: UnsafeRawBufferPointer, suite: String, writesFile: Bool = false
  ) throws(DiskCacheError) -> DiskIndex {
    do throws(DiskCacheError) {
      try checkPlace()
      let index = try openIndex()
      if !writesFile || folder.values.isInPlace { return index }
      try reopenValues()
      return try openIndex()
    } catch {
      if !isClosed { losses.insert(bytes, suite: suite) }
      throw error
    }
  }

  /// Opens the database for a call after which entries are gone, even when it fails.
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

  /// Adds a suite that is in the database.
  func adoptSuite(_ number: UInt32, _ name: String) {
    suites[ExactName(name)] = number
    suiteNames[number] = name
    largestSuite = max(largestSuite, number)
  }

  /// Forgets suites that are no longer in the database.
  func forgetSuites(_ numbers: [UInt32]) {
    for number in numbers {
      if let name = suiteNames.removeValue(forKey: number) { suites[ExactName(name)] = nil }
      codecs[number] = nil
    }
  }

  /// Forgets all suites.
  func forgetSuites() {
    suites = [:]
    suiteNames = [:]
    codecs = [:]
    largestSuite = 0
  }

  // MARK: Ids

  /// An id that stands for nothing.
  func allocateID() -> ObjectID {
    if let id = freeIDs.popLast() { return id }
    let id = slots.count
    if id > sweepsAt {
      sweepGhosts()
      if let id = freeIDs.popLast() { return id }
    }
    slots.append(DiskSlot())
    if id > reservedIDs {
      reservedIDs = max(id, reservedIDs * 2)
      tier.reserve(reservedIDs)
    }
    return ObjectID(id)
  }

  /// Gives the ids of keys that the policy has forgotten back. O(ids), at most once in as many
  /// new ids as there are entries.
  private func sweepGhosts() {
    for id in slots.indices.dropFirst() { releaseIfForgotten(ObjectID(id)) }
    sweepsAt = max(1024, (slots.count - freeIDs.count) * 2)
  }

  func releaseIfForgotten(_ id: ObjectID) {
    let slot = slots[Int(id)]
    guard slot.state == .known, !slot.isStored, !tier.remembers(id) else { return }
    if let digest = slot.digest { directory[digest] = nil }
    slots[Int(id)] = DiskSlot()
    freeIDs.append(id)
  }

  /// Sets the ids up for a database that has rows with ids up to `largest`.
  func resetIDs(largest: ObjectID) throws(DiskCacheError) {
    slots = Array(repeating: DiskSlot(), count: Int(largest) + 1)
    sweepsAt = max(Self.reservedMin, Int(largest) * 2)
    try remakeTier(configuration)
    directory = [:]
    freeIDs = []
    doomed = []
    transaction = DiskTransaction()
    unsettledMoves = []
    valueBytes = 0
    rowBytes = 0
    permanentBytes = 0
    permanentEntries = 0
  }

  /// Makes the ids without an entry available.
  func collectFreeIDs() {
    freeIDs = slots.indices.dropFirst().filter { slots[$0].state == .free }.reversed()
      .map { ObjectID($0) }
  }

  /// Gives the folder to whoever wants it next.
  func releaseFolder() {
    closeIndexForGood()
    lock = nil
    isClosed = true
  }

  // MARK: Entries

  /// Takes an entry off that the tier no longer holds: its row is doomed. Ghosts keep their id.
  /// `kind` is what listeners hear.
  func drop(_ id: ObjectID, _ kind: CacheEventKind? = nil) {
    let slot = slots[Int(id)]
    if slot.isStored {
      if isHeard, let kind { note(kind, id) }
      unstore(id)
      doomed.append(id)
    }
    releaseIfForgotten(id)
  }

  /// Forgets that there is a row: it is replaced or doomed, and its file goes with the transaction.
  func unstore(_ id: ObjectID) {
    let slot = slots[Int(id)]
    if slot.file != 0 {
      transaction.retired.append(DiskTransaction.Retired(number: slot.file, bytes: slot.bytes))
    }
    if slot.state == .permanent {
      permanentBytes -= UInt64(slot.bytes)
      permanentEntries -= 1
    } else {
      valueBytes -= UInt64(slot.bytes)
      rowBytes -= slot.rowBytes
    }
    slots[Int(id)].unstore()
  }

  /// Keeps the key of a value in a file, so that a get needs no look into the database.
  func remember(_ key: UnsafeRawBufferPointer, of id: ObjectID) {
    if key.count <= 1024 { slots[Int(id)].key = Array(key) }
  }

  /// Drops what the last operation of the tier evicted, and says whether `id` was among it.
  func dropVictims(
    sparing id: ObjectID, counting counter: WritableKeyPath<DiskStatistics, UInt64>
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

/// What a disk cache keeps in memory of an id.
struct DiskSlot {
  /// What the id stands for.
  enum State: UInt8 {
    /// Nothing: it may be given to any key.
    case free
    /// A key that the policy knows, resident or as a ghost.
    case known
    /// A permanent entry, of which the policy knows nothing.
    case permanent
  }

  var digest: KeyDigest?
  var state: State = .free
  /// Whether there is a row of it in the database.
  var isStored = false
  /// What `DiskCache.toggleHitBefore` turns; false when something is stored.
  var isHitBefore = false
  /// What fetching it costs.
  var cost: Float = 1
  /// Hits since it was stored, at most 255.
  var hits: UInt8 = 0
  /// Whether the row may have a version or a content type.
  var hasTexts = false
  /// Size of the row and its key in a limit on bytes, in units of 64 bytes.
  var rowUnits: UInt16 = 0
  /// True if its origin forbids using it once it has expired.
  var mustRevalidate = false
  var suite: UInt32 = 0
  var bytes: UInt32 = 0
  /// `DiskIndex.age` when the row was written last.
  var written: UInt32 = 0
  /// The value's file, 0 for none.
  var file: UInt64 = 0
  /// The numbers of the operations that stored something under the key first, that stored the
  /// value, and that used it last.
  var inserted: UInt64 = 0
  var stored: UInt64 = 0
  var accessed: UInt64 = 0
  /// What the value's bytes must hash to.
  var checksum: UInt64 = 0
  /// The key of a value in a file of which nothing else is to be read from the database.
  var key: [UInt8]?
  /// When it was stored, microseconds.
  var created: UInt64 = 0

  /// Bytes that the row and its key count in a limit on bytes.
  var rowBytes: UInt64 { UInt64(rowUnits) * 64 }

  // One change each: every access to the slots of a cache has a check of its own.

  /// Makes a free slot stand for a key that has nothing.
  mutating func take(_ digest: KeyDigest, suite: UInt32) {
    self.digest = digest
    self.suite = suite
    state = .known
  }

  /// Notes what a row, written at this age of the database, says of the key.
  mutating func store(_ row: DiskRow, written age: UInt32, hasTexts: Bool) {
    state = row.isPermanent ? .permanent : .known
    isStored = true
    isHitBefore = false
    hits = 0
    bytes = row.bytes
    cost = row.cost
    file = row.file
    checksum = row.checksum
    key = nil
    inserted = row.inserted
    stored = row.stored
    accessed = row.stored
    created = row.created
    mustRevalidate = row.mustRevalidate
    written = age
    self.hasTexts = hasTexts
  }

  /// Notes that the operation of this number used the value.
  mutating func use(_ number: UInt64) {
    accessed = number
    if hits < .max { hits += 1 }
  }

  /// Notes that the key has no row any more.
  mutating func unstore() {
    isStored = false
    file = 0
    key = nil
    state = .known
  }
}

/// A key as the core sees it: bytes that live as long as the call, and where they belong.
struct DiskKey {
  let bytes: UnsafeRawBufferPointer
  let suite: UInt32
  let digest: KeyDigest

  init(_ bytes: UnsafeRawBufferPointer, suite: UInt32, seed: UInt64) {
    self.bytes = bytes
    self.suite = suite
    digest = KeyDigest(bytes, suite: suite, seed: seed)
  }

  /// A key whose digest is known.
  init(_ bytes: UnsafeRawBufferPointer, suite: UInt32, digest: KeyDigest) {
    self.bytes = bytes
    self.suite = suite
    self.digest = digest
  }

  /// The longest key, in bytes: with the rest of its row it fits SQLite's limit of 10^9.
  static var bytesMax: Int { 100_000_000 }
  /// The largest value in a file of its own.
  static var valueBytesMax: Int { Int(UInt32.max) - 1 }
  /// The largest value in a row, whatever the configuration says.
  static var inlineBytesMax: Int { 500_000_000 }
}

/// What stands for a key in memory: 128 bits of hash of the suite and the key's bytes.
///
/// Two keys with one digest are possible and harmless: the key beside the value is compared before
/// a value is handed out, so that the worst is a miss.
struct KeyDigest: Hashable, Sendable {
  private let a: UInt64
  private let b: UInt64

  /// The digest of a key, under two seeds of the database's own.
  init(_ key: UnsafeRawBufferPointer, suite: UInt32, seed: UInt64) {
    let mixed = seed ^ UInt64(suite) &* 0xd6e8_feb8_6659_fd93
    a = ByteHash.hash(key, seed: mixed)
    b = ByteHash.hash(key, seed: ~mixed &+ 0x5851_f42d_4c95_7f2d)
  }

  /// What binds a value's checksum to its key, so that another key's value never passes for it.
  var checksumSeed: UInt64 { a }

  /// What stands for the key in sketches.
  var fingerprint: UInt32 { UInt32(truncatingIfNeeded: b) }

  func hash(into hasher: inout Hasher) { hasher.combine(a) }
}

/// A text that equals another only byte for byte. Swift's `String` takes two spellings of one
/// accented letter for equal; a cache must not.
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

/// When an entry began to live and when it expires, microseconds of the cache's clock.
struct DiskLife {
  var created: UInt64
  /// `Request.noExpiry` for never.
  var expires: UInt64
}

extension DiskCore {
  /// Notes what happened to a key, for whoever listens.
  func note(_ kind: CacheEventKind, _ key: DiskKey) {
    if isHeard { note(kind, suite: key.suite, key.bytes) }
  }

  /// Notes what happened to an entry that is still stored: its key is read from its row.
  func note(_ kind: CacheEventKind, _ id: ObjectID) {
    let slot = slots[Int(id)]
    if let key = slot.key {
      key.withUnsafeBytes { note(kind, suite: slot.suite, $0) }
    } else {
      // A row that cannot be read is told of by no name, and so not at all.
      try? index?.withKey(of: id) { note(kind, suite: slot.suite, $0) }
    }
  }

  /// The same for a suite and the bytes of a key.
  func note(_ kind: CacheEventKind, suite: UInt32, _ key: UnsafeRawBufferPointer) {
    guard isHeard else { return }
    let name = suite == 0 ? "" : suiteNames[suite] ?? ""
    heard.append(
      CacheEvent(kind, DiskEntryName(suite: name, key: String(decoding: key, as: UTF8.self))))
  }

  /// Counts a get in a suite that was never stored in.
  func missUnknown(_ suite: String, _ key: UnsafeRawBufferPointer) throws(DiskCacheError) {
    _ = try openIndex()
    statistics.misses += 1
    guard isHeard else { return }
    heard.append(
      CacheEvent(.miss, DiskEntryName(suite: suite, key: String(decoding: key, as: UTF8.self))))
  }

  /// Hands over what there is to tell.
  func takeEvents() -> [CacheEvent<DiskEntryName>] {
    defer { heard = [] }
    return heard
  }
}
