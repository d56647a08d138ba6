/// Why a layout cannot be read.
package struct FlashLayoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line for a person.
  package let description: String
}
