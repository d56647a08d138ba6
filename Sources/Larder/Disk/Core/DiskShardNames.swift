/// Which names are on the disk of those that the folders of values need, where they have to be. One
/// bit for each of 64 folders.
///
/// The system may say once that it could not write a folder, and then take it for written. Only a
/// name that is given anew is a change that it has yet to write.
struct DiskShardNames {
  private var synced: UInt64 = 0
  private var unnamed: UInt64 = 0
  private var doubtful: UInt64 = 0

  /// Nothing is known of what earlier processes have left.
  init() {}

  private static func bit(_ shard: UInt64) -> UInt64 { 1 << (shard & 63) }

  /// Whether all names in a folder are on the disk, those that earlier processes gave included.
  func areSynced(_ shard: UInt64) -> Bool { synced & Self.bit(shard) != 0 }

  /// Whether the name of a folder itself may not be: it holds nothing that counts, and has to be
  /// made anew.
  func isUnnamed(_ shard: UInt64) -> Bool { unnamed & Self.bit(shard) != 0 }

  /// Whether names in a folder may be lost though syncing it again succeeds: a file there must not
  /// be written over under the name that it has.
  func isDoubtful(_ shard: UInt64) -> Bool { doubtful & Self.bit(shard) != 0 }

  /// A folder was made.
  mutating func make(_ shard: UInt64) { unnamed |= Self.bit(shard) }

  /// The name of a folder is on the disk.
  mutating func name(_ shard: UInt64) { unnamed &= ~Self.bit(shard) }

  /// A folder was synced.
  mutating func sync(_ shard: UInt64) { synced |= Self.bit(shard) }

  /// A folder could not be synced.
  mutating func doubt(_ shard: UInt64) { doubtful |= Self.bit(shard) }
}
