#if LARDER_SCHEDULES
  import Larder

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A value that can be told from all others of its schedule, and from a mixture of two.
  protocol ScheduledValue: Sendable {
    init(_ number: Int)
    /// Nil for a value that nobody has made.
    var number: Int? { get }
  }

  /// Nothing but bytes: read while others write.
  struct PlainValue: ScheduledValue {
    private let one: Int
    private let other: Int

    init(_ number: Int) { (one, other) = (number, ~number) }

    var number: Int? { one == ~other ? one : nil }
  }

  /// An object, whose references are counted.
  final class ObjectValue: ScheduledValue {
    private let one: Int
    // What a destroyed object would not show.
    private let other: Int

    init(_ number: Int) { (one, other) = (number, ~number) }

    var number: Int? { one == ~other ? one : nil }

    /// Eight bytes.
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
