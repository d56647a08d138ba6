import LarderEngine
import LarderSupport

/// A capacity as users write it: `1000` objects, `64MiB`, or `1%` of the footprint.
package struct CapacitySpec: Sendable, Hashable, CustomStringConvertible {
  /// What was written, taken apart.
  package enum Amount: Sendable, Hashable {
    /// A number of objects.
    case objects(UInt64)
    /// A number of bytes.
    case bytes(UInt64)
    /// A share of the trace's footprint: of its distinct objects, or of the sum of their sizes.
    case share(Share)
  }

  /// The amount.
  package let amount: Amount
  /// The text as it was written, which is also how results label the capacity.
  package let description: String

  /// The largest number of objects that ids can tell apart.
  package static let largestObjects = UInt64(UInt32.max) - 1
  /// The largest number of bytes that a tier can have: 2^50, a pebibyte.
  package static let largestBytes = PolicySetup.capacityMax

  /// So many bytes, under a name of its own.
  init(bytes: UInt64, label: String) {
    amount = .bytes(bytes)
    description = label
  }

  /// Reads a capacity.
  ///
  /// - Throws: `CapacityError` when the text is no capacity, or one of 0, or an absurd one.
  package init(parsing text: some StringProtocol) throws(CapacityError) {
    let text = String(text.trimmed)
    description = text
    if text.hasSuffix("%") {
      guard let share = Share(parsing: text) else {
        throw CapacityError(text, "a share is a number above 0% and at most 100%, such as 1%")
      }
      amount = .share(share)
      return
    }
    let (number, unit) = Quantity.split(text)
    if number.hasPrefix("-") {
      throw CapacityError(text, "a capacity must be above 0")
    }
    amount =
      unit.isEmpty
      ? .objects(try Self.objects(number, in: text))
      : .bytes(try Self.bytes(number, unit: unit, in: text))
  }

  /// Reads capacities separated by commas, as `--capacity` takes them.
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
    guard let objects = Quantity.whole(number) else {
      let isNumber = ExactDecimal(number) != nil
      throw CapacityError(
        text,
        isNumber && number.contains(".")
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
    guard let decimal = ExactDecimal(number) else {
      throw CapacityError(text, CapacityError.forms)
    }
    guard let factor = Quantity.byteUnits.first(where: { $0.name == unit.lowercased() })?.bytes
    else {
      let units = Quantity.byteUnits.map(\.written).joined(separator: ", ")
      throw CapacityError(text, "unknown unit '\(unit)'; the units of bytes are \(units)")
    }
    guard decimal.digits > 0 else { throw CapacityError(text, "a capacity must be above 0") }
    guard let (bytes, isExact) = decimal.multiplied(by: factor), bytes <= largestBytes else {
      throw CapacityError(text, "more than the limit of 1024TiB")
    }
    guard isExact else { throw CapacityError(text, "this is not a whole number of bytes") }
    return bytes
  }

  /// The capacity in `unit` for a trace; as `resolve(unit:objects:footprintBytes:)`. A share is one
  /// of the objects that a cache may store.
  package func resolve(
    unit: CapacityUnit, of trace: TraceFacts
  ) throws(CapacityError) -> UInt64 {
    try resolve(
      unit: unit, objects: trace.storableObjects ?? trace.objects,
      footprintBytes: trace.footprintBytes)
  }

  /// The capacity in `unit`.
  ///
  /// - Parameters:
  ///   - objects: distinct objects that a cache may store.
  ///   - footprintBytes: sum of their sizes, nil when the trace has none.
  /// - Throws: `CapacityError` when the amount counts something else than `unit`, or when the
  ///   share comes to less than 1.
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

/// Why a text is no capacity, or not one for this trace.
package struct CapacityError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The capacity as it was written.
  package var text: String
  /// What is wrong with it and what to write instead.
  package var message: String

  /// What a capacity may look like.
  static let forms = "expected a number of objects (1000), of bytes (64MiB) or a share (1%)"

  /// An error; see the properties for the meaning of each part.
  package init(_ text: String, _ message: String) {
    self.text = text
    self.message = message
  }

  /// One line for a person.
  package var description: String {
    TextSafety.singleLine("capacity '\(text)': \(message)")
  }
}
