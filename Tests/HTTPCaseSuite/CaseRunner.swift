public import Foundation
import Larder
import LarderHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Result of a case.
public enum CaseResult: Sendable, Equatable {
  /// As expected.
  case pass
  /// Not as expected, with the reason.
  case fail(String)
  /// The preparation failed.
  case setup(String)

  /// True for a pass.
  public var isPass: Bool { self == .pass }
  /// The reason of a failure.
  public var reason: String {
    switch self {
    case .pass: ""
    case .fail(let reason), .setup(let reason): reason
    }
  }
}

/// Runs cases against an `HTTPCache` in front of a server on the loopback. Pauses are those of the
/// cache's clock.
public final class CaseRunner: Sendable {
  private let clock = CaseClock()
  private let origin: CaseOrigin
  private let server: LoopbackServer
  private let cache: HTTPCache

  /// Creates a runner.
  ///
  /// - Parameter directory: Folder of the cache; nil for one in memory.
  /// - Throws: `LoopbackError`, or `HTTPCacheError`.
  public init(directory: URL? = nil) async throws {
    let origin = CaseOrigin(clock)
    self.origin = origin
    server = try LoopbackServer { origin.answer($0) }
    var configuration = HTTPCacheConfiguration(followsRedirects: false, clock: clock)
    // Each response is read from the disk.
    if directory == nil { configuration.disk = nil } else { configuration.memory = nil }
    cache = try await HTTPCache(
      directory: directory, configuration: configuration, client: HTTPClient(LoopbackClient.send))
  }

  /// Runs cases, and returns the result of each by its id. Cases for shared caches are left out.
  public func run(_ cases: [HTTPCase]) async -> [String: CaseResult] {
    var results: [String: CaseResult] = [:]
    for (index, test) in cases.enumerated() where !test.isForSharedCaches {
      let number = String(index, radix: 16)
      let uuid =
        "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - number.count) + number
      results[test.id] = await run(test, uuid)
    }
    return results
  }

  private func run(_ test: HTTPCase, _ uuid: String) async -> CaseResult {
    origin.expect(test.requests, at: uuid)
    var answers: [CaseAnswer] = []
    var results: [CaseResult] = []
    for (index, entry) in test.requests.enumerated() {
      let request = request(entry, index + 1, uuid, answers.last)
      var answer = CaseAnswer(entry: entry, number: index + 1, uuid: uuid)
      do {
        let (data, response) = try await cache.data(for: request)
        answer.response = response
        answer.body = data
      } catch {
        answer.error = "\(error)"
      }
      await cache.settle()
      answers.append(answer)
      results += answer.check()
      if results.contains(where: { !$0.isPass }) { break }
      if entry["pause_after"]?.bool ?? false { clock.advance(by: .seconds(3)) }
    }
    let records = origin.end(uuid)
    for answer in answers { results += answer.check(records) }
    return results.first { !$0.isPass } ?? .pass
  }

  private func request(
    _ entry: JSONValue, _ number: Int, _ uuid: String, _ previous: CaseAnswer?
  ) -> URLRequest {
    var path = "/test/\(uuid)"
    if let name = entry["filename"]?.string { path += "/\(name)" }
    if let query = entry["query_arg"]?.string { path += "?\(query)" }
    var request = URLRequest(url: server.url(path))
    request.httpMethod = entry["request_method"]?.string ?? "GET"
    request.httpBody = entry["request_body"]?.string.map { Data($0.utf8) }
    let isMagic = entry["magic_ims"]?.bool ?? false
    let base = isMagic ? previous?.serverNow ?? clock.seconds : clock.seconds
    let old = (entry["rfc850date"]?.array ?? []).compactMap { $0.string?.lowercased() }
    for field in entry.fields("request_headers") {
      let isOld = old.contains(field.name.lowercased())
      request.addValue(
        CaseDate.value(field, from: base, isOld: isOld), forHTTPHeaderField: field.name)
    }
    request.setValue("\(number)", forHTTPHeaderField: "Req-Num")
    switch entry["cache"]?.string {
    case "no-cache": request.cachePolicy = .reloadRevalidatingCacheData
    case "reload": request.cachePolicy = .reloadIgnoringLocalCacheData
    case "no-store": request.setValue("no-store", forHTTPHeaderField: "Cache-Control")
    case "force-cache": request.cachePolicy = .returnCacheDataElseLoad
    case "only-if-cached": request.cachePolicy = .returnCacheDataDontLoad
    default: break
    }
    return request
  }
}

/// The client's response to an entry of a case, and the checks of it.
struct CaseAnswer {
  let entry: JSONValue
  let number: Int
  let uuid: String
  var response: HTTPURLResponse?
  var body = Data()
  var error = ""

  private func value(_ name: String) -> String? { response?.value(forHTTPHeaderField: name) }

  var serverNow: Int64? {
    value("Server-Now").flatMap { text in
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      return formatter.date(from: text).map { Int64($0.timeIntervalSince1970) }
    }
  }

  private func expect(
    _ condition: Bool, _ expectation: String, _ reason: @autoclosure () -> String
  ) -> CaseResult {
    if condition { return .pass }
    let text = "request \(number): \(reason())"
    return entry.isSetup(expectation) ? .setup(text) : .fail(text)
  }

  func check() -> [CaseResult] {
    guard let response else {
      let isExpected = entry["expected_status"]?.isNull ?? false
      return [expect(isExpected, "expected_status", "no response: \(error)")]
    }
    return [checkType(response), checkStatus(response)] + checkFields() + [checkBody(response)]
  }

  private func checkType(_ response: HTTPURLResponse) -> CaseResult {
    let count = value("Server-Request-Count").flatMap { Int($0) }
    switch entry["expected_type"]?.string {
    case "cached":
      let isCached = count.map { $0 < number } ?? (response.statusCode == 304)
      return expect(isCached, "expected_type", "comes from the origin")
    case "not_cached":
      return expect(count == number, "expected_type", "comes from the cache")
    default: return .pass
    }
  }

  private func checkStatus(_ response: HTTPURLResponse) -> CaseResult {
    let status = response.statusCode
    if let expected = entry["expected_status"] {
      return expect(
        expected.isNull || expected.number == Double(status), "expected_status",
        "status \(status), not \(expected.integer ?? 0)")
    }
    if let expected = entry["response_status"]?.array?.first?.number {
      return Double(status) == expected
        ? .pass : .setup("request \(number): status \(status), not \(expected)")
    }
    if status == 999 {
      return expect(false, "expected_type", "was not conditional")
    }
    return status == 200 ? .pass : .setup("request \(number): status \(status), not 200")
  }

  private func checkFields() -> [CaseResult] {
    let base = serverNow ?? 0
    let present = entry.fields("expected_response_headers").map { field -> CaseResult in
      let name = "expected_response_headers"
      let value = value(field.name)
      if field.text == ">", let bound = field.operand?.number {
        return expect(
          (value.flatMap { Double($0) } ?? -1) > bound, name,
          "\(field.name) is \(value ?? "missing"), not above \(bound)")
      }
      if field.text == "=", let other = field.operand?.string {
        return expect(
          value != nil && value == self.value(other), name, "\(field.name) differs from \(other)")
      }
      guard field.text != nil || field.number != nil else {
        return expect(value != nil, name, "\(field.name) is missing")
      }
      let expected = CaseDate.value(field, from: base)
      return expect(
        value == expected, name, "\(field.name) is \(value ?? "missing"), not \(expected)")
    }
    let missing = entry.fields("expected_response_headers_missing").map { field -> CaseResult in
      let value = value(field.name)
      let isMissing = field.text == nil ? value == nil : value != field.text
      return expect(
        isMissing, "expected_response_headers_missing", "\(field.name) is there: \(value ?? "")")
    }
    return present + missing
  }

  private func checkBody(_ response: HTTPURLResponse) -> CaseResult {
    let text = String(decoding: body, as: UTF8.self)
    if !(entry["check_body"]?.bool ?? true) { return .pass }
    if let expected = entry["expected_response_text"] {
      return expect(
        expected.isNull || expected.string == text, "expected_response_text",
        "body \(text.debugDescription), not \(expected)")
    }
    // Without content, by status or method.
    if entry["request_method"]?.string == "HEAD" || [204, 304].contains(response.statusCode) {
      return text.isEmpty ? .pass : .setup("request \(number): body where none is allowed")
    }
    let expected = entry["response_body"].map { $0.string } ?? uuid
    guard let expected, expected != text else { return .pass }
    return .setup("request \(number): body \(text.debugDescription), not \(expected)")
  }

  func check(_ records: [CaseOrigin.Record]) -> [CaseResult] {
    let type = entry["expected_type"]?.string
    if type == "cached" { return [] }
    guard let record = records.first(where: { $0.number == number }) else {
      let isExpected =
        type == nil && entry["expected_request_headers"] == nil
        && entry["expected_method"] == nil
      return [expect(isExpected, "expected_type", "did not reach the origin")]
    }
    var results: [CaseResult] = []
    for (kind, name) in [
      ("etag_validated", "If-None-Match"), ("lm_validated", "If-Modified-Since"),
    ] where kind == type {
      results.append(expect(record.request[name] != nil, "expected_type", "has no \(name)"))
    }
    for field in entry.fields("expected_request_headers") {
      let value = record.request[field.name]
      let isRight = field.text == nil ? value != nil : value == field.text
      results.append(
        expect(
          isRight, "expected_request_headers", "origin got \(field.name): \(value ?? "nothing")"))
    }
    for field in entry.fields("expected_request_headers_missing") {
      let value = record.request[field.name]
      let isMissing = field.text == nil ? value == nil : value != field.text
      results.append(
        expect(isMissing, "expected_request_headers_missing", "origin got \(field.name)"))
    }
    if let method = entry["expected_method"]?.string {
      results.append(
        expect(
          record.request.method == method, "expected_method",
          "origin got \(record.request.method)"))
    }
    return results + checkSent(record)
  }

  /// The fields of the origin's answer, which the client must have got.
  private func checkSent(_ record: CaseOrigin.Record) -> [CaseResult] {
    guard response != nil else { return [] }
    var values: [String: [String]] = [:]
    for field in record.sent where field.isCompared {
      values[field.name.lowercased(), default: []].append(field.value)
    }
    return values.sorted { $0.key < $1.key }.map { name, values in
      let expected = values.joined(separator: ", ")
      let value = value(name)
      if value == expected { return .pass }
      return .setup("request \(number): \(name) is \(value ?? "missing"), not \(expected)")
    }
  }
}

/// Counts and failing ids of a run.
public struct CaseReport: Sendable {
  private let cases: [HTTPCase]
  private let results: [String: CaseResult]

  /// Creates the report of a run.
  public init(_ cases: [HTTPCase], _ results: [String: CaseResult]) {
    self.cases = cases
    self.results = results
  }

  /// Cases of a kind that apply to a private cache, as browsers count them.
  private func counted(_ kind: HTTPCase.Kind, skipped: Bool) -> [HTTPCase] {
    cases.filter { $0.kind == kind && !$0.isForSharedCaches && $0.isSkippedInBrowsers == skipped }
  }

  /// Number of cases of a kind that passed, and of all.
  public func counts(_ kind: HTTPCase.Kind, skipped: Bool = false) -> (passed: Int, all: Int) {
    let all = counted(kind, skipped: skipped)
    return (all.count { results[$0.id]?.isPass ?? false }, all.count)
  }

  /// Ids of the cases of a kind that did not pass.
  public func failing(_ kind: HTTPCase.Kind, skipped: Bool = false) -> [String] {
    counted(kind, skipped: skipped).map(\.id).filter { !(results[$0]?.isPass ?? false) }
  }

  private func summary(skipped: Bool) -> String {
    HTTPCase.Kind.allCases.map { kind in
      let (passed, all) = counts(kind, skipped: skipped)
      return "\(kind.rawValue) \(passed)/\(all)"
    }.joined(separator: ", ")
  }

  /// The report in lines: counts, and each failing case with its reason.
  public var lines: [String] {
    let shared = cases.count { $0.isForSharedCaches }
    var lines = [summary(skipped: false)]
    lines.append(
      "not run in browsers by the suite (redirects, conditions of the client, 1xx): "
        + summary(skipped: true))
    if shared > 0 { lines.append("for shared caches alone, not run: \(shared)") }
    let doubtful = cases.filter { test in
      let fails = test.dependsOn.contains { results[$0].map { !$0.isPass } ?? false }
      return fails && results[test.id]?.isPass ?? false
    }
    if !doubtful.isEmpty {
      lines.append(
        "passed, though a case that they depend on did not: "
          + doubtful.map(\.id).joined(separator: " "))
    }
    for kind in HTTPCase.Kind.allCases {
      for id in failing(kind) + failing(kind, skipped: true) {
        lines.append("\(kind.rawValue) \(id): \(results[id]?.reason ?? "")")
      }
    }
    return lines
  }
}
