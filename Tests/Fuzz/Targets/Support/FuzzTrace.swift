import LarderEngine
import LarderTraces

/// A small trace with every column, shared by all targets.
enum FuzzTrace {
  /// 400 requests for about 60 objects, with next uses.
  static let trace: PreparedTrace? = {
    try? PreparedTrace.prepare(source: Source(), name: "fuzz").withNextUses()
  }()

  static var columns: RequestColumns {
    get throws {
      guard let trace else { throw FuzzFinding("the small trace cannot be made") }
      return trace.requests
    }
  }

  private struct Source: RecordSource {
    var columns: TraceColumns { [.size, .time, .operation, .ttl, .cost] }

    func records(into sink: RecordSink) throws {
      var random: UInt64 = 7
      let records = (0..<400).map { index in
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let (one, other) = (random >> 33 & 63, random >> 40 & 63)
        let key = min(one, other)
        return TraceRecord(
          key: key, time: UInt64(index) * 300_000, size: UInt32(1 + key * 7 % 50),
          ttl: key % 4 == 0 ? 20 : 0, cost: Float(key % 5),
          operation: index % 17 == 0 ? .delete : index % 11 == 0 ? .set : .get)
      }
      _ = try records.withUnsafeBufferPointer(sink)
    }
  }
}
