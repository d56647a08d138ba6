/// Why a text is no capacity, or not one for this trace.
public struct CapacityError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The capacity as it was written.
  public var text: String
  /// What is wrong with it and what to write instead.
  public var message: String

  /// What a capacity may look like.
  static let forms = "expected a number of objects (1000), of bytes (64MiB) or a share (1%)"

  /// An error; see the properties for the meaning of each part.
  public init(_ text: String, _ message: String) {
    self.text = text
    self.message = message
  }

  /// One line for a person.
  public var description: String { "capacity '\(text)': \(message)" }
}
