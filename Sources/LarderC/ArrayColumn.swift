import CLarder

/// A column in a caller's memory.
struct ArrayColumn {
  /// What it is, for messages.
  let name: String
  private let base: UnsafeRawPointer
  private let stride: Int
  private let type: ElementType

  /// What the elements are.
  private enum ElementType: Int32 {
    case int8 = 1
    case int16
    case int32
    case int64
    case uint8
    case uint16
    case uint32
    case uint64
    case float32
    case float64
  }

  /// A column of `count` elements; nil where there is none.
  ///
  /// - Throws: `CallError` for an unknown type, or a column that is longer than memory.
  init?(_ column: larder_column, _ name: String, count: Int) throws(CallError) {
    guard let values = column.values else { return nil }
    guard let type = ElementType(rawValue: column.type) else {
      throw .column(name, "unknown type \(column.type) of elements")
    }
    guard let stride = Int(exactly: column.stride) else {
      throw .column(name, "the stride \(column.stride) is out of range")
    }
    // The last element must have an address; whether it is the caller's nobody can tell.
    let (extent, overflows) = stride.magnitude.multipliedReportingOverflow(by: count.magnitude)
    guard !overflows, extent < UInt(Int.max) / 2 else {
      throw .column(name, "\(count) elements at a stride of \(stride) exceed the memory")
    }
    self.name = name
    self.type = type
    self.stride = stride
    base = values
  }

  /// Whether the elements are whole numbers.
  var isWhole: Bool { type != .float32 && type != .float64 }

  /// The bits of whole numbers: negative ones become large ones. For keys.
  func keys(_ range: Range<Int>, _ body: (Int, UInt64) -> Void) {
    whole(range) { index, value in
      body(index, value.bits)
      return true
    }
  }

  /// Whole numbers from 0 to a limit.
  ///
  /// - Throws: `CallError` with the first that is not, and what it must be.
  func values(
    _ range: Range<Int>, upTo limit: UInt64, _ expected: String, _ body: (Int, UInt64) -> Void
  ) throws(CallError) {
    var wrong: (index: Int, value: WholeNumber)?
    whole(range) { index, value in
      guard !value.isNegative, value.bits <= limit else {
        wrong = (index, value)
        return false
      }
      body(index, value.bits)
      return true
    }
    if let wrong { throw .element(name, wrong.index, "\(wrong.value) is not \(expected)") }
  }

  /// Finite numbers that are not negative.
  ///
  /// - Throws: `CallError` with the first that is not.
  func numbers(_ range: Range<Int>, _ body: (Int, Float) -> Void) throws(CallError) {
    var wrong: (index: Int, value: Double)?
    func take(_ index: Int, _ value: Double) -> Bool {
      guard value >= 0, Float(value).isFinite else {
        wrong = (index, value)
        return false
      }
      body(index, Float(value))
      return true
    }
    switch type {
    case .float32: each(range, Float.self) { take($0, Double($1)) }
    case .float64: each(range, Double.self) { take($0, $1) }
    default: whole(range) { take($0, $1.isNegative ? -1 : Double($1.bits)) }
    }
    if let wrong {
      throw .element(name, wrong.index, "\(wrong.value) is not a finite number from 0")
    }
  }

  /// A whole number of any type.
  private struct WholeNumber: CustomStringConvertible {
    let bits: UInt64
    let isNegative: Bool
    var description: String { isNegative ? "\(Int64(bitPattern: bits))" : "\(bits)" }
  }

  /// Calls `body` with whole numbers until it answers false; with none where there are others.
  @inline(__always)
  private func whole(_ range: Range<Int>, _ body: (Int, WholeNumber) -> Bool) {
    switch type {
    case .int8: signed(range, Int8.self, body)
    case .int16: signed(range, Int16.self, body)
    case .int32: signed(range, Int32.self, body)
    case .int64: signed(range, Int64.self, body)
    case .uint8: unsigned(range, UInt8.self, body)
    case .uint16: unsigned(range, UInt16.self, body)
    case .uint32: unsigned(range, UInt32.self, body)
    case .uint64: unsigned(range, UInt64.self, body)
    case .float32, .float64: break
    }
  }

  @inline(__always)
  private func signed<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ range: Range<Int>, _ number: Number.Type, _ body: (Int, WholeNumber) -> Bool
  ) {
    each(range, number) { index, value in
      body(
        index, WholeNumber(bits: UInt64(bitPattern: Int64(value)), isNegative: value < 0))
    }
  }

  @inline(__always)
  private func unsigned<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ range: Range<Int>, _ number: Number.Type, _ body: (Int, WholeNumber) -> Bool
  ) {
    each(range, number) { index, value in
      body(index, WholeNumber(bits: UInt64(value), isNegative: false))
    }
  }

  @inline(__always)
  private func each<Element: BitwiseCopyable>(
    _ range: Range<Int>, _ element: Element.Type, _ body: (Int, Element) -> Bool
  ) {
    var address = base + range.lowerBound * stride
    for index in range {
      guard body(index, address.loadUnaligned(as: Element.self)) else { return }
      address += stride
    }
  }
}
