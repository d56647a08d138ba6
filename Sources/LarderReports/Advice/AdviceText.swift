import LarderAdvice
import LarderSystem

/// Advice for a terminal: one screen.
package enum AdviceText {
  /// The text, with lines of at most `width` characters.
  package static func text(of advice: Advice, width: Int) -> String {
    let width = min(max(width, 40), 100)
    let sentences = AdviceSentences(advice: advice)
    var lines: [String] = []
    for item in sentences.items {
      let label = item.title + String(repeating: " ", count: max(1, 11 - item.title.count))
      let words = wrapped(TextSafety.singleLine(item.text), width: width - 11)
      for (number, line) in words.enumerated() {
        lines.append((number == 0 ? label : String(repeating: " ", count: 11)) + line)
      }
    }
    var text = lines.joined(separator: "\n") + "\n"
    if advice.capacities.count > 1 {
      text += "\n" + ComparisonTable.aligned(AdviceTables.capacities(advice), false)
    }
    if let costs = advice.costs {
      let assumptions = "Assumed: " + costs.assumptions.joined(separator: "; ") + "."
      text += "\n" + wrapped(assumptions, width: width).joined(separator: "\n") + "\n"
    }
    for note in advice.notes {
      text +=
        wrapped("Note: \(TextSafety.singleLine(note))", width: width)
        .joined(separator: "\n") + "\n"
    }
    return text
  }

  /// Lines of at most so many characters; longer words stay whole.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words(text) {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// The words of a text; a number stays with its other digits and its unit.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    for part in text.split(separator: " ") {
      let follows = words.last.map { $0.last?.isNumber ?? false } ?? false
      if follows,
        part.first?.isNumber ?? false || units.contains(part.prefix { $0.isLetter || $0 == "%" })
      {
        words[words.count - 1] += " " + part
      } else {
        words.append(String(part))
      }
    }
    return words
  }

  private static let units: Set<Substring> = [
    "%", "B", "KiB", "MiB", "GiB", "TiB", "objects", "points", "s", "min", "h", "days", "years",
  ]
}
