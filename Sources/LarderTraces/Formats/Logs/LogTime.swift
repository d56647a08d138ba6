import LarderEngine

/// Parser of the times in logs; results are microseconds since 1970 in UTC.
enum LogTime {
  /// Parses a time: `01/Mar/2026:10:00:00 +0100` with or without brackets, ISO 8601
  /// (`2026-03-01T10:00:00.25+01:00`, a blank for the T, slashes for the hyphens), its 14 digits,
  /// `Sun, 01 Mar 2026 09:00:00 GMT`, or `Sun Mar  1 09:00:00 2026`. Times without a zone are in
  /// UTC. Nil for anything else and for times before 1970.
  static func microseconds(_ field: TextField) -> UInt64? {
    var text = DateText(field)
    if text.passes(UInt8(ascii: "[")) { text.dropLast(UInt8(ascii: "]")) }
    guard let first = text.peek(0), text.rest.count >= 10 else { return nil }
    if first &- 0x30 > 9 { return httpDate(&text) }
    if text.rest.count == 14, text.rest.isNumber {
      let numbers = [4, 2, 2, 2, 2, 2].compactMap { text.number($0) }
      guard numbers[3] < 24, numbers[4] < 60, numbers[5] <= 60 else { return nil }
      let seconds = numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
      return microseconds(numbers[0], numbers[1], numbers[2], seconds)
    }
    return [text.peek(1), text.peek(2)].contains(0x2F) ? common(&text) : iso(&text)
  }

  /// True if a date with a time in these lines has no zone. The dates of W3C logs, which
  /// begin with a directive, are in UTC.
  static func isLocal(_ lines: [ArraySlice<UInt8>]) -> Bool {
    guard lines.first?.first != UInt8(ascii: "#") else { return false }
    return lines.contains { isLocal(Array($0)) }
  }

  private static func isLocal(_ line: [UInt8]) -> Bool {
    let isDigit = { (byte: UInt8) in byte &- 0x30 <= 9 }
    let isClock = { (place: Int) in
      line[place + 2] == 0x3A && line[place + 5] == 0x3A
        && [0, 1, 3, 4, 6, 7].allSatisfy { isDigit(line[place + $0]) }
    }
    guard line.count >= 19 else { return false }
    for place in 11...(line.count - 8) where isClock(place) {
      // `Mar  1 10:00:00 2026]`.
      let end = place + 13
      if line[place - 4] == 0x20, line.count > end, line[end] == 0x5D { return true }
      // `/2026:` or `-01T` before the time.
      let isCommon = [0x3A, 0x20].contains(line[place - 1]) && line[place - 6] == 0x2F
      let isISO = [0x54, 0x20].contains(line[place - 1]) && [0x2D, 0x2F].contains(line[place - 4])
      guard isCommon || isISO else { continue }
      var rest = line[(place + 8)...]
      if rest.first == 0x2E || rest.first == 0x2C, rest.dropFirst().first.map(isDigit) == true {
        rest = rest.dropFirst().drop(while: isDigit)
      }
      if rest.first == 0x20 { rest = rest.dropFirst() }
      let isSigned = rest.first == 0x2B || rest.first == 0x2D
      let isOffset = isSigned && rest.dropFirst().first.map(isDigit) == true
      if !isOffset, !["Z", "z", "UTC", "GMT"].contains(where: { rest.starts(with: $0.utf8) }) {
        return true
      }
    }
    return false
  }

  /// Parses a date or a number since 1970, whose magnitude gives its unit.
  static func microseconds(dateOrNumber field: TextField) -> UInt64? {
    var rest = field
    guard let whole = rest.takeInteger() else { return microseconds(field) }
    var number = rest.isEmpty || rest.next.pointee == 0x2E ? whole : nil
    if field.contains(anyOf: "eE") { number = DecimalNumber(field)?.scaled(by: 0) }
    guard let number else { return microseconds(field) }
    return TimeUnit.guess(Double(number)).microseconds(field)
  }

  @inline(__always) static func common(_ text: inout DateText) -> UInt64? {
    let digits = text.peek(1) == 0x2F ? 1 : 2
    guard let day = text.number(digits), text.passes(0x2F), let month = text.month(),
      text.passes(0x2F), let year = text.number(4), text.passes(0x3A) || text.passes(0x20),
      let seconds = text.clock(), let fraction = text.fraction()
    else { return nil }
    var zone = 0
    if !text.rest.isEmpty {
      guard text.passes(0x20), let given = text.zone(), text.rest.isEmpty else { return nil }
      zone = given
    }
    return microseconds(year, month, day, seconds - zone).map { $0 + UInt64(fraction) }
  }

  private static func iso(_ text: inout DateText) -> UInt64? {
    guard let year = text.number(4), let separator = text.rest.takeByte(),
      separator == 0x2D || separator == 0x2F, let month = text.number(2),
      text.passes(separator), let day = text.number(2)
    else { return nil }
    if text.rest.isEmpty { return microseconds(year, month, day, 0) }
    guard let mark = text.rest.takeByte(), mark == 0x54 || mark == 0x20 || mark == 0x74,
      let seconds = text.clock(), let fraction = text.fraction()
    else { return nil }
    _ = text.passes(0x20)
    var zone = 0
    if !text.rest.isEmpty, !text.passes(0x5A), !text.passes(0x7A), !text.passesUTC() {
      guard let given = text.zone() else { return nil }
      zone = given
    }
    // Go writes both, as in `+0000 UTC`.
    if text.passes(0x20) { _ = text.passesUTC() }
    guard text.rest.isEmpty, let whole = microseconds(year, month, day, seconds - zone) else {
      return nil
    }
    return whole + UInt64(fraction)
  }

  private static func httpDate(_ text: inout DateText) -> UInt64? {
    var weekday = text
    if weekday.month() == nil { while let byte = text.rest.takeByte(), byte != 0x20 {} }
    if let letter = text.peek(0), letter &- 0x30 > 9 {
      let month = text.month()
      text.rest.skipBlanks()
      guard let month, let day = text.rest.takeInteger() else { return nil }
      // `Mar 1, 2026 @ 10:00:00.000`, of Kibana.
      let year = text.passes(0x2C) && text.passes(0x20) ? text.number(4) : nil
      guard text.passes(0x20), year == nil || text.passes(0x40) && text.passes(0x20),
        let seconds = text.clock(), let fraction = text.fraction(),
        let year = year ?? (text.passes(0x20) ? text.number(4) : nil)
      else { return nil }
      return microseconds(year, month, Int(clamping: day), seconds).map { $0 + UInt64(fraction) }
    }
    guard let day = text.number(2), text.passes(0x20), let month = text.month(),
      text.passes(0x20), let year = text.number(4), text.passes(0x20),
      let seconds = text.clock()
    else { return nil }
    _ = text.passes(0x20)
    var zone = 0
    if let sign = text.peek(0), sign == 0x2B || sign == 0x2D {
      guard let given = text.zone() else { return nil }
      zone = given
    }
    return microseconds(year, month, day, seconds - zone)
  }

  @inline(__always) private static func microseconds(
    _ year: Int, _ month: Int, _ day: Int, _ seconds: Int
  ) -> UInt64? {
    guard (1...12).contains(month), (1...31).contains(day), year >= 1900 else { return nil }
    // Years that begin in March put the leap day at the end (Hinnant's algorithm).
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let total = (era * 146_097 + dayOfEra - 719_468) * 86_400 + seconds
    return total < 0 ? nil : UInt64(total) * 1_000_000
  }
}

struct DateText {
  var rest: TextField

  init(_ field: TextField) { rest = field.trimmed }

  @inline(__always) func peek(_ offset: Int) -> UInt8? {
    offset < rest.count ? rest.next[offset] : nil
  }

  @inline(__always) mutating func passes(_ byte: UInt8) -> Bool {
    guard !rest.isEmpty, rest.next.pointee == byte else { return false }
    rest.skip()
    return true
  }

  mutating func passesUTC() -> Bool {
    let isUTC = ["UTC", "GMT"].contains { rest.starts(with: Array($0.utf8)) }
    if isUTC { for _ in 0..<3 { rest.skip() } }
    return isUTC
  }

  mutating func dropLast(_ byte: UInt8) {
    if !rest.isEmpty, rest.end[-1] == byte { rest = TextField(rest.next, rest.end - 1) }
  }

  @inline(__always) mutating func number(_ digits: Int) -> Int? {
    guard rest.count >= digits else { return nil }
    var value = 0
    for _ in 0..<digits {
      let digit = rest.next.pointee &- 0x30
      if digit > 9 { return nil }
      value = value &* 10 &+ Int(digit)
      rest.skip()
    }
    return value
  }

  @inline(__always) mutating func month() -> Int? {
    guard rest.count >= 3 else { return nil }
    let letters =
      UInt32(rest.next[0] | 0x20) << 16 | UInt32(rest.next[1] | 0x20) << 8
      | UInt32(rest.next[2] | 0x20)
    for _ in 0..<3 { rest.skip() }
    return DateText.months.firstIndex(of: letters).map { $0 + 1 }
  }

  private static let months: [UInt32] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ].map { $0.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

  @inline(__always) mutating func clock() -> Int? {
    guard let hours = number(2), passes(0x3A), let minutes = number(2), passes(0x3A),
      let seconds = number(2), hours < 24, minutes < 60, seconds <= 60
    else { return nil }
    return hours * 3600 + minutes * 60 + seconds
  }

  /// Microseconds of `.25` or `,25`, 0 without a fraction; nil for a point without digits.
  mutating func fraction() -> Int? {
    guard passes(0x2E) || passes(0x2C) else { return 0 }
    var (value, digits) = (0, 0)
    while let byte = peek(0), byte &- 0x30 <= 9 {
      if digits < 6 { value = value * 10 + Int(byte - 0x30) }
      digits += 1
      rest.skip()
    }
    guard digits > 0 else { return nil }
    for _ in min(digits, 6)..<6 { value *= 10 }
    return value
  }

  /// Seconds east of UTC: `+0100` or `-05:30`.
  @inline(__always) mutating func zone() -> Int? {
    guard let sign = rest.takeByte(), sign == 0x2B || sign == 0x2D, let hours = number(2) else {
      return nil
    }
    _ = passes(0x3A)
    guard let minutes = rest.isEmpty ? 0 : number(2) else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return sign == 0x2D ? -seconds : seconds
  }
}

enum CostField {
  /// Sum of the numbers in a field such as `0.012, 0.034`, times `scale`: one for each server that
  /// was asked. Numbers with a unit, as in `12ms` or `1m2.5s`, count in milliseconds; negative ones
  /// are ignored. Nil without a number, or if the sum is not a valid duration.
  static func sum(_ field: TextField, times scale: Double) -> Float? {
    var rest = field
    var (sum, milliseconds, isKnown) = (0.0, 0.0, false)
    while !rest.isEmpty {
      let isNegative = rest.next.pointee == 0x2D
      if isNegative { rest.skip() }
      if let number = takeNumber(&rest) {
        let unit = takeUnit(&rest)
        if isNegative { continue }
        isKnown = true
        if let unit { milliseconds += number * unit } else { sum += number }
      } else if !isNegative {
        rest.skip()
      }
    }
    let cost = Float(sum * scale + milliseconds)
    return isKnown && cost.isFinite ? cost : nil
  }

  private static func takeUnit(_ rest: inout TextField) -> Double? {
    var word = rest
    if !word.isEmpty, word.next.pointee == 0x20 { word.skip() }
    let start = word.next
    while !word.isEmpty, (word.next.pointee | 0x20) &- 0x61 < 26 || word.next.pointee >= 0x80 {
      word.skip()
    }
    guard word.next > start, word.next - start <= 12 else { return nil }
    let text = TextField(start, word.next)
    for unit in units where text.equals(anyCase: unit.name) {
      rest = word
      return unit.milliseconds
    }
    return nil
  }

  private static let units: [(name: StaticString, milliseconds: Double)] = [
    ("ms", 1), ("s", 1000), ("us", 0.001), ("µs", 0.001), ("μs", 0.001), ("ns", 0.000_001),
    ("sec", 1000), ("secs", 1000), ("seconds", 1000), ("msec", 1), ("usec", 0.001), ("m", 60_000),
    ("min", 60_000), ("h", 3_600_000),
  ]

  /// An unsigned number: `12`, `0.034` or, as programs write small ones in JSON, `1.5e-05`.
  private static func takeNumber(_ rest: inout TextField) -> Double? {
    guard let whole = rest.takeInteger() else { return nil }
    var number = Double(whole)
    if !rest.isEmpty, rest.next.pointee == 0x2E {
      rest.skip()
      number += takeFraction(&rest)
    }
    var power = rest
    guard let letter = power.takeByte(), letter | 0x20 == 0x65 else { return number }
    let isNegative = !power.isEmpty && power.next.pointee == 0x2D
    if isNegative || (!power.isEmpty && power.next.pointee == 0x2B) { power.skip() }
    guard let exponent = power.takeInteger() else { return number }
    rest = power
    let factor = powerOfTen(Int(min(exponent, 400)))
    return isNegative ? number / factor : number * factor
  }

  private static func takeFraction(_ rest: inout TextField) -> Double {
    var (digits, places): (UInt64, Int) = (0, 0)
    while !rest.isEmpty, rest.next.pointee &- 0x30 <= 9 {
      if places < 18 {
        digits = digits * 10 + UInt64(rest.next.pointee - 0x30)
        places += 1
      }
      rest.skip()
    }
    return Double(digits) / powerOfTen(places)
  }

  private static func powerOfTen(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { power, _ in power * 10 }
  }
}

/// Prefixes that loggers add to a server's own line: syslog (RFC 3164 and 5424), journald,
/// containers (CRI, `docker logs -t`, docker-compose, `kubectl logs --prefix`).
enum LogPrefix {
  static func removed(from head: TextField) -> TextField {
    var rest = head
    var end = rest.next
    if let priority = priority(rest) {
      rest = TextField(priority, head.end)
      end = priority
    }
    if rest.starts(with: Array("1 20".utf8)) { return afterHeader(rest) }
    var words = 0
    var isStream = false
    var isDated = false
    while words < 12 {
      let word = rest.takeField()
      if word.isEmpty { break }
      let last = word.end[-1]
      let isBracketed = word.next.pointee == 0x5B && last == 0x5D
      if words == 0, isDate(word) || isBracketed && !isSite(word, rest) { end = word.end }
      if words == 0 { isDated = word.count == 3 && fits(word) { $0.month() } }
      // `Mar  1 10:00:00 web1`, optionally followed by a program and a colon.
      if words == 2, isDated { isDated = fits(word) { $0.clock() } }
      if words == 3, isDated { end = word.end }
      if last == 0x3A, word.count > 1, !word.isAddress { end = word.end }
      if word.count == 1, word.next.pointee == 0x7C { end = word.end }
      if isStream, word.count == 1 { end = word.end }
      isStream = word.equals(anyCase: "stdout") || word.equals(anyCase: "stderr")
      words += 1
    }
    return TextField(end, head.end).trimmed
  }

  /// True for a name in brackets that is the requested server: an address, a whole host name before
  /// a client, or a name as LanCache writes it (`[steam] 192.0.2.1 / - - -`).
  private static func isSite(_ word: TextField, _ following: TextField) -> Bool {
    var rest = following
    let client = rest.takeField()
    if word.isAddress { return client.isAddress }
    let name = TextField(word.next + 1, word.end - 1)
    let mark = rest.takeField()
    let isMarked = mark.count == 1 && mark.next.pointee == 0x2F
    return client.isAddress && (name.isFullHostName || (isMarked && name.isHostName))
  }

  private static func priority(_ head: TextField) -> UnsafePointer<UInt8>? {
    var rest = head
    // Over TCP its length is in front.
    if rest.takeInteger() != nil { rest.skipBlanks() }
    guard rest.takeByte() == 0x3C, rest.takeInteger() != nil, rest.takeByte() == 0x3E else {
      return nil
    }
    return rest.next
  }

  /// Text after a header of RFC 5424: version, time, host, program, process, kind and data.
  private static func afterHeader(_ head: TextField) -> TextField {
    var rest = head
    for _ in 0..<6 { _ = rest.takeField() }
    rest.skipBlanks()
    if !rest.isEmpty, rest.next.pointee == 0x2D {
      rest.skip()
    } else {
      while !rest.isEmpty, rest.next.pointee == 0x5B {
        guard let close = rest.find(0x5D) else { break }
        rest = TextField(close + 1, head.end)
      }
    }
    rest.skipBlanks()
    if rest.starts(with: ByteOrderMark.utf8) { rest = TextField(rest.next + 3, rest.end) }
    return rest.trimmed
  }

  private static func isDate(_ word: TextField) -> Bool {
    word.count >= 19 && word.next[4] == 0x2D && word.next[10] == 0x54 && word.next[13] == 0x3A
      && LogTime.microseconds(word) != nil
  }

  private static func fits(_ word: TextField, _ part: (inout DateText) -> Int?) -> Bool {
    var text = DateText(word)
    return part(&text) != nil
  }
}
