import LarderEngine
import Testing

@testable import LarderTraces

/// YCSB, product images and chat.
struct ApplicationGeneratorTests {
  private func shares(_ records: [TraceRecord]) -> [Double] {
    Operation.allCases.map { operation in
      Double(records.filter { $0.operation == operation.rawValue }.count) / Double(records.count)
    }
  }

  /// Table 2 of the paper, a scan counted as its gets and read-modify-write as a get and a set.
  @Test(arguments: [
    ("a", 0.5), ("b", 0.05), ("c", 0), ("d", 0.05), ("e", 0.05 / (0.05 + 0.95 * 50.5)),
    ("f", 1 / 3.0),
  ])
  func ycsbWriteSharesMatch(letter: String, sets: Double) throws {
    let records = try Generated.records("ycsb-\(letter):objects=1000", requests: 100_000)
    let found = shares(records)
    #expect(abs(found[1] - sets) < 0.006)
    #expect(found[2] == 0 && found[3] == 0)
    #expect(records.allSatisfy { $0.size == 1000 })
  }

  @Test func ycsbDReadsNewRecords() throws {
    var count: UInt64 = 1000
    var newest = 0.0
    var reads = 0.0
    for record in try Generated.records("ycsb-d:objects=1000", requests: 50_000) {
      if record.operation == Operation.set.rawValue {
        #expect(record.key == count)
        count += 1
      } else {
        #expect(record.key < count)
        reads += 1
        if record.key == count - 1 { newest += 1 }
      }
    }
    // Between 1 / sum of k^-0.99 to 1000 (0.1293) and to 3500 (0.111).
    #expect((0.105...0.13).contains(newest / reads))
  }

  @Test func productListsAreScrolledBackAndForth() throws {
    let records = try Generated.records(
      "product-images:categories=10:products=100:open=0", requests: 50_000)
    let steps = zip(records, records.dropFirst()).map { Int($1.key) - Int($0.key) }
    let down = Double(steps.filter { $0 == 1 }.count) / 50_000
    let up = Double(steps.filter { $0 == -1 }.count) / 50_000
    #expect((0.5...0.8).contains(down) && (0.15...0.45).contains(up))
    #expect(down + up > 0.95, "only a new visit jumps")
    #expect(records.allSatisfy { $0.key < 1000 })
  }

  @Test func chatChangesOnlyPagesThatWereRequested() throws {
    var isFresh: Set<UInt64> = []
    for record in try Generated.records("chat", requests: 50_000) {
      if record.operation == Operation.modify.rawValue {
        #expect(isFresh.remove(record.key) != nil)
      } else {
        isFresh.insert(record.key)
      }
    }
  }

  @Test(arguments: [
    "product-images:categories=1:products=1", "product-images:back=1", "product-images:open=1",
    "product-images:run=1:runs=1", "product-images:run=100000:runs=100000:users=3",
    "product-images:pause=31536000", "product-images:users=1000000:pictures=1",
    "chat:conversations=1:contacts=1:history=1", "chat:new=1000:exchanges=1000", "chat:media=0",
    "chat:scroll=1", "chat:new=0:exchanges=0", "chat:exponent=0:listed=1000", "chat:pause=31536000",
    "ycsb-e:objects=1:scan-length=1", "ycsb-d:objects=1", "ycsb-a:objects=1:exponent=0",
    "scan:objects=1:cold=1:length=1", "shifting:objects=1:working-set=1:every=1:step=5",
    "one-hit-wonders:objects=1:share=0", "latest:objects=1:new=1", "zipf:objects=4294967294",
    "uniform:objects=4294967294", "sequential:each=1000000000",
  ])
  func extremeParametersWork(text: String) throws {
    let source = try Generated.source(try Generated.spec(text, requests: 5000))
    let records = try allRecords(source)
    #expect(records.count == 5000)
    #expect(zip(records, records.dropFirst()).allSatisfy { $0.time <= $1.time })
    if let limit = source.keyLimit { #expect(records.allSatisfy { $0.key < UInt64(limit) }) }
  }

  @Test func tooManyObjectsAreRejected() {
    func message(_ text: String) -> String? {
      Generated.message { _ = try Generated.source(try Generated.spec(text, requests: 10)) }
    }
    #expect(
      message("product-images:categories=1M:products=1M")
        == "product-images: products: expected fewer: at most 4294967294 pictures "
        + "are possible, found '1M'")
    #expect(message("chat:conversations=10k:history=10k")?.contains("10 million pages") == true)
    #expect(message("ycsb-d:objects=4294967294")?.contains("fewer records") == true)
  }
}
