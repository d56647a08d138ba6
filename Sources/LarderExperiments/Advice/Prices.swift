import Foundation
import LarderEngine
import LarderSupport
import LarderTraces

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
  /// Reads a map from keys to numbers. Missing keys have their example values.
  ///
  /// - Throws: `WorkloadError` with the line, for an unknown or repeated key, and for a value that
  ///   is not a number in range.
  package init(yaml text: Data, file: String) throws(WorkloadError) {
    let root = try YAMLDocument.parse(text, file: file)
    let checks = WorkloadReading(
      checks: .none, workload: Workload(name: "", source: SourceSpec.unread))
    self = try Self.section.read(root, into: Prices(), checks)
  }

  private static let section = Section<Prices>(
    "prices", "Prices of a cache.",
    expected: "a map of prices, such as 'memory-per-gib-month: 3'",
    keys: keys.map { key in
      // Divisors must not be 0.
      let isDivisor = ["flash-endurance-writes", "object-bytes", "requests-per-month"]
        .contains(key.name)
      if key.name == "currency" {
        return Key(key.name, currency, \.currency, key.meaning, default: "", example: "")
      }
      let number = Form<Double>(ValueShape([.number], ["type": "number"])) { value, _ in
        try value.number(
          in: isDivisor ? 1e-9...1e15 : 0...1e15,
          expected: "a number \(isDivisor ? "above 0, up" : "from 0") to 10^15")
      }
      guard let amount = key.amount else {
        return Key(
          key.name, number, \.requestsPerMonth, key.meaning, default: "", example: "")
      }
      return Key(key.name, number, amount, key.meaning, default: "", example: "")
    })

  private static let currency = Form<String>.scalar(
    "the name of a currency", ValueShape([.string], ["type": "string"]),
    [.string, .integer, .number, .boolean]
  ) { String(TextSafety.singleLine($0).prefix(12)) }
}
