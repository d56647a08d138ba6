/// Everything that clients and loaders of one schedule observed.
package struct History: Sendable {
  package var events: [HistoryEvent] = []
  package var loads: [HistoryLoad] = []

  package init(events: [HistoryEvent] = [], loads: [HistoryLoad] = []) {
    self.events = events
    self.loads = loads
  }

  package func unexplainedKeys(_ rules: HistoryRules) -> [Int] {
    Set(events.map(\.key)).sorted().filter { key in
      var search = HistorySearch(self, key, rules)
      return !search.hasOrder()
    }
  }

  package func keysTooLarge(_ rules: HistoryRules) -> Int {
    Set(events.map(\.key)).count { HistorySearch(self, $0, rules).isTooLarge }
  }

  package func lines(of key: Int) -> [String] {
    var lines: [(Int, String)] = []
    for (number, event) in events.enumerated() where event.key == key {
      let ended = event.responded == .max ? "..." : "\(event.responded)"
      let cancelled = event.wasCancelled ? ", cancelled" : ""
      lines.append(
        (
          event.invoked,
          "\(event.invoked)-\(ended): call \(number) of client \(event.client): \(event.action)"
            + "\(cancelled) (clock \(event.clockInvoked)-\(event.clockResponded))"
        ))
    }
    for (number, load) in loads.enumerated() where load.key == key {
      let ended = load.ended == .max ? "..." : "\(load.ended)"
      lines.append(
        (
          load.started,
          "\(load.started)-\(ended): load \(number) of call \(load.owner), "
            + "candidate \(load.candidate): \(load.answer)"
        ))
    }
    return lines.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
