/// A place on the heap for a value that cannot be copied, so that several closures can share it.
final class Held<Value: ~Copyable> {
  /// The value.
  var value: Value

  /// Moves `value` in.
  init(_ value: consuming Value) { self.value = value }
}
