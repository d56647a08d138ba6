/// Owns the memory behind a prepared trace's columns and frees it when nobody reads them any more.
final class ColumnStorage: @unchecked Sendable {
  // Unchecked: columns are added by whoever makes the trace, before anybody else knows the storage,
  // and nobody writes to their memory afterwards.
  private var columns: [OwnedColumn] = []
  private let base: AnyObject?

  /// No columns yet. `base` is kept alive with this storage.
  init(over base: AnyObject? = nil) { self.base = base }

  /// Takes a column over. For use while the storage is being made.
  func adopt<Element: BitwiseCopyable>(
    _ column: consuming GrowableColumn<Element>, count: Int
  ) -> UnsafePointer<Element> {
    let owned = OwnedColumn(column.finish(count: count))
    columns.append(owned)
    return UnsafePointer(owned.base.assumingMemoryBound(to: Element.self))
  }

  /// Lets pages of columns in temporary files leave memory: they come back when they are read.
  func release(_ bytes: UnsafeRawBufferPointer) {
    for column in columns where column.contains(bytes) { column.release(bytes) }
  }
}

/// Memory that cannot be copied, in a box that arrays can hold.
private final class OwnedColumn {
  private let memory: PageMemory
  var base: UnsafeMutableRawPointer { memory.base }
  init(_ memory: consuming PageMemory) { self.memory = memory }

  func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    return start >= UnsafeRawPointer(base) && start < UnsafeRawPointer(base) + memory.count
  }

  func release(_ bytes: UnsafeRawBufferPointer) { memory.release(bytes) }
}
