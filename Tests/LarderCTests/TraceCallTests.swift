import CLarder
import Foundation
import LarderC
import Testing

@Suite struct TraceCallTests {
  private func counts(_ trace: UInt64) -> (requests: UInt64, objects: UInt64) {
    var (requests, objects): (UInt64, UInt64) = (0, 0)
    #expect(larder_trace_counts(trace, &requests, &objects, nil) == LARDER_OK)
    return (requests, objects)
  }

  @Test func everyTypeOfIdGivesTheSameTrace() throws {
    let values = CallText.ids(500)
    func made<Element: BinaryInteger>(_ type: Int, _ element: Element.Type) -> String? {
      let ids = values.map { Element($0) }
      var columns = larder_columns()
      columns.count = UInt64(ids.count)
      var trace: UInt64 = 0
      ids.withUnsafeBufferPointer {
        columns.ids = CallText.column($0.baseAddress, type)
        #expect(larder_trace_from_columns(&columns, "t", 0, &trace, nil) == LARDER_OK)
      }
      defer { #expect(larder_trace_destroy(trace) == LARDER_OK) }
      #expect(counts(trace) == (500, UInt64(Set(values).count)))
      return CallText { larder_simulate(trace, "policy=lru\ncapacity=7", 0, $0, $1) }.text
    }
    let expected = try #require(made(Int(LARDER_INT64), Int64.self))
    #expect(made(Int(LARDER_INT8), Int8.self) == expected)
    #expect(made(Int(LARDER_INT16), Int16.self) == expected)
    #expect(made(Int(LARDER_INT32), Int32.self) == expected)
    #expect(made(Int(LARDER_UINT8), UInt8.self) == expected)
    #expect(made(Int(LARDER_UINT16), UInt16.self) == expected)
    #expect(made(Int(LARDER_UINT32), UInt32.self) == expected)
    #expect(made(Int(LARDER_UINT64), UInt64.self) == expected)
  }

  @Test func stridesMayBeUnalignedAndNegative() {
    let ids: [UInt32] = [1, 2, 3, 1, 2, 9]
    var packed = [UInt8](repeating: 0xEE, count: 1)
    for id in ids {
      packed += withUnsafeBytes(of: id) { Array($0) } + [0xAA]
    }
    var columns = larder_columns()
    columns.count = 6
    var (forward, backward): (UInt64, UInt64) = (0, 0)
    packed.withUnsafeBytes { bytes in
      let first = bytes.baseAddress.map { $0 + 1 }
      columns.ids = larder_column(values: first, stride: 5, type: Int32(LARDER_UINT32))
      #expect(larder_trace_from_columns(&columns, nil, 0, &forward, nil) == LARDER_OK)
      columns.ids = larder_column(
        values: first.map { $0 + 25 }, stride: -5, type: Int32(LARDER_UINT32))
      #expect(larder_trace_from_columns(&columns, nil, 0, &backward, nil) == LARDER_OK)
    }
    #expect(counts(forward) == (6, 4))
    #expect(counts(backward) == (6, 4))
    _ = (larder_trace_destroy(forward), larder_trace_destroy(backward))
  }

  @Test func largeAndNegativeKeysAreDistinct() {
    let trace = CallText.trace([-1, .max, .min, -1, 0, .max])
    #expect(counts(trace) == (6, 4))
    _ = larder_trace_destroy(trace)
  }

  /// Columns with invalid elements.
  private struct Wrong {
    let whole: larder_column
    let fractions: larder_column
  }

  private func error(_ change: (inout larder_columns, Wrong) -> Void) -> String? {
    let (ids, whole): ([Int64], [Int64]) = ([1, 2, 3], [5, -3, 1 << 40])
    let fractions: [Double] = [0, .nan, -1]
    var trace: UInt64 = 7
    let answer = ids.withUnsafeBufferPointer { ids in
      whole.withUnsafeBufferPointer { whole in
        fractions.withUnsafeBufferPointer { fractions in
          var columns = larder_columns()
          columns.count = 3
          columns.ids = CallText.column(ids.baseAddress, Int(LARDER_INT64))
          change(
            &columns,
            Wrong(
              whole: CallText.column(whole.baseAddress, Int(LARDER_INT64)),
              fractions: CallText.column(fractions.baseAddress, Int(LARDER_FLOAT64))))
          return CallText { larder_trace_from_columns(&columns, "t", 0, &trace, $0) }
        }
      }
    }
    #expect(trace == 0)
    #expect(answer.status == LARDER_MISUSE)
    return answer.error
  }

  @Test func wrongElementsAreNamed() {
    #expect(
      error { $0.sizes = $1.whole } == "sizes[1]: -3 is not a size from 0 to 4294967295 bytes")
    #expect(
      error { $0.times = $1.whole } == "times[1]: -3 is not a time from 0 in microseconds")
    #expect(
      error { $0.operations = $1.whole } == "operations[1]: -3 is not an operation from 0 to 5")
    #expect(error { $0.ttls = $1.whole }?.hasPrefix("ttls[1]: -3 is not") ?? false)
    #expect(error { $0.costs = $1.fractions } == "costs[1]: nan is not a finite number from 0")
    #expect(error { $0.costs = $1.whole } == "costs[1]: -1.0 is not a finite number from 0")
    #expect(
      error { $0.ids = $1.fractions } == "ids: expected whole numbers, found fractions")
  }

  @Test func wrongColumnsAreNamed() {
    #expect(
      error { columns, _ in columns.ids.type = 99 } == "ids: unknown type 99 of elements")
    #expect(error { columns, _ in columns.ids.values = nil } == "ids is null")
    #expect(error { columns, _ in columns.count = 0 } == "count: there are no requests")
    #expect(error { columns, _ in columns.count = .max } == "count: is out of range")
    for count in [1 << 62, 1 << 60] as [UInt64] {
      #expect(
        error { columns, _ in columns.count = count }?.hasSuffix(
          "exceed the address "
            + "space") ?? false)
    }
    #expect(
      error { columns, _ in columns.ids.stride = .min }?.hasSuffix(
        "exceed the address "
          + "space") ?? false)
  }

  @Test func nullsAndUnknownHandlesAreRejected() {
    var trace: UInt64 = 1
    #expect(
      CallText { larder_trace_from_columns(nil, nil, 0, &trace, $0) }.error == "columns is null")
    var columns = larder_columns()
    #expect(
      CallText { larder_trace_from_columns(&columns, nil, 0, nil, $0) }.error == "trace is null")
    #expect(CallText { larder_trace_open(nil, nil, 0, &trace, $0) }.error == "path is null")
    #expect(larder_trace_open(nil, nil, 0, nil, nil) == LARDER_MISUSE)
    #expect(
      CallText { larder_trace_open("/nowhere", nil, 12345, &trace, $0) }.error
        == "no task 12345: it was destroyed, or never created")
    for handle in [0, 1 << 60, UInt64.max] {
      #expect(larder_trace_destroy(handle) == LARDER_MISUSE)
      #expect(larder_trace_counts(handle, nil, nil, nil) == LARDER_MISUSE)
      #expect(larder_trace_save(handle, nil, nil) == LARDER_MISUSE)
      #expect(larder_trace_sample(handle, 0.5, 1, &trace, nil) == LARDER_MISUSE)
      #expect(CallText { larder_trace_info(handle, $0, $1) }.status == LARDER_MISUSE)
    }
    let made = CallText.trace([1, 2])
    #expect(larder_trace_destroy(made) == LARDER_OK)
    #expect(larder_trace_destroy(made) == LARDER_MISUSE)
    #expect(
      CallText { larder_trace_counts(made, nil, nil, $0) }.error
        == "no trace \(made): it was destroyed, or never created")
  }

  @Test func textsThatAreNotUTF8AreRejected() {
    let bytes: [CChar] = [CChar(bitPattern: 0xFF), 0x41, 0]
    var trace: UInt64 = 0
    #expect(
      CallText { larder_trace_open(bytes, nil, 0, &trace, $0) }.error == "path is not UTF-8")
  }

  @Test func tracesAreSavedAndOpened() throws {
    let file = FileManager.default.temporaryDirectory.path + "/larder-c-\(UUID()).larder"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let trace = CallText.trace([5, 6, 5, 7], sizes: [10, 20, 10, 30])
    #expect(larder_trace_save(trace, file, nil) == LARDER_OK)
    var opened: UInt64 = 0
    #expect(larder_trace_open(file, nil, 0, &opened, nil) == LARDER_OK)
    let options = "policy=lru,belady\ncapacity=30B,100%"
    let (one, other) = (
      CallText { larder_simulate(trace, options, 0, $0, $1) },
      CallText { larder_simulate(opened, options, 0, $0, $1) }
    )
    #expect(one.text == other.text)
    #expect(one.text?.split(separator: "\n").count == 5)
    let missing = CallText { larder_trace_open(file + "x", nil, 0, &opened, $0) }
    #expect(missing.status == LARDER_MISUSE)
    #expect(missing.error?.contains("No such file") ?? false)
    let unwritable = CallText { larder_trace_save(trace, "/nowhere/at/all", $0) }
    #expect(unwritable.status == LARDER_MISUSE)
    try Data("larder\u{1}damaged".utf8).write(to: URL(fileURLWithPath: file))
    #expect(larder_trace_open(file, "larder", 0, &opened, nil) == LARDER_MISUSE)
    #expect(opened == 0)
    _ = larder_trace_destroy(trace)
  }

  @Test func generatorsAreChecked() {
    var trace: UInt64 = 0
    func error(_ generator: String, _ options: String) -> String? {
      CallText { larder_trace_generate(generator, options, 0, &trace, $0) }.error
    }
    #expect(error("zipf:objects=100", "requests=5000\nseed=3") == nil)
    #expect(counts(trace).requests == 5000)
    #expect(larder_trace_destroy(trace) == LARDER_OK)
    #expect(error("zip:objects=100", "")?.contains("did you mean 'zipf'?") ?? false)
    #expect(
      error("zipf", "request=5")
        == "option 'request': unknown parameter; did you mean 'requests'?")
    #expect(error("zipf", "requests=0")?.contains("expected a whole number from 1") ?? false)
    #expect(error("zipf", "requests=1\nrequests=2") == "option 'requests': is given twice")
    #expect(error("zipf", "operations=get=2")?.contains("expected shares") ?? false)
    #expect(error("zipf", "rate=nan")?.contains("expected a number") ?? false)
  }

  @Test func sampleEstimatesTheWhole() throws {
    let trace = CallText.trace(CallText.ids(50_000, below: 5000))
    var sample: UInt64 = 0
    #expect(larder_trace_sample(trace, 0.2, 1, &sample, nil) == LARDER_OK)
    let (whole, part) = (counts(trace), counts(sample))
    #expect(part.objects < whole.objects / 3 && part.objects > whole.objects / 10)
    let text = try #require(
      CallText { larder_simulate(sample, "policy=lru\ncapacity=1000", 0, $0, $1) }.text)
    #expect(text.contains(",lru,1000,objects,"))
    let info = try #require(CallText { larder_trace_info(sample, $0, $1) }.text)
    #expect(info.contains("\"sampling_rate\":0."))
    for rate in [0, -1, 1.5, Double.nan, .infinity] {
      let refused = CallText { larder_trace_sample(trace, rate, 1, &sample, $0) }
      #expect(refused.status == LARDER_MISUSE)
      #expect(refused.error?.hasPrefix("rate ") ?? false)
    }
    _ = larder_trace_destroy(trace)
  }
}
