import Larder

/// Dates of header fields (RFC 9110, 5.6.7) as seconds since 1 January 1970.
enum HTTPDate {
  private static let longDays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]
  private static let days = longDays.map { String($0.prefix(3)) }
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Parses one of the three formats, exactly except for the case of letters; nil for anything
  /// else.
  ///
  /// - Parameter now: The current time: a year of two digits that would be more than 50 years
  ///   ahead belongs to the past.
  static func seconds(_ text: String, now: Int64) -> Int64? {
    let text = text.asciiTrimmed.asciiLowercased
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 6:
      // Sun, 06 Nov 1994 08:49:37 GMT
      guard parts[0].hasSuffix(","), days.contains(String(parts[0].dropLast())), parts[5] == "gmt",
        let day = number(parts[1], digits: 2), let year = number(parts[3], digits: 4)
      else { return asctime(parts) }
      return time(year, parts[2], day, parts[4])
    case 4:
      // Sunday, 06-Nov-94 08:49:37 GMT
      let date = parts[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      guard parts[0].hasSuffix(","), longDays.contains(String(parts[0].dropLast())),
        parts[3] == "gmt", date.count == 3, let day = number(date[0], digits: 2),
        let short = number(date[2], digits: 2)
      else { return nil }
      // By the mean length of a year: exact to a day.
      let current = 1_970 + now / 31_556_952
      var year = current - current % 100 + short
      if year > current + 50 { year -= 100 }
      if year <= current - 50 { year += 100 }
      return time(year, date[1], day, parts[2])
    default: return asctime(parts)
    }
  }

  /// Sun Nov  6 08:49:37 1994
  private static func asctime(_ parts: [String]) -> Int64? {
    var parts = parts
    // A day of one digit follows a second space.
    if parts.count == 6, parts[2].isEmpty, parts[3].utf8.count == 1 {
      parts.remove(at: 2)
      parts[2] = "0" + parts[2]
    }
    guard parts.count == 5, days.contains(parts[0]), let day = number(parts[2], digits: 2),
      let year = number(parts[4], digits: 4)
    else { return nil }
    return time(year, parts[1], day, parts[3])
  }

  private static func number(_ text: String, digits: Int) -> Int64? {
    text.utf8.count == digits ? ByteRange.number(text) : nil
  }

  private static func time(
    _ year: Int64, _ month: String, _ day: Int64, _ clock: String
  ) -> Int64? {
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard let month = months.firstIndex(of: month), parts.count == 3,
      let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
      let second = number(parts[2], digits: 2), hour < 24, minute < 60, second <= 60
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = month == 1 ? (isLeap ? 29 : 28) : [3, 5, 8, 10].contains(month) ? 30 : 31
    guard (1...Int64(length)).contains(day) else { return nil }
    return daysSince1970(year, Int64(month) + 1, day) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  /// Days in the Gregorian calendar, whose year is counted from March so that the leap day is its
  /// last.
  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
