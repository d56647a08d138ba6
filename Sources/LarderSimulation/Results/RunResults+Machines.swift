extension RunResults {
  /// The machines on which cells were timed, in the order of the records: several where results
  /// were merged.
  package var timedMachines: [String] {
    var seen: Set<String> = []
    return records.flatMap(\.timings).map { $0.machine ?? machine.summary }
      .filter { seen.insert($0).inserted }
  }
}

extension Record {
  /// The record with the timings of one machine alone.
  package func timed(on machine: String, of results: RunResults) -> Record {
    var record = self
    record.timings.removeAll { ($0.machine ?? results.machine.summary) != machine }
    return record
  }
}
