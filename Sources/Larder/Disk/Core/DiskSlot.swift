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
