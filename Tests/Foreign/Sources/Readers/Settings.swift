/// Options of the program.
struct Settings {
  var seconds = 20.0
  var threads = 8
  var keys = 256
  var limit = 128
  var shards: Int?
  var setsPerMille = 400
  var removalsPerMille = 10
  var changesPerMille = 2
  var changesUpToPerMille: Int { setsPerMille + removalsPerMille + changesPerMille }
  var seed: UInt64 = 1
  var policies: [String] = []
  var values = ["string", "struct", "class", "block"]
  var caches = ["memory", "expiring", "hybrid"]
  /// True to start and stop recordings meanwhile.
  var records = true

  static let help = """
    Readers: threads that read, write and remove in one cache, and check every value they get.

    USAGE: Readers [--seconds N] [--threads N] [--keys N] [--limit N] [--shards N] [--seed N]
                   [--policies a,b] [--values string,struct,class,block]
                   [--caches memory,expiring,hybrid] [--record yes|no]

    Runs every combination of cache, policy and value for an equal part of the time; policies whose
    hits take no lock get half of all of it. One operation in 500 is an update, a set with a short
    life, a trim, a change of limits or a clearing; entries of `expiring` leave by themselves. Exits
    with 1 when a get returns another key's value or a value that has ended; corrupted memory may
    also end it with a signal. Meanwhile recordings of the cache begin and end, unless --record is
    no.
    """

  /// Parses the arguments of a command line; nil if they are invalid.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let text = rest.popFirst() else { return nil }
      func list() -> [String] { text.split(separator: ",").map(String.init) }
      func number(atLeast least: Int) -> Int? { Int(text).flatMap { $0 >= least ? $0 : nil } }
      switch option {
      case "--seconds":
        guard let seconds = Double(text), seconds > 0, seconds < 1e6 else { return nil }
        self.seconds = seconds
      case "--threads":
        guard let threads = number(atLeast: 1) else { return nil }
        self.threads = threads
      case "--keys":
        guard let keys = number(atLeast: 1) else { return nil }
        self.keys = keys
      case "--limit":
        guard let limit = number(atLeast: 1) else { return nil }
        self.limit = limit
      case "--shards":
        guard let shards = number(atLeast: 1) else { return nil }
        self.shards = shards
      case "--seed":
        guard let seed = UInt64(text) else { return nil }
        self.seed = seed
      case "--record":
        guard ["yes", "no"].contains(text) else { return nil }
        records = text == "yes"
      case "--policies": policies = list()
      case "--values": values = list()
      case "--caches": caches = list()
      default: return nil
      }
    }
  }
}
