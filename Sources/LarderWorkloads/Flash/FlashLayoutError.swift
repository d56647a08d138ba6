import LarderSystem

/// Why a layout cannot be read.
package struct FlashLayoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line for a person.
  package let description: String

  /// An error of this text, made one line.
  init(description: String) { self.description = TextSafety.singleLine(description) }
}
