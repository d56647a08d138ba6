import Larder
import LarderEngine

/// One parser under test: a function of bytes that may refuse them with a typed error, and must
/// neither trap nor break a property.
package struct FuzzTarget: Sendable {
  /// The name, which is also the folder of its corpus, such as `format/csv`.
  package let name: String
  /// Longest input that libFuzzer makes, in bytes.
  package let lengthMax: Int
  /// Tries one input.
  ///
  /// - Throws: `FuzzFinding` when a property does not hold. Errors of the code under test are
  ///   caught by the target.
  package let run: @Sendable (_ input: [UInt8]) throws -> Void

  /// A target; see the properties for the meaning of each part.
  package init(
    _ name: String, lengthMax: Int = 4096,
    run: @escaping @Sendable (_ input: [UInt8]) throws -> Void
  ) {
    self.name = name
    self.lengthMax = lengthMax
    self.run = run
  }
}

/// A property that does not hold.
package struct FuzzFinding: Error, CustomStringConvertible {
  /// What was found.
  package let description: String

  /// A finding.
  package init(_ description: String) { self.description = description }
}

/// Throws a finding unless a property holds.
func require(
  _ condition: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String
) throws {
  guard try condition() else { throw FuzzFinding(message()) }
}

/// Errors of the caches and policies, which quote what an app wrote itself.
private let quotingTypes: [any Error.Type] = [
  PolicyError.self, MemoryCacheError.self, DiskCacheError.self, HybridCacheError.self,
]

/// Runs code that may refuse its input; nil when it does.
///
/// - Throws: `FuzzFinding` when the error is not of one of `types`, or not a line.
func accepted<Value>(
  or types: any Error.Type..., body: () throws -> Value
) throws -> Value? {
  do {
    return try body()
  } catch let finding as FuzzFinding {
    throw finding
  } catch {
    guard types.contains(where: { type(of: error) == $0 }) else {
      throw FuzzFinding("untyped error \(type(of: error)): \(error)")
    }
    let text = "\(error)"
    // What an app passed is quoted as it is.
    guard !quotingTypes.contains(where: { type(of: error) == $0 }) else { return nil }
    try require(!text.isEmpty, "an error of type \(type(of: error)) says nothing")
    try require(
      !text.contains(where: \.isNewline), "an error of several lines: \(text.debugDescription)")
    return nil
  }
}
