#if !Encryption
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Encryption of a disk cache, which this build does not have: it comes with the package trait
  /// `Encryption`. There is no value of this type, so no cache can be encrypted, and to open one
  /// that is encrypted is an error.
  public enum DiskEncryption: Sendable, Hashable {}

  /// What seals values where there is encryption. There is no value of this type.
  enum DiskSeal: Sendable {
    static var overhead: Int { 0 }

    static func newFact(_ encryption: DiskEncryption) -> Data? { switch encryption {} }

    init?(_ encryption: DiskEncryption, fact: UnsafeRawBufferPointer) { switch encryption {} }

    static func binding(_ key: DiskKey) -> Data { Data() }

    static func mark(_ sealed: UnsafeRawBufferPointer) -> UInt64 { 0 }

    func sealValue(_ value: UnsafeRawBufferPointer, _ key: DiskKey) -> Data? { switch self {} }

    func openValue(
      _ sealed: UnsafeRawBufferPointer, bytes: Int, mark: UInt64, _ binding: Data
    ) -> Data? { switch self {} }

    func sealHeader(_ header: DiskHeader, _ row: DiskRow) -> Data? { switch self {} }

    func openHeader(_ sealed: UnsafeRawBufferPointer, _ row: DiskRow) -> DiskHeader? {
      switch self {}
    }

    func sealSuite(_ name: String, number: UInt32) -> Data? { switch self {} }

    func openSuite(_ sealed: UnsafeRawBufferPointer, number: UInt32) -> String? { switch self {} }
  }
#endif
