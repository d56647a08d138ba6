public import Foundation

/// A key for memory and disk.
///
/// Equal keys must have the same `diskKey`, and different keys different ones: it identifies them
/// on disk, byte for byte. It may contain any characters.
public protocol DiskKeyRepresentable: Hashable, Sendable {
  /// The key on disk. Must not change between versions of the app; otherwise stored values are no
  /// longer found.
  var diskKey: String { get }
}

extension String: DiskKeyRepresentable {
  /// The string in Unicode's normal form C, in which strings that are equal in Swift have the same
  /// bytes; ASCII strings are unchanged. O(length).
  public var diskKey: String {
    let isASCII = utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0x80 } }
    return isASCII ?? false ? self : precomposedStringWithCanonicalMapping
  }
}

extension DiskKeyRepresentable where Self: FixedWidthInteger {
  /// The number in decimal.
  public var diskKey: String { String(self) }
}

extension Int: DiskKeyRepresentable {}
extension Int8: DiskKeyRepresentable {}
extension Int16: DiskKeyRepresentable {}
extension Int32: DiskKeyRepresentable {}
extension Int64: DiskKeyRepresentable {}
extension UInt: DiskKeyRepresentable {}
extension UInt8: DiskKeyRepresentable {}
extension UInt16: DiskKeyRepresentable {}
extension UInt32: DiskKeyRepresentable {}
extension UInt64: DiskKeyRepresentable {}

extension UUID: DiskKeyRepresentable {
  /// The UUID as text, such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
  public var diskKey: String { uuidString }
}

extension URL: DiskKeyRepresentable {
  /// The base URL, if any, and the relative URL.
  public var diskKey: String {
    // Two URLs with the same absolute string are not equal if one of them has a base.
    baseURL == nil ? relativeString : "\(baseURL?.absoluteString ?? "") \(relativeString)"
  }
}
