/// Times as logs write them, as microseconds since 1970 in UTC.
enum LogTime {
  /// The time in a field: `01/Mar/2026:10:00:00 +0100` with or without brackets, ISO 8601
  /// (`2026-03-01T10:00:00.25+01:00`, a blank for the T, slashes for the hyphens), or `Sun, 01 Mar
  /// 2026 09:00:00 GMT`; without a zone in UTC. Nil for anything else and for times before 1970.
  static func microseconds(_ field: TextField) -> UInt64? {
    var text = DateText(field)
    if text.passes(UInt8(ascii: "[")) { text.dropLast(UInt8(ascii: "]")) }
    guard let first = text.peek(0), text.rest.count >= 10 else { return nil }
    if first &- 0x30 > 9 { return httpDate(&text) }
    return text.peek(2) == UInt8(ascii: "/") ? common(&text) : iso(&text)
  }

  /// The time in a field that is a date or a number since 1970: of seconds below 10^11, of
  /// milliseconds below 10^14, of microseconds below 10^17, of nanoseconds above.
  static func microseconds(dateOrNumber field: TextField) -> UInt64? {
    var rest = field
    guard let whole = rest.takeInteger() else { return microseconds(field) }
    if rest.isEmpty || rest.next.pointee == 0x2E {
      if let number = microseconds(scientific: field) { return number }
      let unit: TimeUnit =
        whole < 100_000_000_000
        ? .seconds
        : whole < 100_000_000_000_000
          ? .milliseconds : whole < 100_000_000_000_000_000 ? .microseconds : .nanoseconds
      return unit.microseconds(field)
    }
    return microseconds(field) ?? microseconds(scientific: field)
  }

  /// Seconds or other units since 1970 as in `1.7723592005e9`.
  @inline(never)
  private static func microseconds(scientific field: TextField) -> UInt64? {
    guard field.find(0x65) != nil || field.find(0x45) != nil, field.count <= 32,
      let number = Double(field.text), number >= 0, number < 1e19
    else { return nil }
    if number < 1e11 { return UInt64(number * 1e6) }
    return UInt64(number < 1e14 ? number * 1e3 : number < 1e17 ? number : number / 1e3)
  }

  /// `01/Mar/2026:10:00:00 +0100`, or with a fraction of the second, or without a zone.
  @inline(__always)
  static func common(_ text: inout DateText) -> UInt64? {
    guard let day = text.number(2), text.passes(0x2F), let month = text.month(),
      text.passes(0x2F), let year = text.number(4), text.passes(0x3A),
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

  /// `Sun, 01 Mar 2026 09:00:00 GMT`, or a zone such as `+0100`.
  private static func httpDate(_ text: inout DateText) -> UInt64? {
    while let byte = text.rest.takeByte(), byte != 0x20 {}
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

  /// Seconds of a day and a date in the Gregorian calendar.
  @inline(__always)
  private static func microseconds(
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

/// The text of a date that is being taken apart.
struct DateText {
  /// What is left.
  var rest: TextField

  /// The text in a field, without blanks around it.
  init(_ field: TextField) { rest = field.trimmed }

  /// The byte at `offset`.
  @inline(__always)
  func peek(_ offset: Int) -> UInt8? { offset < rest.count ? rest.next[offset] : nil }

  /// Takes a byte off if it is the next one.
  @inline(__always)
  mutating func passes(_ byte: UInt8) -> Bool {
    guard !rest.isEmpty, rest.next.pointee == byte else { return false }
    rest.skip()
    return true
  }

  /// Takes `UTC` or `GMT` off.
  mutating func passesUTC() -> Bool {
    guard rest.starts(with: Array("UTC".utf8)) || rest.starts(with: Array("GMT".utf8)) else {
      return false
    }
    for _ in 0..<3 { rest.skip() }
    return true
  }

  /// Takes a byte off the end if it is there.
  mutating func dropLast(_ byte: UInt8) {
    if !rest.isEmpty, rest.end[-1] == byte { rest = TextField(rest.next, rest.end - 1) }
  }

  /// A number of so many digits.
  @inline(__always)
  mutating func number(_ digits: Int) -> Int? {
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

  /// The number of a month that is written with three letters.
  @inline(__always)
  mutating func month() -> Int? {
    guard rest.count >= 3 else { return nil }
    let letters =
      UInt32(rest.next[0] | 0x20) << 16 | UInt32(rest.next[1] | 0x20) << 8
      | UInt32(rest.next[2] | 0x20)
    for _ in 0..<3 { rest.skip() }
    switch letters {
    case 0x6A_61_6E: return 1
    case 0x66_65_62: return 2
    case 0x6D_61_72: return 3
    case 0x61_70_72: return 4
    case 0x6D_61_79: return 5
    case 0x6A_75_6E: return 6
    case 0x6A_75_6C: return 7
    case 0x61_75_67: return 8
    case 0x73_65_70: return 9
    case 0x6F_63_74: return 10
    case 0x6E_6F_76: return 11
    case 0x64_65_63: return 12
    default: return nil
    }
  }

  /// Seconds of `10:00:00`.
  @inline(__always)
  mutating func clock() -> Int? {
    guard let hours = number(2), passes(0x3A), let minutes = number(2), passes(0x3A),
      let seconds = number(2), hours < 24, minutes < 60, seconds <= 60
    else { return nil }
    return hours * 3600 + minutes * 60 + seconds
  }

  /// Microseconds of `.25` or `,25`, 0 where there is no fraction; nil for a point without digits.
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
  @inline(__always)
  mutating func zone() -> Int? {
    guard let sign = rest.takeByte(), sign == 0x2B || sign == 0x2D, let hours = number(2) else {
      return nil
    }
    _ = passes(0x3A)
    guard let minutes = rest.isEmpty ? 0 : number(2) else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return sign == 0x2D ? -seconds : seconds
  }
}
