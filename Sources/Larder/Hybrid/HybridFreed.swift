/// What a call has made free.
public struct HybridFreed: Sendable, Hashable {
  /// Entries that are gone from memory.
  public var memoryEntries = 0
  /// What is gone from disk, and by how much its files have shrunk.
  public var disk = DiskFreed()

  /// Nothing.
  public init() {}
}
