import LarderEngine
import Synchronization

/// Objects that C programs know by number. A number is never given twice, so that one that is used
/// after its object was destroyed is noticed.
final class HandleTable<Object: AnyObject & Sendable>: Sendable {
  private let objects = Locked<[UInt64: Object]>([:])

  /// Puts an object into the table and returns its number. O(1) expected.
  func add(_ object: Object) -> UInt64 {
    let number = HandleNumbers.next()
    objects.withLock { $0[number] = object }
    return number
  }

  /// The object of a number; nil when there is none.
  subscript(number: UInt64) -> Object? { objects.withLock { $0[number] } }

  /// Takes an object out of the table, and says whether it was there.
  func remove(_ number: UInt64) -> Bool {
    let removed = objects.withLock { $0.removeValue(forKey: number) }
    return removed != nil
  }
}

/// Numbers of all tables: a trace's is not a task's.
private enum HandleNumbers {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
