/// A place on the heap for a value that cannot be copied, so that several closures can share it.
///
/// The value is reached through a pointer and not as a stored property: a property of a class is
/// checked for overlapping access at run time, each time, which cost a hybrid a quarter of its
/// speed. Whoever holds it sees to it that one call at a time uses the value.
@usableFromInline
final class Held<Value: ~Copyable> {
  @usableFromInline let place: UnsafeMutablePointer<Value>

  /// Moves `value` in.
  @usableFromInline
  init(_ value: consuming Value) {
    // Nothing else is in its cache lines, which processors fetch in pairs.
    let bytes = (MemoryLayout<Value>.size + 127) / 128 * 128
    place = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 128)
      .bindMemory(to: Value.self, capacity: 1)
    place.initialize(to: value)
  }

  deinit {
    place.deinitialize(count: 1)
    place.deallocate()
  }

  /// Calls `body` with the value.
  @inlinable
  @inline(__always)
  func with<Result>(_ body: (inout Value) -> Result) -> Result { body(&place.pointee) }
}
