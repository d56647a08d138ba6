import Foundation
import Yams

/// A YAML file in memory: its name for errors, and a bound on how much of it is walked.
final class YAMLDocument {
  /// The file as it was named.
  let file: String
  private var remainingValues = YAMLDocument.valuesMax

  /// The largest file that is read.
  static let bytesMax = 1 << 20
  /// The most values that are looked at, with what aliases repeat.
  private static let valuesMax = 100_000

  private init(file: String) { self.file = file }

  /// Parses text that came from `file`.
  ///
  /// - Throws: `WorkloadError` when it is no text, no YAML, empty, too large, or a bomb.
  static func parse(_ bytes: Data, file: String) throws(WorkloadError) -> YAMLValue {
    let document = YAMLDocument(file: file)
    guard bytes.count <= bytesMax else {
      throw document.error(nil, .tooLarge(limitBytes: bytesMax))
    }
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw document.notUTF8(bytes)
    }
    // Some editors begin a file with a byte order mark; the parser would take it for text.
    if text.unicodeScalars.first == "\u{feff}" { text.unicodeScalars.removeFirst() }
    guard AliasBound.isHarmless(text) else { throw document.error(nil, .repetition) }
    let node: Node?
    do {
      // Without a resolver, keys that look alike are alike, whatever their types would be.
      node = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    } catch let error as YamlError {
      throw document.error(error, in: text)
    } catch {
      throw document.error(nil, .syntax("\(error)"))
    }
    guard let node else { throw document.error(nil, .empty) }
    let value = YAMLValue(node: node, path: "", document: document)
    if value.isNull { throw document.error(nil, .empty) }
    return value
  }

  /// Takes one value from the number that may be looked at.
  func visit(at line: Int?) throws(WorkloadError) {
    remainingValues -= 1
    if remainingValues < 0 { throw error(line, .repetition) }
  }

  /// An error at a line.
  func error(
    _ line: Int?, _ problem: WorkloadError.Problem, path: String = ""
  ) -> WorkloadError {
    WorkloadError(file: file, line: line, path: path, problem: problem)
  }

  private func notUTF8(_ bytes: Data) -> WorkloadError {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var offset = 0
    var line = 1
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      offset += UTF8.width(scalar)
      if scalar == "\n" { line += 1 }
    }
    return error(line, .notUTF8(offset: offset))
  }

  private func error(_ error: YamlError, in text: String) -> WorkloadError {
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      if problem.hasPrefix("Maximum nesting") {
        return self.error(mark.line, .syntax("nested too deeply"))
      }
      if problem.hasSuffix("found another document") {
        return self.error(mark.line, .syntax("a second document starts here; keep one"))
      }
      let place = context.map { " \($0.text) on line \($0.mark.line)" } ?? ""
      return self.error(mark.line, .syntax("\(problem)\(place)"))
    case .reader(let problem, let offset, _, _):
      let line = offset.map { text.prefix($0).count(where: \.isNewline) + 1 }
      return self.error(line, .syntax(problem))
    case .duplicatedKeysInMapping(let keys, let context):
      let key = keys.first ?? ""
      let again = Self.line(repeating: key, after: context.mark, in: text)
      return self.error(
        context.mark.line, .duplicateKey(YAMLValue.shortened(key), again: again))
    default:
      return self.error(nil, .syntax("\(error)"))
    }
  }

  /// Where the key at `mark` stands again in the same block: the next line that begins with it in
  /// the same column, nothing standing further left in between.
  private static func line(repeating key: String, after mark: Mark, in text: String) -> Int? {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated().dropFirst(mark.line) {
      let body = line.drop { $0 == " " }
      if body.isEmpty || body.first == "#" { continue }
      let column = line.count - body.count + 1
      if column < mark.column { return nil }
      if column == mark.column, body.hasPrefix("\(key):") { return index + 1 }
    }
    return nil
  }
}

/// A bound on what aliases can make of a document, from its text alone, because the parser compares
/// whole keys before anybody could count.
enum AliasBound {
  /// Whether anchors and aliases cannot repeat the text more than to 100 MB.
  ///
  /// With a anchors and k aliases in all, the longest chain of repetitions uses up to a levels with
  /// k / a aliases each: (k / a)^a, largest at a = k / e.
  static func isHarmless(_ text: String) -> Bool {
    let anchors = marks("&", in: text)
    let aliases = Double(marks("*", in: text))
    guard anchors > 0, aliases > 0 else { return true }
    let levels = max(1, min(Double(anchors), (aliases / 2.718).rounded()))
    var bound = Double(text.utf8.count)
    for _ in 0..<Int(levels) where bound < 1e8 { bound *= max(1, aliases / levels) }
    return bound < 1e8
  }

  /// How often `mark` stands where a value may begin, followed by a name.
  private static func marks(_ mark: Unicode.Scalar, in text: String) -> Int {
    var count = 0
    var before: Unicode.Scalar = "\n"
    var isMark = false
    for scalar in text.unicodeScalars {
      if isMark, !scalar.properties.isWhitespace, scalar != mark { count += 1 }
      isMark = scalar == mark && (before.properties.isWhitespace || "[{,:-?".contains(before))
      before = scalar
    }
    return count
  }
}

extension String {
  fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}
