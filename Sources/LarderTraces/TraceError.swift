internal import LarderSystem

/// What can be wrong with a trace: always a single line, with the file and the place in it.
public struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, or another name for the source.
  public var source: String
  /// Where in the source, when known.
  public var place: Place?
  /// What was found and what was expected.
  public var message: String
  /// What the user can do about it.
  public var advice: String?
  /// True where memory is short and nothing is wrong with the source.
  package var isMemoryShortage = false

  /// A place in a source.
  public enum Place: Hashable, Sendable {
    /// Line number, from 1.
    case line(Int)
    /// Offset in the decompressed bytes.
    case byte(Int)
  }

  /// An error at a place; see the properties for the meaning of each part.
  public init(
    _ message: String, in source: String, at place: Place? = nil, advice: String? = nil
  ) {
    self.source = source
    self.place = place
    self.message = message
    self.advice = advice
  }

  /// `file:12: expected a number, found 'x'; what to do`.
  public var description: String {
    var text = source
    switch place {
    case .line(let line): text += ":\(line)"
    case .byte(let offset): text += ": byte \(offset)"
    case nil: break
    }
    text += ": \(message)"
    if let advice { text += "; \(advice)" }
    return TextSafety.singleLine(text)
  }
}
