import LarderEngine
import LarderSupport

package struct CapacitySpec: Sendable, Hashable, CustomStringConvertible {
  package enum Amount: Sendable, Hashable {
    case objects(UInt64)
    case bytes(UInt64)
    case share(Share)
  }

  package let amount: Amount
  package let description: String

  package static let largestObjects = UInt64(UInt32.max) - 1
  package static let largestBytes = PolicySetup.capacityMax

  init(bytes: UInt64, label: String) {
    amount = .bytes(bytes)
    description = label
  }

  package init(parsing text: some StringProtocol) throws(CapacityError) {
    let text = String(text.trimmed)
    description = text
    let (number, unit) = Quantity.split(text)
    if number.hasPrefix("-") { throw CapacityError(text, "a capacity must be above 0") }
    if let share = Share(parsing: text),
      number.contains(where: { "./".contains($0) }) || unit == "%"
    {
      guard share.parts > 0 else { throw CapacityError(text, CapacityError.shares) }
      amount = .share(share)
      return
    }
    if unit == "%" { throw CapacityError(text, CapacityError.shares) }
    amount =
      unit.isEmpty
      ? .objects(try Self.objects(number, in: text))
      : .bytes(try Self.bytes(number, unit: unit, in: text))
  }

  package static func list(
    parsing text: some StringProtocol
  ) throws(CapacityError) -> [CapacitySpec] {
    var capacities: [CapacitySpec] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      capacities.append(try CapacitySpec(parsing: part))
    }
    return capacities
  }

  private static func objects(_ number: String, in text: String) throws(CapacityError) -> UInt64 {
    guard let objects = Quantity.count.amount(number) else {
      throw CapacityError(
        text,
        number.contains(".") && ExactDecimal(number) != nil
          ? "a number of objects must be whole (a share of the footprint is written 10%)"
          : CapacityError.forms)
    }
    guard objects > 0 else { throw CapacityError(text, "a capacity must be above 0") }
    guard objects <= largestObjects else {
      throw CapacityError(text, "more than the limit of \(largestObjects) objects")
    }
    return objects
  }

  private static func bytes(
    _ number: String, unit: String, in text: String
  ) throws(CapacityError) -> UInt64 {
    guard let decimal = ExactDecimal(number) else { throw CapacityError(text, CapacityError.forms) }
    let units = Quantity.bytes.suffixes
    guard let factor = units.first(where: { $0.name.lowercased() == unit.lowercased() })?.factor
    else {
      let known = units.map(\.name).joined(separator: ", ")
      throw CapacityError(text, "unknown unit '\(unit)'; the units of bytes are \(known)")
    }
    guard decimal.digits > 0 else { throw CapacityError(text, "a capacity must be above 0") }
    guard let (bytes, isExact) = decimal.times(factor), bytes <= largestBytes else {
      throw CapacityError(text, "more than the limit of 1024TiB")
    }
    guard isExact else { throw CapacityError(text, "this is not a whole number of bytes") }
    return bytes
  }

  package func resolve(
    unit: CapacityUnit, of trace: TraceFacts
  ) throws(CapacityError) -> UInt64 {
    try resolve(
      unit: unit, objects: trace.storableObjects ?? trace.objects,
      footprintBytes: trace.footprintBytes)
  }

  package func resolve(
    unit: CapacityUnit, objects: UInt64, footprintBytes: UInt64?
  ) throws(CapacityError) -> UInt64 {
    switch (amount, unit) {
    case (.objects(let count), .objects): return count
    case (.bytes(let bytes), .bytes): return bytes
    case (.objects(let count), .bytes):
      throw CapacityError(
        description,
        "this is a number of objects, but the trace has sizes, so capacities count bytes: write "
          + "\(count)B, or ignore the sizes (--ignore-size, or 'unit: objects')")
    case (.bytes, .objects):
      throw CapacityError(
        description,
        "this is a size in bytes, but sizes are ignored or unknown, so capacities count objects: "
          + "write a plain number such as 1000")
    case (.share(let share), .objects):
      return try atLeastOne(share.of(objects), of: "\(objects) objects")
    case (.share(let share), .bytes):
      guard let footprintBytes else {
        throw CapacityError(description, "the trace has no sizes, so its bytes are unknown")
      }
      return try atLeastOne(share.of(footprintBytes), of: "\(footprintBytes) bytes")
    }
  }

  private func atLeastOne(_ value: UInt64, of whole: String) throws(CapacityError) -> UInt64 {
    guard value > 0 else {
      throw CapacityError(description, "this share of \(whole) is less than 1")
    }
    return value
  }
}

package struct CapacityError: Error, Hashable, Sendable, CustomStringConvertible {
  package var text: String
  package var message: String

  static let forms = "expected a number of objects (1000), of bytes (64MiB) or a share (1%)"

  static let shares = "a share is above 0% and at most 100%, such as 1%, 0.01 or 1/100"

  package init(_ text: String, _ message: String) {
    self.text = text
    self.message = message
  }

  package var description: String { TextSafety.singleLine("capacity '\(text)': \(message)") }
}
