public import LarderEngine

/// What a shard needs to know of where it is: the view that others have of it, and how to keep them
/// out while it changes what they read.
@usableFromInline
struct ShardPlace<Key: Hashable & Sendable, Value: Sendable> {
  @usableFromInline let view: UnsafeMutablePointer<ShardView<Key, Value>>
  @usableFromInline let slots: ReaderSlots?
  @usableFromInline let index: Int

  /// Waits until nobody reads the shard, and lets nobody in until `open`. The caller holds the
  /// shard's lock.
  @usableFromInline
  func close() {
    guard let slots else { return }
    view.pointee.isClosed.store(1, ordering: .sequentiallyConsistent)
    slots.waitForReaders(of: index)
  }

  /// Lets readers in again, to what is there now.
  @usableFromInline
  func open(
    _ records: ShardRecords<Key, Value>, _ directory: KeyDirectory, _ tier: CacheTier,
    _ idle: IdleTimes?
  ) {
    // One by one: `isClosed` is in use meanwhile.
    view.pointee.records = records
    view.pointee.hits = tier.hitWords()
    view.pointee.expiries = tier.sharedExpiries()
    view.pointee.idle = idle
    view.pointee.directory = directory
    view.pointee.isClosed.store(0, ordering: .sequentiallyConsistent)
  }
}
