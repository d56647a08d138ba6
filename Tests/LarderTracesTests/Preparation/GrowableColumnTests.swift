import Testing

@testable import LarderTraces

/// Columns keep their content when they grow.
@Suite
struct GrowableColumnTests {
  @Test func growsFromAPageToManyHugePages() throws {
    let column = try GrowableColumn<UInt32>(capacity: 1)
    var count = 0
    var growths = 0
    while column.capacity < 9 << 20 {
      let capacity = column.capacity
      while count < capacity {
        column.base[count] = UInt32(truncatingIfNeeded: count &* 2_654_435_761)
        count += 1
      }
      try column.reserve(count + 1)
      growths += 1
      #expect(column.capacity > capacity)
      let base = column.base
      #expect(base[count] == 0, "new elements are zero")
      let same = (0..<count).allSatisfy {
        base[$0] == UInt32(truncatingIfNeeded: $0 &* 2_654_435_761)
      }
      #expect(same, "after growing to \(column.capacity)")
    }
    #expect(growths > 8)
    column.shrink(to: 3000)
    #expect(column.base[1] == 2_654_435_761 && column.base[2999] != 0)
  }

  @Test func excessiveMemoryIsAnError() {
    let text = message { _ = try GrowableColumn<UInt64>(capacity: 1 << 56) }
    #expect(text.contains("no memory for a column of 72057594037927936 elements"))
    #expect(!text.contains("\n"))
  }
}
