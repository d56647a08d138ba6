import Larder
import LarderEngine

/// A parser under test: a function of bytes that may reject them with a typed error, and must
/// neither trap nor violate a property.
package struct FuzzTarget: Sendable {
  /// The name, which is also the folder of its corpus, such as `format/csv`.
  package let name: String
  /// The longest input that libFuzzer makes, in bytes.
  package let lengthMax: Int
  /// Runs one input.
  ///
  /// - Throws: `FuzzFinding` if a property does not hold. The target catches errors of the code
  ///   under test.
  package let run: @Sendable (_ input: [UInt8]) throws -> Void

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
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Throws a finding unless a property holds.
func require(
  _ condition: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String
) throws {
  guard try condition() else { throw FuzzFinding(message()) }
}

/// Errors of caches and policies, which quote the input of an app.
private let quotingTypes: [any Error.Type] = [
  PolicyError.self, MemoryCacheError.self, DiskCacheError.self, HybridCacheError.self,
]

/// Runs code that may reject its input; nil if it does.
///
/// - Throws: `FuzzFinding` if the error is not of one of `types`, or is not one line.
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
    // Input of an app is quoted unchanged.
    guard !quotingTypes.contains(where: { type(of: error) == $0 }) else { return nil }
    try require(!text.isEmpty, "an error of type \(type(of: error)) says nothing")
    try require(
      !text.contains(where: \.isNewline), "an error of several lines: \(text.debugDescription)")
    return nil
  }
}
