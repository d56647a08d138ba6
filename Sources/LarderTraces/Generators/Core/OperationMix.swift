import LarderEngine

/// Draws what each request does, by shares.
struct OperationMix {
  private let table: AliasTable
  private var random: RandomStream

  /// Whether anything but gets can be drawn.
  let isOnlyGets: Bool

  /// A mix from shares by name.
  ///
  /// - Throws: `ComponentError` for an unknown operation, a share outside 0 to 1, or a sum that is
  ///   not 1.
  init(_ shares: [String: Double], generator: String, seed: UInt64) throws(ComponentError) {
    let names = Operation.allCases.filter { $0.rawValue < Operation.bypass.rawValue }.map {
      "\($0)"
    }
    for name in shares.keys.sorted() {
      guard names.contains(name) else {
        let hint = name.nearest(among: names).map { "; did you mean '\($0)'?" } ?? ""
        throw ComponentError(
          component: generator, parameter: "operations",
          message: "expected \(names.joined(separator: ", ")), found '\(name)'\(hint)")
      }
      guard let share = shares[name], share >= 0, share <= 1 else {
        throw ComponentError(
          component: generator, parameter: "operations",
          message: "expected a share from 0 to 1 for \(name), found \(shares[name] ?? .nan)")
      }
    }
    let weights = names.map { shares[$0] ?? 0 }
    let total = weights.reduce(0, +)
    guard abs(total - 1) <= 1e-6 else {
      throw ComponentError(
        component: generator, parameter: "operations",
        message: "expected shares with a sum of 1, found \(total)")
    }
    table = AliasTable(weights: weights)
    random = RandomStream(seed: seed, purpose: 0x0b5)
    isOnlyGets = weights[0] == total
  }

  /// Writes the operation of each record.
  mutating func fill(_ records: UnsafeMutableBufferPointer<TraceRecord>) {
    for index in records.indices {
      records[index].operation = UInt8(truncatingIfNeeded: table.index(random.next()))
    }
  }
}
