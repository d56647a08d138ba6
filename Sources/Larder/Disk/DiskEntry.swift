#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a disk cache keeps of a value beside the value.
public struct DiskMetadata: Sendable, Hashable {
  /// The version that the origin gave it, such as an HTTP ETag, to ask whether it still holds.
  public var version: String?
  /// What the bytes are, such as `image/jpeg`.
  public var contentType: String?
  /// When it was stored, microseconds of the cache's clock.
  package var createdMicroseconds: UInt64
  /// When it expires, microseconds of the cache's clock, or nil for never.
  package var expiresMicroseconds: UInt64?
  /// What fetching it costs, as it was said when it was stored.
  public var fetchCost: Float
  /// Whether it stays until it is removed by its key: see `DiskStoreOptions.isPermanent`.
  public var isPermanent: Bool
  /// Whether it had expired when it was handed out: only `entry(for:suite:acceptingExpired:)` does.
  public var isExpired: Bool

  /// True if its origin forbids using it once it has expired.
  package var mustRevalidate = false

  /// Metadata, as for a test of code that reads them; see the properties for the meaning of each.
  public init(
    version: String? = nil, contentType: String? = nil, created: Date = .now,
    expires: Date? = nil, fetchCost: Float = 1, isPermanent: Bool = false, isExpired: Bool = false
  ) {
    self.init(
      version: version, contentType: contentType,
      createdMicroseconds: created.microsecondsSince1970,
      expiresMicroseconds: expires?.microsecondsSince1970, fetchCost: fetchCost,
      isPermanent: isPermanent, isExpired: isExpired)
  }

  init(
    version: String? = nil, contentType: String? = nil, createdMicroseconds: UInt64,
    expiresMicroseconds: UInt64?, fetchCost: Float, isPermanent: Bool, isExpired: Bool
  ) {
    self.version = version
    self.contentType = contentType
    self.createdMicroseconds = createdMicroseconds
    self.expiresMicroseconds = expiresMicroseconds
    self.fetchCost = fetchCost
    self.isPermanent = isPermanent
    self.isExpired = isExpired
  }

  /// When it was stored, by the cache's clock.
  public var created: Date {
    get { Date(microsecondsSince1970: createdMicroseconds) }
    set { createdMicroseconds = newValue.microsecondsSince1970 }
  }
  /// When it expires, by the cache's clock, or nil for never.
  public var expires: Date? {
    get { expiresMicroseconds.map { Date(microsecondsSince1970: $0) } }
    set { expiresMicroseconds = newValue?.microsecondsSince1970 }
  }
}

/// A value as a disk cache hands it out.
public struct DiskEntry: Sendable, Hashable {
  /// The bytes that were stored.
  public var data: Data
  /// What is known of them.
  public var metadata: DiskMetadata

  /// An entry, as for a test of code that reads one.
  public init(data: Data, metadata: DiskMetadata = DiskMetadata()) {
    self.data = data
    self.metadata = metadata
  }
}

/// What may be said of a value when it is stored.
public struct DiskStoreOptions: Sendable, Hashable {
  /// The entry's own life, or nil for the cache's. The shorter one counts; zero or less is
  /// expired at once.
  public var timeToLive: Duration?
  /// The version that the origin gave it, such as an HTTP ETag.
  public var version: String?
  /// What the bytes are, such as `image/jpeg`.
  public var contentType: String?
  /// Whether the entry stays until it is removed by its key: it does not expire, is neither given
  /// up for room nor counted against the limits, and survives clearing unless that says otherwise.
  public var isPermanent: Bool
  /// What fetching the value costs, in units of the app's choice, for policies that weigh it. Less
  /// than 0 counts as 0, infinity as the largest finite number, and what is not a number as 1.
  public var fetchCost: Float
  /// True if its origin forbids using it once it has expired, as HTTP's `must-revalidate` does. The
  /// disk cache keeps this for the hybrid cache in front of it.
  package var mustRevalidate = false

  /// Options; see the properties for the meaning of each.
  public init(
    timeToLive: Duration? = nil, version: String? = nil, contentType: String? = nil,
    isPermanent: Bool = false, fetchCost: Float = 1
  ) {
    self.timeToLive = timeToLive
    self.version = version
    self.contentType = contentType
    self.isPermanent = isPermanent
    self.fetchCost = fetchCost
  }
}

extension DiskStoreOptions {
  /// Options of an entry that its origin may forbid to use once it has expired.
  init(version: String?, contentType: String?, fetchCost: Float, mustRevalidate: Bool) {
    self.init(version: version, contentType: contentType, fetchCost: fetchCost)
    self.mustRevalidate = mustRevalidate
  }
}

/// Which entry of a disk cache something happened to.
public struct DiskEntryName: Sendable, Hashable {
  /// The suite's name.
  public var suite: String
  /// The key, in Unicode's normal form C.
  public var key: String

  /// A name; see the properties.
  public init(suite: String = "", key: String) {
    self.suite = suite
    self.key = key
  }
}
