import CLarderShims
import LarderEngine

extension PreparedTrace {
  /// The trace with the next use of each request's object, which the policies that know the future
  /// read: the index of the next get that a copy kept from here on could answer. A copy that is set
  /// anew or deleted first answers none; that the origin changes does not matter to a cache that is
  /// not told.
  ///
  /// Worked out by one pass from the end, at most once a trace however many threads ask, and kept
  /// as long as the trace is. Takes 4 bytes a request, and 4 an object while it is worked out; the
  /// other columns are shared.
  ///
  /// - Throws: when there are more than 2^32 - 2 requests, or no memory.
  /// - Complexity: O(requests) the first time, O(1) after it.
  public func withNextUses() throws(TraceError) -> PreparedTrace {
    if requests.nextUses != nil { return self }
    do {
      return try withNextUsesCache.withLock { cache in
        if let known = cache { return known }
        let made = try computeNextUses()
        cache = made
        return made
      }
    } catch let error as TraceError {
      throw error
    } catch {
      throw TraceError("\(error)", in: name)
    }
  }

  private func computeNextUses() throws(TraceError) -> PreparedTrace {
    // The largest 32-bit number means never.
    let limit = Int(Request.never) - 1
    guard requests.count <= limit else {
      throw TraceError(
        "\(requests.count) requests exceed the limit of \(limit) for next uses",
        in: name, advice: "shorten the trace, or remove the policies that know the future")
    }
    try MemoryBudget.machine.check(
      4 * UInt64(requests.count + requests.objects), for: "the next uses of all requests", in: name,
      advice: "shorten the trace, or remove the policies that know the future")
    let column = try GrowableColumn<UInt32>(capacity: requests.count)
    let last = try GrowableColumn<UInt32>(capacity: requests.objects + 1)
    last.base.update(repeating: Request.never, count: requests.objects + 1)
    let (ids, next, latest) = (requests.ids, column.base, last.base)
    let ahead = 16
    var index = requests.count - 1
    while index >= 0 {
      if index >= ahead { larder_prefetch(latest + Int(ids[index - ahead])) }
      let id = Int(ids[index])
      next[index] = latest[id]
      switch Operation(rawValue: requests.operations?[index] ?? 0) {
      case .set, .delete: latest[id] = Request.never
      case .modify, .bypass, .expire: break
      case .get, nil: latest[id] = UInt32(truncatingIfNeeded: index)
      }
      index -= 1
    }
    let storage = ColumnStorage(over: requests.owner)
    var columns = requests
    columns.nextUses = storage.adopt(column, count: requests.count)
    columns.owner = storage
    return PreparedTrace(
      name: name, requests: columns, footprint: footprint, timesRaised: timesRaised,
      reading: reading, prompts: prompts)
  }
}
