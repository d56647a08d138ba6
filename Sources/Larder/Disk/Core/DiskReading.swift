#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a lookup in the database gave.
struct DiskReading {
  var version: String?
  var contentType: String?
  /// The value when it stands in the row and is whole.
  var value: Data?
}
