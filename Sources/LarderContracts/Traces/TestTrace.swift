import LarderEngine

/// A short trace, made by hand or by `TestTraceMaker`: what tests and contracts run.
package struct TestTrace: CustomStringConvertible {
  /// What is asked, in order.
  package var requests: [TestRequest]

  /// A trace of whole requests.
  package init(_ requests: [TestRequest]) { self.requests = requests }

  /// Gets of objects of size 1.
  package init(ids: [ObjectID]) { requests = ids.map { TestRequest(id: $0) } }

  /// One request a line.
  package var description: String {
    requests.map { "  \($0)" }.joined(separator: "\n")
  }

  /// The highest id.
  package var objects: Int { Int(requests.map(\.id).max() ?? 0) }

  /// Objects that are requested at least once.
  package var distinctObjects: Int { Set(requests.map(\.id)).count }

  /// For each request the index of the next one for the same object, whatever its operation.
  package var nextUses: [UInt32] {
    var next: [ObjectID: Int] = [:]
    var result = Array(repeating: Request.never, count: requests.count)
    for (index, request) in requests.enumerated().reversed() {
      if let later = next[request.id] { result[index] = UInt32(later) }
      next[request.id] = index
    }
    return result
  }

  /// The policy's view of a request, where `nextUses` are the trace's.
  package func request(at index: Int, _ nextUses: [UInt32]) -> Request {
    let line = requests[index]
    return Request(
      id: line.id, size: line.size, index: UInt64(index), nextUse: nextUses[index],
      expires: line.ttlSeconds == 0
        ? Request.noExpiry : UInt64(line.timeSeconds + line.ttlSeconds) * 1_000_000,
      cost: line.cost)
  }

  /// The form that the engine reads. Columns that hold nothing but defaults are left out when
  /// `sparse`, as if the source did not have them.
  package func columns(sparse: Bool = false) -> RequestColumns {
    let memory = ColumnMemory()
    func column<Value: BitwiseCopyable>(
      _ value: (TestRequest) -> Value, unless: (TestRequest) -> Bool
    ) -> UnsafePointer<Value>? {
      sparse && requests.allSatisfy(unless) ? nil : memory.store(requests.map(value))
    }
    return RequestColumns(
      count: requests.count, objects: objects, ids: memory.store(requests.map(\.id)),
      sizes: column(\.size) { $0.size == 1 },
      times: column({ UInt64($0.timeSeconds) * 1_000_000 }, unless: { $0.timeSeconds == 0 }),
      operations: column(\.operation.rawValue) { $0.operation == .get },
      ttls: column(\.ttlSeconds) { $0.ttlSeconds == 0 },
      costs: column(\.cost) { $0.cost == 1 },
      nextUses: memory.store(nextUses), owner: memory)
  }
}

/// Keeps the columns of a test's trace in place for as long as they are read.
private final class ColumnMemory {
  private var allocations: [UnsafeMutableRawPointer] = []

  func store<Value: BitwiseCopyable>(_ values: [Value]) -> UnsafePointer<Value> {
    let buffer = UnsafeMutablePointer<Value>.allocate(capacity: max(values.count, 1))
    buffer.initialize(from: values, count: values.count)
    allocations.append(UnsafeMutableRawPointer(buffer))
    return UnsafePointer(buffer)
  }

  deinit {
    for allocation in allocations { allocation.deallocate() }
  }
}
