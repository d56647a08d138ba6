import LarderSystem

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
