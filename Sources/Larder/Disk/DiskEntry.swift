#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Metadata that a disk cache stores with a value.
public struct DiskMetadata: Sendable, Hashable {
  /// Version from the origin, such as an HTTP ETag, for revalidation.
  public var version: String?
  /// Content type of the bytes, such as `image/jpeg`.
  public var contentType: String?
  /// Creation time in microseconds of the cache's clock.
  package var creation: UInt64
  /// Expiry by the cache's clock.
  package var expiry: Expiry
  /// Fetch cost, as given when the value was stored.
  public var fetchCost: Float
  /// True if the entry stays until it is removed by its key: see `DiskStoreOptions.isPermanent`.
  public var isPermanent: Bool
  /// True if the entry had expired when it was returned, which only
  /// `entry(for:suite:acceptingExpired:)` permits.
  public var isExpired: Bool

  /// True if the origin forbids using the value after it has expired.
  package var mustRevalidate = false

  /// Creates metadata, for example to test code that reads them; see the properties for the meaning
  /// of each.
  public init(
    version: String? = nil, contentType: String? = nil, created: Date = .now,
    expires: Date? = nil, fetchCost: Float = 1, isPermanent: Bool = false, isExpired: Bool = false
  ) {
    self.init(
      version: version, contentType: contentType,
      creation: created.microsecondsSince1970, expiry: Expiry(expires), fetchCost: fetchCost,
      isPermanent: isPermanent, isExpired: isExpired)
  }

  init(
    version: String? = nil, contentType: String? = nil, creation: UInt64, expiry: Expiry,
    fetchCost: Float = 1, isPermanent: Bool = false, isExpired: Bool = false,
    mustRevalidate: Bool = false
  ) {
    self.version = version
    self.contentType = contentType
    self.creation = creation
    self.expiry = expiry
    self.fetchCost = fetchCost
    self.isPermanent = isPermanent
    self.isExpired = isExpired
    self.mustRevalidate = mustRevalidate
  }

  /// Creation time, by the cache's clock.
  public var created: Date {
    get { Date(microsecondsSince1970: creation) }
    set { creation = newValue.microsecondsSince1970 }
  }
  /// Expiry, by the cache's clock, or nil for never.
  public var expires: Date? {
    get { expiry.date }
    set { expiry = Expiry(newValue) }
  }
}

/// A value returned by a disk cache, with its metadata.
public struct DiskEntry: Sendable, Hashable {
  /// The stored bytes.
  public var data: Data
  /// Metadata of the value.
  public var metadata: DiskMetadata

  /// Creates an entry, for example to test code that reads one.
  public init(data: Data, metadata: DiskMetadata = DiskMetadata()) {
    self.data = data
    self.metadata = metadata
  }
}

/// Options for storing a value.
public struct DiskStoreOptions: Sendable, Hashable {
  /// TTL of the entry, or nil for the cache's. The shorter one applies; zero or less has expired at
  /// once.
  public var timeToLive: Duration?
  /// Version from the origin, such as an HTTP ETag.
  public var version: String?
  /// Content type of the bytes, such as `image/jpeg`.
  public var contentType: String?
  /// True if the entry stays until it is removed by its key: it does not expire, is never evicted,
  /// does not count against the limits, and survives clearing unless permanent entries are
  /// included.
  public var isPermanent: Bool
  /// Cost of fetching the value, in units of the app's choice, for policies that weigh it. Less
  /// than 0 counts as 0, infinity as the largest finite number, and NaN as 1.
  public var fetchCost: Float
  /// True if the origin forbids using the value after it has expired, as HTTP's `must-revalidate`
  /// does. The disk cache stores this for the hybrid cache in front of it.
  package var mustRevalidate = false

  /// Creates options; see the properties for the meaning of each.
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
  /// Creates options for an entry that is moved, and is not permanent.
  init(_ metadata: DiskMetadata) {
    self.init(
      version: metadata.version, contentType: metadata.contentType, fetchCost: metadata.fetchCost)
    mustRevalidate = metadata.mustRevalidate
  }
}

/// Suite and key of an entry of a disk cache, in events.
public struct DiskEntryName: Sendable, Hashable {
  /// The suite's name.
  public var suite: String
  /// The key, in Unicode's normal form C.
  public var key: String

  /// Creates a name; see the properties.
  public init(suite: String = "", key: String) {
    self.suite = suite
    self.key = key
  }
}
