import Foundation
import Larder
import TestSupport
import Testing

@testable import LarderHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.endsInTime) struct HTTPRulesTests {
  // MARK: Dates

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994", "sun, 06 NOV 1994 08:49:37 gmt",
  ])
  func threeFormatsAreOneTime(text: String) {
    #expect(HTTPDate.seconds(text, now: 1_790_000_000) == 784_111_777)
  }

  @Test(arguments: [
    "", "0", "-1", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 8:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
    "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Day, 06 Nov 1994 08:49:37 GMT",
    "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun Nov 6 08:49:37 1994",
  ])
  func invalidDateIsNone(text: String) {
    #expect(HTTPDate.seconds(text, now: 0) == nil)
  }

  /// The date of a header field, by Foundation's calendar.
  private static func date(_ seconds: Int64) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents(
      [.weekday, .day, .month, .year, .hour, .minute, .second],
      from: Date(timeIntervalSince1970: Double(seconds)))
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func padded(_ number: Int?, _ count: Int = 2) -> String {
      String(("0000" + String(number ?? 0)).suffix(count))
    }
    return days[(parts.weekday ?? 1) - 1] + ", " + padded(parts.day) + " "
      + months[(parts.month ?? 1) - 1] + " " + padded(parts.year, 4) + " " + padded(parts.hour)
      + ":" + padded(parts.minute) + ":" + padded(parts.second) + " GMT"
  }

  @Test func datesRoundTrip() {
    for seconds in stride(from: Int64(-5_000_000_000), to: 250_000_000_000, by: 86_399_999) {
      #expect(HTTPDate.seconds(Self.date(seconds), now: 0) == seconds)
    }
  }

  @Test func twoDigitsBelongToTheNearestCentury() {
    let now: Int64 = 1_790_000_000  // 2026
    #expect(
      HTTPDate.seconds("Thursday, 18-Aug-50 02:01:18 GMT", now: now)
        == HTTPDate.seconds("Thu, 18 Aug 2050 02:01:18 GMT", now: now))
    #expect(
      HTTPDate.seconds("Thursday, 18-Aug-77 02:01:18 GMT", now: now)
        == HTTPDate.seconds("Thu, 18 Aug 1977 02:01:18 GMT", now: now))
  }

  // MARK: Directives

  private func control(_ text: String...) -> CacheControl {
    CacheControl(HTTPFields(text.map { ("cache-control", $0) }))
  }

  @Test func maxAgeIsParsedStrictly() {
    #expect(control("max-age=10").maxAge == 10)
    #expect(control("MAX-AGE=\"10\"").maxAge == 10)
    #expect(control("max-age=0010").maxAge == 10)
    #expect(control("max-age=99999999999999999999").maxAge == 1 << 31)
    for text in ["-1", "1.5", "1a", "a1", "", " 10", "'10'", "\"10"] {
      #expect(control("max-age=\(text)").maxAge == 0, "\(text)")
    }
    #expect(control("max-age =10").maxAge == 0)
    #expect(control("max-age").maxAge == 0)
    #expect(control("x-max-age=10, my=\"max-age=10\"").maxAge == nil)
  }

  @Test func lowestOfSeveralCounts() {
    #expect(control("max-age=10, max-age=5").maxAge == 5)
    #expect(control("max-age=5", "max-age=10").maxAge == 5)
  }

  @Test func quotedDirectivesAreArguments() {
    let quoted = control(#"ext="no-store, max-age=1 \", no-cache", max-age=7"#)
    #expect(quoted.maxAge == 7 && !quoted.noStore && !quoted.noCache)
    // A quote without an end hides nothing.
    #expect(control(#"ext="abc, no-store"#).noStore)
  }

  @Test func noCacheWithNamesConcernsFields() {
    let some = control(#"no-cache="Set-Cookie, X""#)
    #expect(!some.noCache && some.noCacheFields == ["Set-Cookie", "X"])
    #expect(control("no-cache=\"\"").noCache)
    #expect(control(#"no-cache="a", no-cache"#).noCache)
  }

  @Test func pragmaCountsInRequestsWithoutCacheControl() {
    let pragma = HTTPFields([("Pragma", "No-Cache")])
    #expect(CacheControl(pragma, isRequest: true).noCache)
    #expect(!CacheControl(pragma).noCache)
    let both = HTTPFields([("Pragma", "no-cache"), ("Cache-Control", "max-age=1")])
    #expect(!CacheControl(both, isRequest: true).noCache)
  }

  @Test func requestDirectivesHaveOptionalValues() {
    #expect(control("max-stale").maxStale == 1 << 31)
    #expect(control("max-stale=5").maxStale == 5)
    #expect(control("max-stale=x").maxStale == nil)
    #expect(control("min-fresh=5").minFresh == 5)
  }

  // MARK: Ranges

  @Test func rangesArePositions() {
    #expect(ByteRange("bytes=0-1")?.positions(total: 10) == 0..<2)
    #expect(ByteRange("bytes=5-")?.positions(total: 10) == 5..<10)
    #expect(ByteRange("bytes=-3")?.positions(total: 10) == 7..<10)
    #expect(ByteRange("bytes=-30")?.positions(total: 10) == 0..<10)
    #expect(ByteRange("bytes=5-100")?.positions(total: 10) == 5..<10)
    #expect(ByteRange("bytes=10-")?.positions(total: 10) == nil)
    for text in [
      "bytes=", "bytes=-", "bytes=-0", "bytes=5-4", "bytes=a-b", "items=0-1", "0-1",
      "bytes=0-1,4-5", "bytes=99999999999999999999-",
    ] {
      #expect(ByteRange(text) == nil, "\(text)")
    }
  }

  @Test func contentRangesMustBeConsistent() {
    #expect(ContentRange("bytes 0-4/10") == ContentRange(first: 0, last: 4, total: 10))
    #expect(ContentRange("bytes 0-4/*") == ContentRange(first: 0, last: 4, total: nil))
    for text in [
      "bytes */10", "bytes 5-4/10", "bytes 0-10/10", "bytes 0-4", "0-4/10", "bytes 0-4/x",
    ] {
      #expect(ContentRange(text) == nil, "\(text)")
    }
  }

  // MARK: URLs

  @Test(arguments: [
    ("HTTP://Example.COM", "http://example.com/"), ("http://a:80/b#c", "http://a/b"),
    ("https://a:443?q", "https://a/?q"), ("https://User@A:8443/B?C", "https://User@a:8443/B?C"),
  ])
  func urlsAreNormalised(url: String, expected: String) {
    #expect(RequestHead.normalised(url) == expected)
  }

  @Test func onlyTheOwnOriginIsInvalidated() {
    let post = RequestHead(method: "POST", url: "http://a/b/c")
    var answer = ResponseHead(
      status: 201, fields: HTTPFields([("Location", "d"), ("Content-Location", "/e")]))
    #expect(answer.invalidates(answering: post) == ["http://a/b/c", "http://a/b/d", "http://a/e"])
    answer.fields.set("Location", "http://other/d")
    answer.fields.set("Content-Location", "https://a/e")
    #expect(answer.invalidates(answering: post) == ["http://a/b/c"])
    answer.status = 500
    #expect(answer.invalidates(answering: post) == [])
    #expect(answer.invalidates(answering: RequestHead(url: "http://a/b/c")) == [])
  }

  // MARK: Age and freshness

  private static let now: Int64 = 1_790_000_000

  private func stored(
    _ fields: [(String, String)], status: Int = 200, request: RequestHead? = nil, delay: Int64 = 0
  ) -> StoredResponse {
    StoredResponse(
      ResponseHead(status: status, fields: HTTPFields(fields)), body: Data("0123456789".utf8),
      answering: request ?? RequestHead(url: "http://a/"),
      requestTime: (Self.now - delay) * 1_000_000, responseTime: Self.now * 1_000_000)
  }

  private func later(_ seconds: Int64) -> Int64 { (Self.now + seconds) * 1_000_000 }

  @Test func ageSumsUpDelaysAndResidence() {
    let response = stored([("Age", "10"), ("Cache-Control", "max-age=60")], delay: 4)
    #expect(response.age(at: later(0)) == 14)
    #expect(response.age(at: later(6)) == 20)
    let dated = stored([("Date", Self.date(Self.now - 30))])
    #expect(dated.age(at: later(5)) == 35)
    // A clock that was set back makes nothing younger than it was on arrival.
    #expect(response.age(at: later(-1_000)) == 14)
  }

  /// As on disk, an adjustment of the clock of up to an hour is tolerated.
  @Test func responseFromTheFutureIsStale() {
    let response = stored([("Cache-Control", "max-age=60, stale-if-error=60")])
    #expect(response.use(for: control(), at: later(-3_600)) == .now)
    #expect(response.use(for: control(), at: later(-3_601)) == .whenValidated)
    #expect(response.age(at: later(-315_360_000)) == CacheControl.secondsMax)
    #expect(!response.mayReplaceError(of: control(), limit: 1_000, at: later(-3_601)))
    let endless = stored([("Expires", "Fri, 31 Dec 2100 23:59:59 GMT")])
    #expect(endless.use(for: control(), at: later(0)) == .now)
    #expect(endless.use(for: control(), at: later(-3_601)) == .whenValidated)
  }

  @Test func staleResponseIsUsedOnlyWherePermitted() {
    let plain = stored([("Cache-Control", "max-age=60, stale-while-revalidate=10")])
    #expect(plain.use(for: control(), at: later(59)) == .now)
    #expect(plain.use(for: control(), at: later(60)) == .whileRefreshed)
    #expect(plain.use(for: control(), at: later(71)) == .whenValidated)
    #expect(plain.use(for: control("max-stale=20"), at: later(71)) == .now)
    #expect(plain.use(for: control("no-cache"), at: later(0)) == .whenValidated)
    #expect(plain.use(for: control("min-fresh=30"), at: later(31)) == .whenValidated)
    #expect(plain.use(for: control("max-age=5"), at: later(6)) == .whenValidated)
    let strict = stored([("Cache-Control", "max-age=60, must-revalidate, stale-if-error=100")])
    #expect(strict.use(for: control("max-stale"), at: later(60)) == .whenValidated)
    #expect(!strict.mayReplaceError(of: control(), limit: 1_000, at: later(60)))
    #expect(strict.mayReplaceError(of: control(), limit: nil, at: later(59)))
  }

  @Test func reloadRespectsImmutable() {
    let immutable = stored([("Cache-Control", "max-age=60, immutable")])
    #expect(immutable.use(for: control(), isReload: true, at: later(1)) == .now)
    #expect(immutable.use(for: control(), isReload: true, at: later(60)) == .whenValidated)
    let plain = stored([("Cache-Control", "max-age=60")])
    #expect(plain.use(for: control(), isReload: true, at: later(1)) == .whenValidated)
  }

  @Test func heuristicLifetimeIsATenthAndAtMostAWeek() {
    let date = ("Date", Self.date(Self.now))
    #expect(stored([date, ("Last-Modified", Self.date(Self.now - 1_000))]).lifetime == 100)
    let old = [date, ("Last-Modified", Self.date(Self.now - 1_000_000_000))]
    #expect(stored(old).lifetime == 7 * 86_400)
    #expect(stored(old, status: 302).lifetime == 0)
    #expect(stored(old + [("Cache-Control", "public")], status: 302).lifetime > 0)
    #expect(stored(old + [("Expires", "0")]).lifetime == 0)
  }

  // MARK: Storing

  private func mayStore(
    _ fields: [(String, String)], status: Int = 200, method: String = "GET",
    request: [(String, String)] = []
  ) -> Bool {
    ResponseHead(status: status, fields: HTTPFields(fields)).mayBeStored(
      answering: RequestHead(method: method, url: "http://a/", fields: HTTPFields(request)))
  }

  @Test func storingFollowsStatusAndDirectives() {
    #expect(mayStore([]))
    #expect(mayStore([], status: 404))
    #expect(!mayStore([], status: 500))
    #expect(mayStore([("Cache-Control", "max-age=1")], status: 500))
    #expect(mayStore([("Cache-Control", "max-age=1")], status: 599))
    #expect(!mayStore([], status: 103))
    #expect(!mayStore([], status: 304))
    #expect(!mayStore([("Vary", "A, *")]))
    #expect(!mayStore([("Cache-Control", "no-store, max-age=1")]))
    #expect(mayStore([("Cache-Control", "no-store, must-understand, max-age=1")]))
    #expect(!mayStore([("Cache-Control", "must-understand, max-age=1")], status: 599))
    #expect(!mayStore([], request: [("Cache-Control", "no-store")]))
    #expect(mayStore([], request: [("Authorization", "x")]))
    #expect(!mayStore([("Content-Range", "bytes 4-1/10")], status: 206))
    #expect(!mayStore([("Cache-Control", "max-age=1")], method: "PUT"))
    #expect(!mayStore([("Cache-Control", "max-age=1")], method: "POST"))
    #expect(
      mayStore([("Cache-Control", "max-age=1"), ("Content-Location", "/")], method: "POST"))
  }

  @Test func fieldsOfTheConnectionAreNotStored() {
    let fields = stored([
      ("Connection", "X-Hop, close"), ("X-Hop", "1"), ("Keep-Alive", "5"), ("Upgrade", "a"),
      ("Set-Cookie", "a=b"), ("X", "1"),
    ]).head.fields
    #expect(fields.lines.map(\.name) == ["Set-Cookie", "X"])
  }

  // MARK: 304

  @Test func updateReplacesFieldsAndKeepsThoseOfTheContent() {
    let old = stored([
      ("Age", "100"), ("Date", Self.date(Self.now - 50)), ("Cache-Control", "max-age=1"),
      ("X", "1"), ("X", "2"), ("Y", "1"), ("Content-Encoding", "gzip"), ("Content-Length", "10"),
    ])
    let answer = ResponseHead(
      status: 304,
      fields: HTTPFields([
        ("x", "3"), ("Cache-Control", "max-age=9"), ("Content-Length", "0"), ("Connection", "Y"),
        ("Y", "2"), ("Vary", "Foo"),
      ]))
    let response = old.updated(
      by: answer, answering: asking(("Foo", "1")), requestTime: later(60), responseTime: later(60))
    let fields = response.head.fields
    #expect(fields["X"] == "3" && fields["Y"] == "1" && fields["Content-Length"] == "10")
    #expect(response.age(at: later(60)) == 0 && response.lifetime == 9)
    #expect(response.matches(asking(("Foo", "1"))) && !response.matches(asking(("Foo", "2"))))
    #expect(old.matches(asking(("Foo", "2"))))
  }

  @Test func validatorsOfAnotherRepresentationConfirmNothing() {
    let (monday, tuesday) = (Self.date(Self.now - 86_400), Self.date(Self.now))
    func confirms(_ old: [(String, String)], _ new: [(String, String)]) -> Bool {
      stored(old).isConfirmed(by: ResponseHead(status: 304, fields: HTTPFields(new)))
    }
    let (strong, weak) = ([("ETag", "\"a\"")], [("ETag", "W/\"a\"")])
    #expect(confirms(strong, strong) && confirms(strong, weak) && confirms(weak, weak))
    #expect(!confirms(weak, strong))
    for other in ["\"b\"", "W/\"b\""] {
      #expect(!confirms(strong, [("ETag", other)]) && !confirms(weak, [("ETag", other)]))
    }
    let modified = [("Last-Modified", monday)]
    #expect(confirms(modified, modified) && !confirms(modified, [("Last-Modified", tuesday)]))
    #expect(!confirms(modified, strong) && !confirms(modified, weak))
    #expect(confirms(modified, weak + modified) && !confirms(modified, strong + modified))
    #expect(confirms(strong, modified) && confirms(strong, strong + modified))
    #expect(!confirms(strong + modified, [("Last-Modified", tuesday)]))
    // Nothing to compare: the answer to what was asked.
    for old in [strong, weak, modified] {
      #expect(confirms(old, []) && confirms(old, [("ETag", "")]))
    }
  }

  // MARK: Fields

  @Test func repeatedFieldsAreCombined() {
    let fields = HTTPFields([("X-A", "1"), ("B", "2"), ("x-a", "3"), ("X-A", "4"), ("b", "")])
    #expect(fields.combined == ["X-A": "1, 3, 4", "B": "2, "])
    #expect(fields["x-A"] == "1, 3, 4" && fields.contains("b") && fields["c"] == nil)
  }

  /// Ends in time only if no field is looked up among all others.
  @Test func manyFieldsTakeOneStepEach() {
    let names = (0..<60_000).map { "Field-\($0)" }
    var fields = HTTPFields(names.map { ($0, "1") })
    #expect(fields.combined.count == names.count)
    fields.update(from: HTTPFields(names.map { ($0.lowercased(), "2") }), except: ["field-7"])
    #expect(
      fields["Field-7"] == "1" && fields["Field-8"] == "2" && fields.lines.count == names.count)
    fields.append("Connection", names.joined(separator: ","))
    #expect(fields.storable.lines.isEmpty)
  }

  // MARK: Variants

  private func asking(_ fields: (String, String)...) -> RequestHead {
    RequestHead(url: "http://a/", fields: HTTPFields(fields))
  }

  @Test func variantsAreSelectedByTheirFields() {
    var responses = StoredResponses()
    for value in ["1", "2"] {
      let request = asking(("Foo", value))
      responses.insert(
        stored([("Vary", "foo"), ("X", value)], request: request), for: request)
    }
    #expect(responses.select(for: asking(("FOO", "1")))?.head.fields["X"] == "1")
    #expect(responses.select(for: asking(("Foo", "2")))?.head.fields["X"] == "2")
    #expect(responses.select(for: asking()) == nil)
    #expect(responses.select(for: asking(("Foo", "1"), ("Foo", "2"))) == nil)
    let again = asking(("Foo", "1"))
    responses.insert(stored([("Vary", "foo"), ("X", "3")], request: again), for: again)
    #expect(responses.all.count == 2)
    #expect(responses.select(for: again)?.head.fields["X"] == "3")
  }

  @Test func whiteSpaceInListsSelectsNothing() {
    let one = stored([("Vary", "Foo")], request: asking(("Foo", "a ,  b, \"c , d\"")))
    #expect(one.matches(asking(("Foo", "a,b"), ("Foo", "\"c , d\""))))
    #expect(!one.matches(asking(("Foo", "a,b,\"c, d\""))))
  }

  @Test func numberOfVariantsIsBounded() {
    var responses = StoredResponses()
    for value in 0..<100 {
      let request = asking(("Foo", "\(value)"))
      responses.insert(stored([("Vary", "Foo")], request: request), for: request)
    }
    #expect(responses.all.count == StoredResponses.countMax)
    #expect(responses.select(for: asking(("Foo", "99"))) != nil)
  }

  @Test func languagesAreComparedByMeaning() {
    func matches(_ one: String, _ other: String, _ fields: [(String, String)] = []) -> Bool {
      stored(
        [("Vary", "Accept-Language")] + fields, request: asking(("Accept-Language", one))
      ).matches(asking(("Accept-Language", other)))
    }
    #expect(matches("en, de", "DE,en"))
    #expect(matches("en;q=1.0, de;q=0.5", "de;q=0.50,en"))
    #expect(!matches("en, de;q=0.5", "de, en;q=0.5"))
    #expect(matches("en, de", "fr;q=0.5, de", [("Content-Language", "de")]))
    #expect(!matches("en, de", "fr, de", [("Content-Language", "de")]))
    #expect(!matches("en, de", "fr, de;q=0.5", [("Content-Language", "de")]))
  }

  @Test func hostileFieldsNeverTrap() {
    let values = [
      "", ",", ",,,", "\"", "\"\\", "=", "=,=", "max-age=\"", "*", "W/", "-", "bytes=-",
      "99999999999999999999", "-99999999999999999999", "a;q=9e9, b;q=0.0000, c;q=-1, d;q=", ";q=1",
      "Sun, 99 Nov 9999 99:99:99 GMT", "\u{0}", "\u{FEFF}ü, \u{1F600}", "\r\n x",
      String(repeating: "a,", count: 10_000),
    ]
    for name in [
      "Cache-Control", "Age", "Date", "Expires", "Last-Modified", "ETag", "Vary", "Content-Range",
      "Content-Language", "Connection", "Content-Length",
    ] {
      for value in values {
        for status in [200, 206, 404] {
          let response = stored(
            [(name, value), ("Vary", "Accept-Language")], status: status,
            request: asking(("Accept-Language", value), ("Range", value)))
          _ = response.use(for: control(value), at: later(1))
          _ = response.matches(asking(("Accept-Language", value)))
          _ = response.isConfirmed(by: response.head)
          _ = ByteRange(value).map { response.slice($0) }
          _ = EntityTag.isListed("\"a\"", in: value)
          _ = RequestHead.normalised(value)
        }
      }
    }
  }

  // MARK: Parts

  @Test func partsServeRangesWithinThem() throws {
    let part = stored([("Content-Range", "bytes 10-19/100")], status: 206)
    let slice = try #require(part.slice(.from(12, 14)))
    #expect(slice.bytes == 2..<5 && slice.content.text == "bytes 12-14/100")
    #expect(part.slice(.from(12, nil)) == nil && part.slice(.from(9, 10)) == nil)
    #expect(part.slice(.suffix(5)) == nil)
    // A client may have decoded the content, whose ranges count encoded bytes.
    #expect(stored([("Content-Encoding", "gzip")]).slice(.from(0, 4)) == nil)
    // A header that promises more bytes than came.
    let short = stored([("Content-Range", "bytes 10-99/100")], status: 206)
    #expect(short.slice(.from(15, 30)) == nil && short.slice(.from(15, 19)) != nil)
    // Positions whose sums would overflow.
    let far = stored(
      [("Content-Range", "bytes 9223372036854775800-9223372036854775806/*")], status: 206)
    #expect(far.part == nil && far.slice(.from(0, nil)) == nil)
  }

  @Test func partDoesNotReplaceItsWhole() {
    let tag = ("ETag", "\"a\"")
    var responses = StoredResponses()
    responses.insert(stored([tag]), for: asking())
    responses.insert(
      stored([tag, ("Content-Range", "bytes 0-9/10")], status: 206), for: asking())
    #expect(responses.all.count == 2)
    #expect(responses.select(for: asking())?.head.status == 200)
    responses.insert(
      stored([("ETag", "\"b\""), ("Content-Range", "bytes 0-9/10")], status: 206), for: asking())
    #expect(responses.all.count == 1)
  }

  // MARK: Bytes on disk

  @Test func valuesOfSelectingFieldsAreNotStored() throws {
    let request = asking(("Authorization", "Bearer token-1234"), ("Cookie", "session=5678"))
    let response = stored([("Vary", "Authorization, Cookie, Foo")], request: request)
    let data = response.encodedAlone
    for secret in ["token-1234", "session=5678"] {
      #expect(data.range(of: Data(secret.utf8)) == nil)
    }
    let again = try #require(try StoredResponses(decoding: data).all.first)
    #expect(again.matches(request))
    #expect(
      !again.matches(asking(("Authorization", "Bearer token-1235"), ("Cookie", "session=5678"))))
    #expect(!again.matches(asking(("Cookie", "session=5678"))))
    // The same value has another hash in another response.
    let other = stored([("Vary", "Authorization, Cookie, Foo")], request: request)
    #expect(other.selectors[0].hash != response.selectors[0].hash)
    #expect(other.selectors.map { $0.hash == nil } == [false, false, true])
  }

  @Test func selectorHashesTellTextsApart() {
    let key = SelectorKey(1, 2)
    let texts = [
      "", "\0", "\0\0", "a", "b", "aa", "12345678", "123456789", "12345678\0", "87654321",
    ]
    #expect(Set(texts.map { key.hash($0) }).count == texts.count)
    #expect(key.hash(nil) == nil && key.hash("a") != SelectorKey(2, 1).hash("a"))
  }

  @Test func storedResponsesRoundTrip() throws {
    let request = asking(("Foo", "ä, ö"))
    let responses = StoredResponses([
      stored([("Vary", "Foo, Bar"), ("X", ""), ("X", "ü")], request: request),
      stored([("Content-Range", "bytes 0-9/10")], status: 206),
    ])
    let data = responses.encoded()
    #expect(try StoredResponses(decoding: data) == responses)
    #expect(try StoredResponses(decoding: StoredResponses().encoded()) == StoredResponses())
    for count in 0..<data.count {
      #expect(throws: HTTPCacheError.self) { try StoredResponses(decoding: data.prefix(count)) }
    }
    #expect(throws: HTTPCacheError.self) { try StoredResponses(decoding: data + Data([0])) }
  }

  @Test func damagedBytesNeverTrap() {
    let data = stored([("Vary", "Foo"), ("X", "1")]).encodedAlone
    for index in data.indices {
      for bit in 0..<8 {
        var copy = data
        copy[index] ^= 1 << bit
        _ = try? StoredResponses(decoding: copy)
      }
    }
  }
}

/// The tasks of a session, without a session: outcomes in every order.
@Suite(.endsInTime) struct SessionDelegateTests {
  private typealias Outcome = SessionDelegate.Outcome
  private let delegate = SessionDelegate(bytesMax: 10)

  private func outcome(of task: Int) async throws -> Data {
    try await withCheckedThrowingContinuation { delegate.outcome(of: task, $0) }.0
  }

  @Test func outcomeBeforeItsRequestBeganIsKept() async {
    delegate.expect(1)
    delegate.end(1) { _ in .failure(CancellationError()) }
    // The session's own report comes later, or never.
    delegate.end(1) { _ in .failure(HTTPCacheError.damaged) }
    await #expect(throws: CancellationError.self) { try await outcome(of: 1) }
  }

  @Test func outcomeAfterItsRequestBeganEndsIt() async throws {
    let answer = try #require(
      HTTPURLResponse(
        url: URL(fileURLWithPath: "/"), statusCode: 200, httpVersion: nil, headerFields: nil))
    delegate.expect(2)
    let delegate = delegate
    async let data = outcome(of: 2)
    await Task.yield()
    delegate.end(2) { _ in .success((Data("a".utf8), answer)) }
    #expect(try await data == Data("a".utf8))
  }
}

extension StoredResponse {
  fileprivate var encodedAlone: Data { StoredResponses([self]).encoded() }
}
