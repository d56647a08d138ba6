/// What a disk cache does with a database that cannot be read.
public enum DiskDamageHandling: Sendable, Hashable, CaseIterable {
  /// The default. The database is renamed into the folder `damaged` below the cache's own, where
  /// the newest two are kept, and the cache begins empty. `DiskCache.damages` and
  /// `DiskStatistics.rebuilds` say so. Copies are removed when the disk is full and by
  /// `DiskCache.removeAll` of all suites.
  case setAside
  /// Opening, or the call that met the damage, throws `DiskCacheError.damaged`, and so does every
  /// later one. Nothing is changed in the folder.
  case fail
}

/// Damage for which a disk cache had to begin anew.
public struct DiskDamage: Sendable, Hashable {
  /// What was found, in one line for a person.
  public var message: String
  /// The folder that holds what could not be read, or nil when it could only be removed.
  public var keptPath: String?
  /// When it was found, microseconds of the cache's clock.
  public var foundMicroseconds: UInt64
}
