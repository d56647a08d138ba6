import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What disk handed out.
struct HybridFound<Value: Sendable> {
  var value: Value
  var data: Data
  var metadata: DiskMetadata

  var expires: UInt64 { metadata.expiresMicroseconds ?? Request.noExpiry }
}
