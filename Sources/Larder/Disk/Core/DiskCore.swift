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
