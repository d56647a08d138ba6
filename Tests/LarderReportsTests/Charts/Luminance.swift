import Foundation

/// The relative luminance of a colour by WCAG.
enum Luminance {
  /// From 0 to 1; nil unless `text` has the form `#rrggbb`.
  static func of(_ text: String) -> Double? {
    guard text.hasPrefix("#"), text.count == 7, let value = Int(text.dropFirst(), radix: 16) else {
      return nil
    }
    let parts = [value >> 16 & 255, value >> 8 & 255, value & 255].map { part -> Double in
      let share = Double(part) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
}
