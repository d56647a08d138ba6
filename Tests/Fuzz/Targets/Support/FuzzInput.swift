/// Draws values from the bytes of an input, so that a change of a byte changes one value. Zeros
/// follow the last byte.
struct FuzzInput {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var isEmpty: Bool { bytes.isEmpty }

  /// The remaining bytes.
  mutating func rest() -> [UInt8] {
    defer { bytes = [] }
    return Array(bytes)
  }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// A number from 0 to `bound` - 1, from one byte.
  mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

  /// Any number of 64 bits.
  mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

  /// True for odd bytes.
  mutating func flag() -> Bool { byte() & 1 == 1 }

  mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }

  /// A value or nil.
  mutating func maybe<Value>(_ draw: (inout FuzzInput) -> Value) -> Value? {
    flag() ? draw(&self) : nil
  }

  /// An ordinary number of at most `bound` - 1, a limit of a type or of Larder, or any.
  mutating func integer(below bound: Int) -> Int {
    switch byte() % 8 {
    case 0...4: Int(byte()) * 256 % bound + Int(byte()) % bound
    case 5, 6:
      pick([
        0, 1, -1, 2, .min, .min + 1, .max, .max - 1, 1 << 20, 1 << 31, 1 << 32, 1 << 50,
        (1 << 50) + 1, 1 << 62, -(1 << 40), Int(Int32.max), 1024, 1025, 1 << 40,
      ])
    default: Int(bitPattern: UInt(word()))
    }
  }

  /// An unsigned number: ordinary and at most `bound` - 1, a limit, or any.
  mutating func unsigned(below bound: Int) -> UInt64 {
    UInt64(bitPattern: Int64(integer(below: bound)))
  }

  /// A share from 0 to 1, or any other number.
  mutating func share() -> Double {
    switch byte() % 4 {
    case 0, 1: Double(byte()) / 255
    case 2:
      pick([
        0, 1, -0.0, -1, 2, .nan, .infinity, -.infinity, 1e308, .leastNonzeroMagnitude,
        .signalingNaN, 0.5,
      ])
    default: Double(bitPattern: word())
    }
  }

  /// A duration: ordinary, near a limit, or any.
  mutating func duration() -> Duration {
    switch byte() % 4 {
    case 0: .seconds(Int(byte()))
    case 1: .microseconds(Int(byte()))
    case 2:
      pick([
        .zero, .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1), .nanoseconds(-1),
        .seconds(-1), Duration(secondsComponent: .max, attosecondsComponent: .max),
        Duration(secondsComponent: .min, attosecondsComponent: .min),
      ])
    default:
      Duration(
        secondsComponent: Int64(bitPattern: word()) >> (byte() & 63), attosecondsComponent: 0)
    }
  }

  /// Any text of up to `count` bytes.
  mutating func text(upTo count: Int) -> String {
    let length = below(count + 1)
    return String(decoding: (0..<length).map { _ in byte() }, as: UTF8.self)
  }
}
