import LarderEngine
import TestSupport
import Testing

@testable import LarderTraces

/// Traces that do not fit into memory are rejected with one sentence, before or during reading.
@Suite(.endsInTime) struct MemoryBudgetTests {
  /// An endless source of distinct keys.
  private struct Endless: RecordSource {
    let columns: TraceColumns = []

    func records(into sink: RecordSink) throws {
      let batch = UnsafeMutableBufferPointer<TraceRecord>.allocate(capacity: 2048)
      defer { batch.deallocate() }
      var key: UInt64 = 0
      while true {
        for place in batch.indices {
          batch[place] = TraceRecord(key: key &* 0x9E37_79B9_7F4A_7C15)
          key += 1
        }
        guard try sink(UnsafeBufferPointer(batch)) else { return }
      }
    }
  }

  private static func budget(megabytes: UInt64) -> MemoryBudget {
    MemoryBudget { MemoryBudget.reserve + (megabytes << 20) }
  }

  @Test func knownNeedIsCheckedFirst() throws {
    let spec = GeneratorSpec(
      component: ComponentSpec(name: "zipf"), requests: 4_294_967_294,
      sizes: try ComponentSpec(parsing: "constant:value=1"))
    let source = try SourceSpec.phases([.generator(spec), .generator(spec)], sharedKeys: true)
      .makeSource(seed: 1) { _ in Endless() }
    #expect(source.requestCount == 8_589_934_588)
    let text = message {
      _ = try PreparedTrace.prepare(
        source: source, name: "big", memory: Self.budget(megabytes: 1024))
    }
    // 4 bytes for ids, 4 for sizes; times are not kept.
    #expect(text.contains("big: 8589934588 requests need 64.00 GiB of memory"), "\(text)")
    #expect(text.contains("generate fewer requests") && !text.contains("\n"))
    let mix = SourceSpec.mix(
      [MixPart(weight: 1, source: .generator(spec))], requests: 77, sharedKeys: true)
    #expect(try mix.makeSource(seed: 1) { _ in Endless() }.requestCount == 77)
  }

  @Test func unknownNeedIsMonitored() throws {
    let left = Locked<UInt64>(MemoryBudget.reserve + 1)
    let budget = MemoryBudget {
      left.withLock { left in
        left -= 1
        return left
      }
    }
    let text = message {
      _ = try PreparedTrace.prepare(source: Endless(), name: "endless", memory: budget)
    }
    #expect(text.contains("requests are read, more follow, and only"), "\(text)")
    #expect(text.hasPrefix("endless: ") && !text.contains("\n"))
  }

  @Test func keyTablesAreCheckedBeforeGrowing() throws {
    let text = message {
      _ = try PreparedTrace.prepare(
        source: Endless(), name: "endless", memory: Self.budget(megabytes: 100))
    }
    #expect(text.contains("the keys of") && text.contains("need 128.00 MiB"), "\(text)")
  }

  @Test func reserveIsSmallUnderSmallLimit() throws {
    #expect(MemoryBudget.reserve <= 256 << 20)
    #expect(MemoryBudget.reserve <= AvailableMemory.limitBytes / 16)
  }

  @Test func theMachineHasMemory() {
    #expect(MemoryBudget.machine.available() > 1 << 20)
    #expect(MemoryBudget.machine.available() <= AvailableMemory.limitBytes)
  }
}
