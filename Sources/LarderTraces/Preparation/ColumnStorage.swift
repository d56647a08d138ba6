#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns the memory behind a prepared trace's columns and frees it when nobody reads them any more.
final class ColumnStorage: @unchecked Sendable {
  // Unchecked: the pointers are only freed here, and nobody writes to the memory.
  private var columns: [UnsafeMutableRawPointer] = []
  private let base: AnyObject?

  /// No columns yet. `base` is kept alive with this storage.
  init(over base: AnyObject? = nil) { self.base = base }

  deinit { for column in columns { free(column) } }

  /// Takes a column over. For use while the storage is being made.
  func adopt<Element: BitwiseCopyable>(
    _ column: consuming GrowableColumn<Element>, count: Int
  ) -> UnsafePointer<Element> {
    let memory = column.finish(count: count)
    columns.append(UnsafeMutableRawPointer(memory))
    return UnsafePointer(memory)
  }
}
