import LarderEngine

/// The requests of a YCSB workload.
final class YCSBCursor: RecordCursor {
  private var state: State

  init(_ state: State) { self.state = state }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    state.fill(buffer)
    return buffer.count
  }

  /// A struct, so that a batch is one exclusive access.
  struct State {
    var random: RandomStream
    /// Read, update, insert, scan, read-modify-write.
    let operations: AliasTable
    /// Over all records there will be; ranks of those not yet inserted are drawn again.
    let sampler: ZipfSampler
    let scatter: Permutation
    let popularity: YCSBWorkload.Popularity
    let scanLength: UInt64
    let size: UInt32
    /// Records so far and at most.
    var count: UInt64
    let limit: UInt64
    /// The scan under way: its next record, and how many are left.
    var scanNext: UInt64 = 0
    var scanLeft: UInt64 = 0
    /// The record to write back after it was read.
    var writeBack: UInt64?

    mutating func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) {
      for index in buffer.indices { buffer[index] = next() }
    }

    private mutating func next() -> TraceRecord {
      if scanLeft > 0 { return scanStep() }
      if let key = writeBack {
        writeBack = nil
        return record(key, .set)
      }
      switch operations.index(random.next()) {
      case 0: return record(choose(), .get)
      case 1: return record(choose(), .set)
      case 2:
        // The budget lasts for all traces but one in a thousand million; then the newest record is
        // written again.
        if count < limit { count &+= 1 }
        return record(count &- 1, .set)
      case 3:
        scanNext = choose()
        scanLeft = 1 + random.next(below: scanLength)
        return scanStep()
      default:
        let key = choose()
        writeBack = key
        return record(key, .get)
      }
    }

    private mutating func scanStep() -> TraceRecord {
      let key = scanNext
      scanLeft &-= 1
      scanNext &+= 1
      if scanNext >= count { scanNext = 0 }
      return record(key, .get)
    }

    @inline(__always)
    private mutating func choose() -> UInt64 {
      while true {
        let rank = sampler.rank(&random)
        switch popularity {
        case .latest:
          if rank <= count { return count &- rank }
        case .zipfian:
          let key = scatter(rank &- 1)
          if key < count { return key }
        }
      }
    }

    @inline(__always)
    private func record(_ key: UInt64, _ operation: Operation) -> TraceRecord {
      TraceRecord(key: key, size: size, operation: operation)
    }
  }
}
