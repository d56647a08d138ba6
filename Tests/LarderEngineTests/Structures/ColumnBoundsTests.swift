import LarderLibc
import LarderPolicies
import Testing

@testable import LarderEngine
@testable import LarderQueuePolicies

/// Accesses outside a structure's bounds end the process with a message and touch no memory: on
/// creation and growth in every build, elsewhere in debug builds.
@Suite struct ColumnBoundsTests {
  @Test func invalidColumnSizesTrap() async {
    await #expect(processExitsWith: .failure) { _ = Column<UInt64>(objects: -1) }
    await #expect(processExitsWith: .failure) { _ = Column<UInt64>(objects: 1 << 40) }
    await #expect(processExitsWith: .failure) {
      var column = Column<UInt64>(objects: 4)
      column.reserve(objects: 1 << 32)
    }
    await #expect(processExitsWith: .failure) {
      let tier = try PolicyRegistry.makeCacheTier(
        CacheTierSetup(
          policy: PolicySpec(parsing: "lru"), entriesMax: 4, bytesMax: nil, objects: 4))
      _ = tier.forgotten(1, 5)
    }
  }

  @Test func columnsGrowToRequestedSizeOrDouble() {
    var column = Column<UInt8>(objects: 100)
    column[100] = 7
    column.reserve(objects: 101)
    #expect(column.objects == 200 && column[100] == 7 && column[200] == 0)
    column.reserve(objects: 1000)
    #expect(column.objects == 1000)
    column.reserve(objects: -5)
    #expect(column.objects == 1000)
  }

  #if os(Linux)
    @Test(arguments: [40_000, 1_000_000]) func freedColumnReturnsItsMemory(objects: Int) async {
      await #expect(processExitsWith: .success) { [objects] in
        func isMapped(_ place: UnsafeRawPointer) -> Bool {
          var state: UInt8 = 0
          return mincore(UnsafeMutableRawPointer(mutating: place), 1, &state) == 0
        }
        var column = Column<UInt64>(objects: objects)
        column[5] = 7
        let first = UnsafeRawPointer(column.view)
        let wasMapped = isMapped(first)
        column.reserve(objects: objects * 2)
        exit(wasMapped && !isMapped(first) && column[5] == 7 ? 0 : 1)
      }
    }

    @Test func columnCountsWholeHugePages() {
      #expect(Column<UInt8>(objects: 1000).bytes == 1001)
      #expect(Column<UInt8>(objects: 3 << 20).bytes == 4 << 20)
    }
  #endif

  #if DEBUG
    @Test func debugBuildsCheckEveryAccess() async {
      await #expect(processExitsWith: .failure) {
        let column = Column<UInt64>(objects: 4)
        column[5] = 1
      }
      await #expect(processExitsWith: .failure) {
        let column = Column<UInt32>(objects: 4)
        _ = ColumnSizes(column)[5]
      }
      await #expect(processExitsWith: .failure) {
        let column = Column<UInt32>(objects: 40)
        _ = column.row(from: 32, count: 32)
      }
      await #expect(processExitsWith: .failure) {
        let policy = try FIFO(
          PolicySetup(
            capacity: 4, unit: .objects, objects: 4, spec: PolicySpec(parsing: "fifo")))
        _ = policy.hitWords?.hit(5)
      }
    }

    @Test func debugBuildsCheckTheHeap() async {
      await #expect(processExitsWith: .failure) {
        var heap = IndexedHeap(objects: 4, capacity: 4)
        heap.update(2, key: 1, order: 1)
      }
      await #expect(processExitsWith: .failure) {
        let heap = IndexedHeap(objects: 4, capacity: 4)
        _ = heap.key(of: 2)
      }
      await #expect(processExitsWith: .failure) {
        var heap = IndexedHeap(objects: 4, capacity: 4)
        heap.insert(2, key: 1, order: 1)
        heap.insert(2, key: 1, order: 2)
      }
    }
  #endif
}
