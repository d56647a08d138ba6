import LarderEngine
import Testing

@testable import LarderExperiments

@Suite struct CapacitySpecTests {
  @Test(arguments: [
    ("1000", CapacitySpec.Amount.objects(1000)), ("1_000", .objects(1000)),
    ("4294967294", .objects(4_294_967_294)), ("500B", .bytes(500)), ("64MiB", .bytes(64 << 20)),
    ("64 mib", .bytes(64 << 20)), ("1GB", .bytes(1_000_000_000)), ("1.5KiB", .bytes(1536)),
    ("2KB", .bytes(2000)), ("3GiB", .bytes(3 << 30)), ("1TB", .bytes(1_000_000_000_000)),
    ("1024TiB", .bytes(1 << 50)), ("1%", .share(Share(percent: 1))),
    ("0.1 %", .share(Share(billionths: 1_000_000))), ("100%", .share(Share(percent: 100))),
    ("0.0000001%", .share(Share(billionths: 1))),
  ])
  func validTextIsParsed(_ text: String, _ amount: CapacitySpec.Amount) throws {
    let capacity = try CapacitySpec(parsing: text)
    #expect(capacity.amount == amount)
    #expect(capacity.description == text)
  }

  private static let forms =
    "expected a number of objects (1000), of bytes (64MiB) or a share (1%)"
  private static let shares = "a share is above 0% and at most 100%, such as 1%, 0.01 or 1/100"

  @Test(arguments: [
    ("", forms), ("abc", forms), ("MB", forms), ("1..2MB", forms),
    (
      "0x10",
      "unknown unit 'x10'; "
        + "the units of bytes are B, KB, KiB, MB, MiB, GB, GiB, TB, TiB"
    ),
    ("0", "a capacity must be above 0"), ("0MB", "a capacity must be above 0"),
    ("-1", "a capacity must be above 0"), ("-1MB", "a capacity must be above 0"),
    ("1.5", "a number of objects must be whole (a share of the footprint is written 10%)"),
    ("4294967295", "more than the limit of 4294967294 objects"),
    ("99999999999999999999999", forms),
    ("1MBit", "unknown unit 'MBit'; the units of bytes are B, KB, KiB, MB, MiB, GB, GiB, TB, TiB"),
    ("1M", "unknown unit 'M'; the units of bytes are B, KB, KiB, MB, MiB, GB, GiB, TB, TiB"),
    ("1025TiB", "more than the limit of 1024TiB"),
    ("999999999999999999TiB", "more than the limit of 1024TiB"),
    ("0.3B", "this is not a whole number of bytes"),
    ("nan", forms), ("inf", forms),
    ("0%", shares), ("101%", shares), ("-1%", "a capacity must be above 0"), ("x%", forms),
    ("%", shares),
  ])
  func invalidTextIsRejected(_ text: String, _ message: String) {
    #expect(throws: CapacityError(text, message)) { try CapacitySpec(parsing: text) }
    #expect(CapacityError(text, message).description == "capacity '\(text)': \(message)")
  }

  @Test func listsAreSeparatedByCommas() throws {
    #expect(
      try CapacitySpec.list(parsing: "1000, 1%,64MiB").map(\.description)
        == ["1000", "1%", "64MiB"])
    #expect(throws: CapacityError("", Self.forms)) { try CapacitySpec.list(parsing: "1,,2") }
  }

  @Test func resolvesAgainstTheTrace() throws {
    func resolve(_ text: String, _ unit: CapacityUnit, bytes: UInt64? = 1_000_000) throws -> UInt64
    {
      try CapacitySpec(parsing: text).resolve(unit: unit, objects: 299, footprintBytes: bytes)
    }
    #expect(try resolve("1000", .objects) == 1000)
    #expect(try resolve("64KiB", .bytes) == 65_536)
    #expect(try resolve("1%", .objects) == 2)
    #expect(try resolve("1%", .bytes) == 10_000)
    #expect(try resolve("100%", .objects) == 299)
    #expect(throws: CapacityError.self) { try resolve("1000", .bytes) }
    #expect(throws: CapacityError.self) { try resolve("1MB", .objects) }
    #expect(throws: CapacityError("0.1%", "this share of 299 objects is less than 1")) {
      try resolve("0.1%", .objects)
    }
    #expect(throws: CapacityError("1%", "the trace has no sizes, so its bytes are unknown")) {
      try resolve("1%", .bytes, bytes: nil)
    }
  }
}
