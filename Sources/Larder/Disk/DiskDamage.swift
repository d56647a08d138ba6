#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How a disk cache handles a database that cannot be read.
public enum DiskDamageHandling: Sendable, Hashable, CaseIterable {
  /// The default. The database is moved into the subfolder `damaged`, where the newest two are
  /// kept, and the cache starts empty. `DiskCache.damages` and `DiskStatistics.rebuilds` report it.
  /// The copies are removed when the disk is full and by `DiskCache.removeAll` of all suites.
  case setAside
  /// Opening, or the call that finds the damage, throws `DiskCacheError.damaged`, and so does every
  /// later call. Nothing in the folder is changed.
  case fail
}

/// How a folder or a suite is handled that is whole and cannot be opened: a database of another
/// format or with another key, or values of another codec.
public enum DiskMismatchHandling: Sendable, Hashable, CaseIterable {
  /// Opening, or the call that finds it, throws `format`, `encryption` or `codecMismatch`. Nothing
  /// in the folder is changed.
  case fail
  /// What is there is given up, permanent entries included: a database is moved into the subfolder
  /// `damaged`, as one that cannot be read, and reported as damage; the entries of a suite with
  /// another codec are removed, and count in `DiskStatistics.undecodables`.
  case startEmpty
}

/// Damage after which a disk cache started empty.
public struct DiskDamage: Sendable, Hashable {
  /// A description in one line.
  public var message: String
  /// The folder with the unreadable database, or nil if it could only be removed.
  public var keptPath: String?
  /// When it was found, by the cache's clock.
  public var found: Date

  /// Damage, as for a test of code that reports it.
  public init(message: String, keptPath: String? = nil, found: Date = .now) {
    self.message = message
    self.keptPath = keptPath
    self.found = found
  }
}
