/// Replaces numbers in a text by extreme ones, which changes of single bytes seldom produce.
package enum NumberMutation {
  /// Replacements of a number; the last one is empty.
  package static let values: [[UInt8]] = [
    "0", "-1", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "100000000000000000000000", "1e308", "nan", "0.0000000001", "",
  ].map { Array($0.utf8) }

  /// Positions of numbers in an input: digits, with a sign before and points between them.
  package static func places(in input: [UInt8]) -> [Range<Int>] {
    func isDigit(_ index: Int) -> Bool { index < input.count && input[index] &- 0x30 < 10 }
    var places: [Range<Int>] = []
    var index = 0
    while index < input.count {
      guard isDigit(index) else {
        index += 1
        continue
      }
      let start = index
      while isDigit(index) || (index < input.count && input[index] == 0x2E && isDigit(index + 1)) {
        index += 1
      }
      let isNegative = start > 0 && input[start - 1] == 0x2D
      places.append((isNegative ? start - 1 : start)..<index)
    }
    return places
  }

  /// An input with another number at a position.
  package static func replacing(
    _ place: Range<Int>, of input: [UInt8], by value: [UInt8]
  ) -> [UInt8] {
    Array(input[..<place.lowerBound]) + value + Array(input[place.upperBound...])
  }

  /// An input with one of its numbers replaced, both chosen by a seed; nil if it has none or would
  /// exceed `lengthMax`.
  package static func mutated(_ input: [UInt8], seed: UInt32, lengthMax: Int) -> [UInt8]? {
    let places = places(in: input)
    guard !places.isEmpty else { return nil }
    let place = places[Int(seed >> 8) % places.count]
    let value = values[Int(seed & 0xFF) % values.count]
    let mutated = replacing(place, of: input, by: value)
    return mutated.count <= lengthMax ? mutated : nil
  }
}
