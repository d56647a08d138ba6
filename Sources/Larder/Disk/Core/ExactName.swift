/// A text that equals another only byte for byte. Swift's `String` takes two spellings of one
/// accented letter for equal; a cache must not.
struct ExactName: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: ExactName, other: ExactName) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
