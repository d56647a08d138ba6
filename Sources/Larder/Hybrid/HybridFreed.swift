/// What a call has made free.
public struct HybridFreed: Sendable, Hashable {
  /// Entries that are gone from memory.
  public var memoryCount = 0
  /// What is gone from disk, and by how much its files have shrunk.
  public var disk = DiskFreed()

  /// What was freed; by default nothing.
  public init(memoryCount: Int = 0, disk: DiskFreed = DiskFreed()) {
    self.memoryCount = memoryCount
    self.disk = disk
  }
}
