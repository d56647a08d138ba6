import LarderEngine

extension PreparedTrace {
  /// Some requests of the trace as a trace of their own: the same columns but for next uses, with
  /// ids that are dense again.
  ///
  /// - Parameters:
  ///   - positions: which requests, ascending.
  ///   - withPrompts: true if the requests are whole prompts, to be those of the new trace.
  /// - Throws: when there is no memory.
  /// - Complexity: O(positions), and 4 bytes an object of the whole trace.
  public func requests(
    at positions: [Int], withPrompts: Bool = false
  ) throws(TraceError) -> PreparedTrace {
    let storage = ColumnStorage()
    let count = positions.count
    let numbers = try GrowableColumn<ObjectID>(capacity: requests.objects + 1)
    let ids = try GrowableColumn<ObjectID>(capacity: max(1, count))
    var objects: ObjectID = 0
    var footprint: UInt64 = 0
    for (place, position) in positions.enumerated() {
      let id = Int(requests.ids[position])
      if numbers.base[id] == 0 {
        objects += 1
        numbers.base[id] = objects
        footprint &+= UInt64(requests.sizes?[position] ?? 1)
      }
      ids.base[place] = numbers.base[id]
    }
    var columns = RequestColumns(
      count: count, objects: Int(objects), ids: storage.adopt(ids, count: count), owner: storage)
    columns.sizes = try Self.gather(requests.sizes, positions, storage)
    columns.times = try Self.gather(requests.times, positions, storage)
    columns.operations = try Self.gather(requests.operations, positions, storage)
    columns.ttls = try Self.gather(requests.ttls, positions, storage)
    columns.costs = try Self.gather(requests.costs, positions, storage)
    let prompts = try Self.gather(withPrompts ? self.prompts : nil, positions, storage)
    return PreparedTrace(
      name: name, requests: columns, footprint: Footprint(of: columns, all: footprint),
      prompts: prompts)
  }

  private static func gather<Element: BitwiseCopyable>(
    _ source: UnsafePointer<Element>?, _ positions: [Int], _ storage: ColumnStorage
  ) throws(TraceError) -> UnsafePointer<Element>? {
    guard let source else { return nil }
    let column = try GrowableColumn<Element>(capacity: max(1, positions.count))
    for (place, position) in positions.enumerated() { column.base[place] = source[position] }
    return storage.adopt(column, count: positions.count)
  }
}
