import LarderEngine

extension TestTrace {
  /// The shortest and plainest trace, found by leaving things out, for which the condition still
  /// holds.
  package func shrunk(while fails: (TestTrace) throws -> Bool) rethrows -> TestTrace {
    var best = self
    var progress = true
    while progress {
      progress = false
      var chunk = best.requests.count / 2
      while chunk > 0 {
        var start = 0
        while start + chunk <= best.requests.count {
          var shorter = best
          shorter.requests.removeSubrange(start..<start + chunk)
          if !shorter.requests.isEmpty, try fails(shorter.renumbered()) {
            best = shorter.renumbered()
            progress = true
          } else {
            start += chunk
          }
        }
        chunk /= 2
      }
      for place in best.requests.indices {
        for plainer in best.requests[place].plainer {
          var candidate = best
          candidate.requests[place] = plainer
          guard try fails(candidate) else { continue }
          best = candidate
          progress = true
          break
        }
      }
    }
    return best
  }
}

extension TestRequest {
  /// The request with one thing less to say, for each such thing.
  fileprivate var plainer: [TestRequest] {
    var result: [TestRequest] = []
    func add(_ applies: Bool, _ change: (inout TestRequest) -> Void) {
      guard applies else { return }
      var request = self
      change(&request)
      result.append(request)
    }
    add(operation != .get) { $0.operation = .get }
    add(ttlSeconds != 0) { $0.ttlSeconds = 0 }
    add(cost != 1) { $0.cost = 1 }
    add(size != 1) { $0.size = 1 }
    return result
  }
}
