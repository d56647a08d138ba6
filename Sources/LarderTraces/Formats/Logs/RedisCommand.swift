/// A line of MONITOR: when, in which database, and the words of the command.
struct RedisCommand {
  /// The command, upper case.
  let name: String
  /// Microseconds.
  let time: UInt64
  /// The number of the database that the client had selected.
  let database: UInt64
  /// The words behind the command, without quotes.
  let words: [TextField]

  /// The command in a line; nil when the line is none.
  init?(_ line: TextField) {
    var rest = line
    // As it comes over the wire, a line begins with a plus sign.
    if !rest.isEmpty, rest.next.pointee == 0x2B { rest.skip() }
    guard let time = TimeUnit.seconds.microseconds(rest.takeField()) else { return nil }
    rest.skipBlanks()
    // An address of IPv6 has brackets of its own: `[0 [::1]:6379]`.
    guard rest.takeByte() == 0x5B, let close = rest.find([0x5D, 0x20]) else { return nil }
    var origin = TextField(rest.next, close)
    guard let database = origin.takeWord() else { return nil }
    rest = TextField(close + 1, line.end)
    var words: [TextField] = []
    while true {
      rest.skipBlanks()
      if rest.isEmpty { break }
      guard let word = RedisCommand.word(&rest) else { return nil }
      words.append(word)
    }
    guard let first = words.first, first.count <= 40 else { return nil }
    name = first.text.uppercased()
    self.time = time
    self.database = database
    self.words = Array(words.dropFirst())
  }

  /// The inside of a word in quotes.
  private static func word(_ rest: inout TextField) -> TextField? {
    guard rest.takeByte() == 0x22 else { return nil }
    let start = rest.next
    while let byte = rest.takeByte() {
      if byte == 0x22 { return TextField(start, rest.next - 1) }
      if byte == 0x5C, rest.takeByte() == nil { return nil }
    }
    return nil
  }

  /// The word at a place, upper case; empty where there is none.
  func option(_ place: Int) -> String {
    place < words.count ? words[place].text.uppercased() : ""
  }

  /// The word at a place as a number, as the server reads one: 64 bits with a sign, no leading
  /// zeros; nil where it is none.
  func integer(_ place: Int) -> Int64? {
    guard place < words.count else { return nil }
    var rest = words[place]
    let isNegative = !rest.isEmpty && rest.next.pointee == 0x2D
    if isNegative { rest.skip() }
    let isZero = rest.equals([0x30])
    guard isZero || !rest.isEmpty && rest.next.pointee != 0x30,
      let value = rest.takeInteger(), rest.isEmpty, !(isZero && isNegative)
    else { return nil }
    if !isNegative { return Int64(exactly: value) }
    return value == 1 << 63 ? .min : Int64(exactly: value).map { -$0 }
  }

  /// The unit of an option that sets an expiry.
  enum Expiry: String {
    case seconds = "EX"
    case milliseconds = "PX"
    case secondsSince1970 = "EXAT"
    case millisecondsSince1970 = "PXAT"
  }

  /// When the number at a place says that a key expires, milliseconds since 1970; nil where the
  /// server refuses it.
  func deadline(_ place: Int, _ unit: Expiry) -> Int64? {
    guard let value = integer(place) else { return nil }
    let isSeconds = unit == .seconds || unit == .secondsSince1970
    let (milliseconds, isTooLarge) = value.multipliedReportingOverflow(by: isSeconds ? 1000 : 1)
    if isTooLarge { return nil }
    if unit == .secondsSince1970 || unit == .millisecondsSince1970 { return milliseconds }
    let (sum, overflows) = milliseconds.addingReportingOverflow(Int64(time / 1000))
    return overflows ? nil : sum
  }

  /// Bytes of a word, of which `\x00` and `\n` are one.
  static func length(_ word: TextField) -> Int {
    guard word.find(0x5C) != nil else { return word.count }
    var rest = word
    var count = 0
    while let byte = rest.takeByte() {
      count += 1
      guard byte == 0x5C, let letter = rest.takeByte(), letter == 0x78 else { continue }
      _ = rest.takeByte()
      _ = rest.takeByte()
    }
    return count
  }
}
