public import Foundation

/// A key that a cache can use in memory and on disk.
///
/// Keys that are equal have the same `diskKey`, and keys that are not have different ones: it is
/// what tells them apart on disk, byte for byte. It may hold any characters.
public protocol DiskKeyRepresentable: Hashable, Sendable {
  /// The key as disk has it. Must not change between versions of the app, or what is stored is not
  /// found any more.
  var diskKey: String { get }
}

extension String: DiskKeyRepresentable {
  /// The text in Unicode's normal form C, in which texts that are equal to Swift have the same
  /// bytes; ASCII is in it already. O(length).
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
  /// As in `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
  public var diskKey: String { uuidString }
}

extension URL: DiskKeyRepresentable {
  /// What the URL is relative to, if anything, and the URL itself.
  public var diskKey: String {
    // Two URLs with the same absolute text are not equal when one of them has a base.
    baseURL == nil ? relativeString : "\(baseURL?.absoluteString ?? "") \(relativeString)"
  }
}
