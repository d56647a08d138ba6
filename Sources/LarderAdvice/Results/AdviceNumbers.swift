import LarderSystem

/// Numbers as advice writes them.
package enum AdviceNumbers {
  /// A number with up to six significant decimals, without needless zeros.
  package static func plain(_ value: Double) -> String {
    var text = NumberText.fixed(value, decimals: value.magnitude < 0.01 ? 9 : 4) ?? "–"
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// A ratio in per cent, with one decimal.
  package static func percent(_ ratio: Double) -> String {
    (NumberText.fixed(ratio * 100, decimals: 1) ?? "–") + " %"
  }

  /// Points, with two decimals.
  package static func points(_ points: Double) -> String {
    NumberText.fixed(points, decimals: 2) ?? "–"
  }

  /// An amount of money.
  package static func money(_ amount: Double, _ currency: String) -> String {
    "\(self.amount(amount)) \(currency)"
  }

  /// An amount without its currency.
  package static func amount(_ amount: Double) -> String {
    let decimals = amount.magnitude >= 100 ? 0 : amount.magnitude >= 0.1 || amount == 0 ? 2 : 6
    return NumberText.fixed(amount, decimals: decimals) ?? "–"
  }

  /// A time in the unit that suits it.
  package static func time(_ seconds: Double) -> String {
    let (value, unit): (Double, String) =
      switch seconds {
      case ..<1: (seconds * 1000, "ms")
      case ..<120: (seconds, "s")
      case ..<7200: (seconds / 60, "min")
      case ..<172_800: (seconds / 3600, "h")
      case ..<63_072_000: (seconds / 86400, "days")
      default: (seconds / 31_557_600, "years")
      }
    let decimals = value == value.rounded() || value >= 100 ? 0 : 1
    return "\(NumberText.fixed(value, decimals: decimals) ?? "–") \(unit)"
  }
}
