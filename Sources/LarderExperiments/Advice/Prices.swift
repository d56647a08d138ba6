import Foundation
import LarderEngine
import LarderSupport
import Yams

/// Prices of a cache and of its misses, in one currency; `keys` has the meaning of each.
package struct Prices: Sendable, Hashable, Codable {
  package var currency = "USD"
  package var memoryPerGiBMonth = 3.0
  package var flashPerGiBMonth = 0.10
  package var flashReplacementPerGiB = 0.10
  package var flashEnduranceWrites = 1000.0
  package var originPerMillionRequests = 0.40
  package var originPerGiB = 0.05
  package var secondOfLatency = 0.0
  package var originMilliseconds = 50.0
  package var flashMilliseconds = 0.2
  package var objectBytes = 4096.0
  /// Nil to derive them from the trace's times or, without times, to assume that it spans one day.
  package var requestsPerMonth: Double?

  /// Example values: rounded list prices of cloud machines, object stores and content delivery
  /// networks in 2025. Replace them with your own.
  package init() {}

  static let monthSeconds = 30.44 * 86400
  static let gib = 1_073_741_824.0

  package var wearPerGiB: Double { flashReplacementPerGiB / flashEnduranceWrites }

  func miss(bytes: Double) -> Double {
    originPerMillionRequests / 1e6 + originPerGiB * bytes / Self.gib
      + secondOfLatency * originMilliseconds / 1000
  }

  func perGiBMonth(of tier: StorageTier) -> Double {
    tier == .flash ? flashPerGiBMonth : memoryPerGiBMonth
  }

  package typealias Amount = WritableKeyPath<Prices, Double> & Sendable

  /// Keys of a file with prices, in the order of documentation; without an amount for a name, and
  /// for a number that may be missing.
  package static let keys: [(name: String, meaning: String, amount: Amount?)] = [
    ("currency", "name of the currency", nil),
    ("memory-per-gib-month", "a GiB of DRAM for a month", \Prices.memoryPerGiBMonth),
    ("flash-per-gib-month", "a GiB of flash for a month, without wear", \Prices.flashPerGiBMonth),
    (
      "flash-replacement-per-gib", "replacing a worn-out GiB of flash",
      \Prices.flashReplacementPerGiB
    ),
    (
      "flash-endurance-writes", "write endurance, in full writes of the flash",
      \Prices.flashEnduranceWrites
    ),
    (
      "origin-per-million-requests", "a million requests to the origin",
      \Prices.originPerMillionRequests
    ),
    ("origin-per-gib", "a GiB fetched from the origin", \Prices.originPerGiB),
    ("second-of-latency", "a second of waiting time", \Prices.secondOfLatency),
    ("origin-milliseconds", "milliseconds of a fetch from the origin", \Prices.originMilliseconds),
    ("flash-milliseconds", "milliseconds of a read from flash", \Prices.flashMilliseconds),
    ("object-bytes", "size of an object if the trace has no sizes, bytes", \Prices.objectBytes),
    ("requests-per-month", "requests per month; by default from the times of the trace", nil),
  ]
}

extension Prices {
  private static let bytesMax = 1 << 16

  /// Reads prices from a YAML file: a map from keys to numbers. Missing keys have their example
  /// values.
  ///
  /// - Parameters:
  ///   - text: the bytes of the file.
  ///   - file: its name, for errors.
  /// - Throws: `AdviceError.prices` with the line, for an unknown or repeated key, and for a value
  ///   that is not a number in range.
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
      guard let own = Self.keys.first(where: { $0.name == name.string }) else {
        throw refused(key, UnknownName.message("key", name.string, among: Self.keys.map(\.name)))
      }
      guard case .scalar(let scalar) = value else {
        throw refused(value, "\(name.string): expected a number")
      }
      guard name.string != "currency" else {
        currency = String(TextSafety.singleLine(scalar.string).prefix(12))
        continue
      }
      guard let number = Double(scalar.string), Self.range(of: name.string).contains(number) else {
        throw refused(
          value, "\(name.string): expected a number from 0 to 10^15, found '\(scalar.string)'")
      }
      if let amount = own.amount {
        self[keyPath: amount] = number
      } else {
        requestsPerMonth = number
      }
    }
  }

  /// Valid values of a key; divisors must not be 0.
  private static func range(of key: String) -> ClosedRange<Double> {
    ["flash-endurance-writes", "object-bytes", "requests-per-month"].contains(key)
      ? 1e-9...1e15 : 0...1e15
  }
}
