#if LARDER_SCHEDULES
  import Larder

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A value that is distinguishable from all others of its schedule, and from a mixture of two.
  protocol ScheduledValue: Sendable {
    init(_ number: Int)
    var number: Int? { get }
  }

  struct PlainValue: ScheduledValue {
    private let one: Int
    private let other: Int

    init(_ number: Int) { (one, other) = (number, ~number) }

    var number: Int? { one == ~other ? one : nil }
  }

  final class ObjectValue: ScheduledValue {
    private let one: Int
    // Not intact in a destroyed object.
    private let other: Int

    init(_ number: Int) { (one, other) = (number, ~number) }

    var number: Int? { one == ~other ? one : nil }

    static let codec = DiskCodec<ObjectValue>(
      identity: "schedules", encode: { value in Data("\(value.one)".utf8) },
      decode: { data in
        guard let number = Int(String(decoding: data, as: UTF8.self)) else {
          throw CancellationError()
        }
        return ObjectValue(number)
      })
  }
#endif
