import Foundation
import LarderEngine
import LarderSystem
import Yams

extension Prices {
  /// The largest file that is read.
  private static let bytesMax = 1 << 16

  /// Prices from a YAML file: a map from keys to numbers. What it leaves out has its example value.
  ///
  /// - Parameters:
  ///   - text: the bytes of the file.
  ///   - file: its name, for errors.
  /// - Throws: `AdviceError.prices` with the line, for a key that does not exist or occurs twice,
  ///   and for a value that is not a number in range.
  package init(yaml text: Data, file: String) throws(AdviceError) {
    self.init()
    func refused(_ node: Node?, _ message: String) -> AdviceError {
      .prices(file: file, line: node?.mark?.line, message: TextSafety.singleLine(message))
    }
    guard text.count <= Self.bytesMax else {
      throw refused(nil, "expected a file with prices, found more than \(Self.bytesMax >> 10) KiB")
    }
    guard let text = String(validating: text, as: UTF8.self) else {
      throw refused(nil, "expected UTF-8 text")
    }
    let root: Node?
    do {
      root = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    } catch let YamlError.duplicatedKeysInMapping(keys, context) {
      throw AdviceError.prices(
        file: file, line: context.mark.line,
        message: TextSafety.singleLine("key '\(keys.first ?? "")' occurs twice; keep one"))
    } catch {
      throw refused(nil, "not valid YAML: \(error)")
    }
    guard let root, case .mapping(let map) = root else {
      throw refused(root, "expected a map of prices, such as 'memory-per-gib-month: 3'")
    }
    for (key, value) in map {
      guard case .scalar(let name) = key else { throw refused(key, "expected the name of a price") }
      let known = Self.keys.map(\.name)
      guard known.contains(name.string) else {
        let hint =
          name.string.nearest(among: known).map { "did you mean '\($0)'?" }
          ?? "known are \(known.joined(separator: ", "))"
        throw refused(key, "unknown key '\(name.string)'; \(hint)")
      }
      guard case .scalar(let scalar) = value else {
        throw refused(value, "\(name.string): expected a number")
      }
      guard name.string != "currency" else {
        currency = String(TextSafety.singleLine(scalar.string).prefix(12))
        continue
      }
      guard let number = Double(scalar.string), Self.range(of: name.string).contains(number),
        set(name.string, number)
      else {
        throw refused(
          value, "\(name.string): expected a number from 0 to 10^15, found '\(scalar.string)'")
      }
    }
  }

  /// What a key may be: what is divided by must not be 0.
  private static func range(of key: String) -> ClosedRange<Double> {
    ["flash-endurance-writes", "object-bytes", "requests-per-month"].contains(key)
      ? 1e-9...1e15 : 0...1e15
  }
}
