#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What waits to be written to disk.
struct HybridDirty {
  var diskKey: String
  var data: Data
  var options: DiskStoreOptions
  var created: UInt64
  var expires: UInt64
  /// Place in the order in which entries began to wait.
  var order: UInt64
}
