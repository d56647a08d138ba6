import Larder
import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

enum StoredUse: Sendable, Hashable {
  case now
  /// It answers the request, and is refreshed in the background (RFC 5861, 3).
  case whileRefreshed
  /// The origin must confirm it first.
  case whenValidated
}

/// A stored response: the calculations of RFC 9111 on its head, and its content.
struct StoredResponse: Sendable, Hashable {
  /// A request header field that the response varies by, with a keyed hash of its normalised value:
  /// such a value, as that of `Authorization`, may be a secret. Nil if the request had none.
  struct Selector: Sendable, Hashable {
    let name: String
    let hash: UInt64?
  }

  var head: ResponseHead
  var requestTime: Int64
  var responseTime: Int64
  /// Key of the hashes of `selectors`, random for each response.
  var selectorKey: SelectorKey
  var selectors: [Selector]
  var body: Data

  private static let range = "range"

  private var control: CacheControl { head.control }
  var responseSecond: Int64 { responseTime / 1_000_000 }

  /// Time of `Date`; that of the response if it has none that is valid.
  var date: Int64 { date(of: "Date") ?? responseSecond }

  func date(of name: String) -> Int64? {
    head.fields[name].flatMap { HTTPDate.seconds($0, now: responseSecond) }
  }

  // MARK: Freshness

  /// Longest heuristic lifetime: a week.
  private static let heuristicMax: Int64 = 7 * 86_400

  /// Lifetime in seconds (RFC 9111, 4.2.1); a tenth of the time since `Last-Modified` if the
  /// origin gives none (4.2.2).
  var lifetime: Int64 {
    let control = control
    if let maxAge = control.maxAge { return maxAge }
    if head.fields.contains("Expires") {
      guard let expires = date(of: "Expires") else { return 0 }
      return min(max(0, expires - date), CacheControl.secondsMax)
    }
    guard head.isHeuristicallyCacheable || control.isPublic,
      let modified = date(of: "Last-Modified")
    else { return 0 }
    return min(max(0, (date - modified) / 10), Self.heuristicMax)
  }

  /// Age in seconds (RFC 9111, 4.2.3). One that is unknown, because the response came more than an
  /// hour later than it is now, is the largest.
  func age(at now: Int64) -> Int64 {
    if CacheInstant.isAhead(UInt64(clamping: responseTime), of: UInt64(clamping: now)) {
      return CacheControl.secondsMax
    }
    let received =
      (head.fields["Age"] ?? "").split(separator: ",").first
      .flatMap { CacheControl.seconds(String($0).asciiTrimmed) } ?? 0
    let apparent = max(0, responseSecond - date)
    let delay = responseTime - requestTime
    let resident = max(0, now - responseTime)
    return max(apparent + resident / 1_000_000, received + (delay + resident) / 1_000_000)
  }

  func isFresh(at now: Int64) -> Bool { !control.noCache && age(at: now) < lifetime }

  /// Decides on the use of the response for a request.
  ///
  /// - Parameter isReload: True if the user wants current responses, with the exception that
  ///   `immutable` makes (RFC 8246).
  func use(for request: CacheControl, isReload: Bool = false, at now: Int64) -> StoredUse {
    let control = control
    if request.noCache || control.noCache { return .whenValidated }
    let age = age(at: now)
    let remaining = lifetime - age
    if let maxAge = request.maxAge, maxAge == 0 || age > maxAge { return .whenValidated }
    if let minFresh = request.minFresh, remaining < minFresh { return .whenValidated }
    if remaining > 0 { return isReload && !control.isImmutable ? .whenValidated : .now }
    if control.mustRevalidate { return .whenValidated }
    if let maxStale = request.maxStale, -remaining <= maxStale { return .now }
    if isReload { return .whenValidated }
    if let window = control.staleWhileRevalidate, -remaining <= window { return .whileRefreshed }
    return .whenValidated
  }

  /// True if the response may replace an error of the origin (RFC 5861, 4).
  ///
  /// - Parameter limit: Seconds after its lifetime that the app permits; nil for none.
  func mayReplaceError(of request: CacheControl, limit: Int64?, at now: Int64) -> Bool {
    let control = control
    if control.noCache { return false }
    let staleness = age(at: now) - lifetime
    if control.mustRevalidate, staleness >= 0 { return false }
    let limits = [control.staleIfError, request.staleIfError, limit].compactMap { $0 }
    return limits.contains { staleness <= $0 }
  }

  var isWorthStoring: Bool {
    let control = control
    if hasValidator { return true }
    return !control.noCache
      && (lifetime > 0 || control.staleWhileRevalidate ?? 0 > 0 || control.staleIfError ?? 0 > 0)
  }

  // MARK: Validation

  var entityTag: String? { head.entityTag }

  var lastModified: String? {
    date(of: "Last-Modified") == nil ? nil : head.fields["Last-Modified"]
  }

  var hasValidator: Bool { entityTag != nil || lastModified != nil }

  /// Fields that make a request conditional (RFC 9111, 4.3.1).
  var conditions: [(name: String, value: String)] {
    var conditions: [(String, String)] = []
    if let entityTag { conditions.append(("If-None-Match", entityTag)) }
    if let lastModified { conditions.append(("If-Modified-Since", lastModified)) }
    return conditions
  }

  /// True if a 304 is about this response (RFC 9111, 4.3.4): a strong tag must be the same, and the
  /// first weaker validator that the 304 has must correspond.
  func isConfirmed(by answer: ResponseHead) -> Bool {
    let tag = answer.entityTag
    if let tag, let entityTag { return EntityTag.confirms(tag, entityTag) }
    if let tag, !tag.hasPrefix("W/") { return false }
    guard let text = answer.fields["Last-Modified"],
      let modified = HTTPDate.seconds(text, now: responseSecond)
    else { return tag == nil }
    return date(of: "Last-Modified").map { $0 == modified } ?? (entityTag != nil)
  }

  /// Fields that describe the stored content, which a response without content does not change.
  private static let contentFields = ["Content-Encoding", "Content-Length", "Content-Range"]

  /// The response with the fields and times of a 304, or of a 200 to a HEAD (RFC 9111, 3.2, 4.3.4,
  /// 4.3.5), and with the values of `request` for fields that it varies by only since then.
  func updated(
    by answer: ResponseHead, answering request: RequestHead, requestTime: Int64, responseTime: Int64
  ) -> StoredResponse {
    var new = self
    // An age and a date that the answer does not repeat are those of the old response.
    new.head.fields.remove(["Age", "Date"])
    new.head.fields.update(from: answer.fields.storable, except: Self.contentFields)
    new.requestTime = requestTime
    new.responseTime = max(requestTime, responseTime)
    new.select(by: request)
    return new
  }

  /// True if a 200 to a HEAD is about this response (RFC 9111, 4.3.5).
  func isConfirmed(byHead answer: ResponseHead) -> Bool {
    for name in ["ETag", "Last-Modified", "Content-Length"] {
      guard let new = answer.fields[name] else { continue }
      let own = name == "Content-Length" ? head.fields[name] ?? "\(body.count)" : head.fields[name]
      if new != own { return false }
    }
    return true
  }

  // MARK: Selection

  func matches(_ request: RequestHead) -> Bool {
    selectors.allSatisfy { selector in
      // A part may answer other ranges.
      if selector.name == Self.range, head.status == 206 { return true }
      let value = request.selecting(selector.name)
      return selectorKey.hash(value) == selector.hash
        || selector.name == "accept-language" && isInPreferredLanguage(of: value)
    }
  }

  /// True if the content is in the one language that the request prefers to all others.
  private func isInPreferredLanguage(of acceptLanguage: String?) -> Bool {
    guard let acceptLanguage, let language = head.fields["Content-Language"]?.asciiLowercased else {
      return false
    }
    let ranges = LanguageRange.parse(acceptLanguage)
    guard let best = ranges.first, best.weight > 0, best.tag == language else { return false }
    return ranges.count < 2 || ranges[1].weight < best.weight
  }

  // MARK: Parts

  /// Positions of the stored bytes; nil for a complete response. The number of bytes is that of
  /// the content, whatever the header says.
  var part: ContentRange? {
    guard head.status == 206, !body.isEmpty,
      var range = head.fields["Content-Range"].flatMap(ContentRange.init)
    else { return nil }
    range.last = min(range.last, range.first + Int64(body.count) - 1)
    return range
  }

  func isPart(askedForBy header: String) -> Bool {
    guard head.status == 206 else { return false }
    return selectors.contains { $0.name == Self.range && $0.hash == selectorKey.hash(header) }
  }

  /// Positions of a range in `body`, and the header that says so; nil if the bytes are not all
  /// there.
  func slice(_ range: ByteRange) -> (bytes: Range<Int>, content: ContentRange)? {
    let part = part
    // A range counts encoded bytes; most clients return others.
    guard !head.fields.contains("Content-Encoding"), head.status != 206 || part != nil,
      let total = part == nil ? Int64(body.count) : part?.total,
      let wanted = range.positions(total: total)
    else { return nil }
    let first = part?.first ?? 0
    let end = part.map { $0.last + 1 } ?? total
    guard first <= wanted.lowerBound, wanted.upperBound <= end else { return nil }
    return (
      Int(wanted.lowerBound - first)..<Int(wanted.upperBound - first),
      ContentRange(first: wanted.lowerBound, last: wanted.upperBound - 1, total: total)
    )
  }
}

extension StoredResponse {
  init(
    _ head: ResponseHead, body: Data, answering request: RequestHead, requestTime: Int64,
    responseTime: Int64
  ) {
    self.init(
      head: ResponseHead(status: head.status, fields: head.fields.storable),
      requestTime: requestTime,
      // The clock may have been set back in between.
      responseTime: max(requestTime, responseTime), selectorKey: SelectorKey(0, 0), selectors: [],
      body: body)
    select(by: request)
  }

  private mutating func select(by request: RequestHead) {
    var names = Set(head.fields.tokens(of: "Vary").map(\.asciiLowercased))
    if head.status == 206 { names.insert(Self.range) }
    names.subtract(selectors.map(\.name))
    if selectors.isEmpty, !names.isEmpty { selectorKey = SelectorKey() }
    selectors += names.sorted().map {
      Selector(name: $0, hash: selectorKey.hash(request.selecting($0)))
    }
  }
}

/// Key of the hashes of a response's selectors.
struct SelectorKey: Sendable, Hashable {
  let first: UInt64
  let second: UInt64

  init(_ first: UInt64, _ second: UInt64) {
    self.first = first
    self.second = second
  }

  init() {
    var generator = SystemRandomNumberGenerator()
    self.init(generator.next(), generator.next())
  }

  /// SipHash of each eight bytes with the hash of those before, and of the length first.
  func hash(_ text: String?) -> UInt64? {
    guard let text else { return nil }
    let hash = SipHash(first, second)
    var state = hash.hash(UInt64(text.utf8.count))
    var (word, count) = (UInt64(0), 0)
    for byte in text.utf8 {
      word = word << 8 | UInt64(byte)
      count += 1
      if count == 8 { (state, word, count) = (hash.hash(state ^ word), 0, 0) }
    }
    return count == 0 ? state : hash.hash(state ^ word)
  }
}

extension RequestHead {
  /// Normalised value of a field that a response varies by; nil if the request has none.
  func selecting(_ name: String) -> String? {
    guard let value = fields[name] else { return nil }
    switch name {
    case "accept-language":
      return LanguageRange.parse(value).map(\.text).joined(separator: ",")
    case "accept", "accept-encoding", "accept-charset":
      return EntityTag.list(value).joined(separator: ",").asciiLowercased
    default: return EntityTag.list(value).joined(separator: ",")
    }
  }
}

struct LanguageRange: Sendable, Hashable {
  let tag: String
  let weight: Int

  var text: String {
    if weight == 1_000 { return tag }
    let digits = "\(weight)"
    return "\(tag);q=0." + String(repeating: "0", count: 3 - digits.utf8.count) + digits
  }

  static func parse(_ header: String) -> [LanguageRange] {
    header.split(separator: ",").compactMap { element -> LanguageRange? in
      let parts = element.split(separator: ";").map { String($0).asciiTrimmed.asciiLowercased }
      guard let tag = parts.first, !tag.isEmpty else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      return LanguageRange(
        tag: tag, weight: weight.map { Self.thousandths($0.dropFirst(2)) } ?? 1_000)
    }.sorted { ($1.weight, $0.tag) < ($0.weight, $1.tag) }
  }

  /// Parses a weight such as `0.5`; one that is invalid counts as 1.
  private static func thousandths(_ text: Substring) -> Int {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let digits = parts.count > 1 ? parts[1] : ""
    guard let whole = parts.first.flatMap({ Int($0) }), whole == 0 || whole == 1,
      parts.count <= 2, digits.utf8.count <= 3,
      let rest = Int(digits + String(repeating: "0", count: 3 - digits.utf8.count)), rest >= 0
    else { return 1_000 }
    return min(1_000, whole * 1_000 + rest)
  }
}

/// Entity tags, and lists of them (RFC 9110, 8.8.3).
enum EntityTag {
  private static func opaque(_ tag: some StringProtocol) -> Substring {
    let tag = Substring(tag)
    return tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
  }

  static func matchesWeakly(_ one: String, _ other: String) -> Bool {
    opaque(one) == opaque(other)
  }

  /// True if the tag of a 304 is that of the stored response: a strong one must be the same, a weak
  /// one may be of the same representation.
  static func confirms(_ tag: String, _ stored: String) -> Bool {
    tag.hasPrefix("W/") ? matchesWeakly(tag, stored) : tag == stored
  }

  static func isListed(_ tag: String?, in header: String) -> Bool {
    if header.asciiTrimmed == "*" { return true }
    guard let tag else { return false }
    return list(header).contains { matchesWeakly($0, tag) }
  }

  /// Splits at commas outside quotes, which have no escapes.
  static func list(_ header: String) -> [String] {
    var isQuoted = false
    return header.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }.map { String($0).asciiTrimmed }
  }
}
