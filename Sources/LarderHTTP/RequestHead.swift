import Larder

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct RequestHead: Sendable, Hashable {
  let method: String
  /// The absolute URL, normalised and without fragment: the key of responses to GET.
  let url: String
  let fields: HTTPFields
  let control: CacheControl

  init(
    method: String = "GET", url: String, fields: HTTPFields = HTTPFields(),
    control: CacheControl? = nil
  ) {
    self.method = method
    self.url = Self.normalised(url)
    self.fields = fields
    self.control = control ?? CacheControl(fields, isRequest: true)
  }

  /// True if the origin must evaluate a condition that caches must not (RFC 9111, 4.3.2).
  var hasOriginCondition: Bool {
    fields.contains("If-Match") || fields.contains("If-Unmodified-Since")
  }

  var hasClientCondition: Bool {
    fields.contains("If-None-Match") || fields.contains("If-Modified-Since")
  }

  /// True for methods that change nothing at the origin. An unknown method may.
  var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

  /// Name of the field that asks whether a version has changed: a date is one of `Last-Modified`.
  static func condition(on version: String) -> String {
    HTTPDate.seconds(version, now: 0) != nil ? "If-Modified-Since" : "If-None-Match"
  }

  /// Lower case for scheme and host, no default port, no fragment, `/` as the shortest path (RFC
  /// 9110, 4.2.3).
  static func normalised(_ url: String) -> String {
    let url = url.prefix { $0 != "#" }
    guard let colon = url.firstRange(of: "://") else { return String(url) }
    let scheme = url[..<colon.lowerBound].asciiLowercased
    let rest = url[colon.upperBound...]
    let path = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    var authority = String(rest[..<path])
    let userEnd = authority.lastIndex(of: "@").map { authority.index(after: $0) }
    let host = authority[(userEnd ?? authority.startIndex)...].asciiLowercased
    authority = authority[..<(userEnd ?? authority.startIndex)] + host
    for (name, port) in [("http", ":80"), ("https", ":443")] where scheme == name {
      if authority.hasSuffix(port) { authority.removeLast(port.count) }
    }
    let tail = rest[path...]
    return "\(scheme)://\(authority)" + (tail.hasPrefix("/") ? "" : "/") + tail
  }

  /// Resolves a reference against an absolute URL; nil if it is none. An empty one is the URL
  /// itself.
  static func resolve(_ reference: String, against url: String) -> String? {
    if reference.isEmpty { return url }
    guard let base = URL(string: url), let target = URL(string: reference, relativeTo: base) else {
      return nil
    }
    return RequestHead.normalised(target.absoluteString)
  }

  static func origin(of url: String) -> Substring {
    guard let colon = url.firstRange(of: "://") else { return url[...] }
    return url[..<(url[colon.upperBound...].firstIndex(of: "/") ?? url.endIndex)]
  }
}

struct ResponseHead: Sendable, Hashable {
  var status: Int
  var fields = HTTPFields()

  var control: CacheControl { CacheControl(fields) }

  var entityTag: String? { fields["ETag"].flatMap { $0.isEmpty ? nil : $0 } }

  /// True for statuses whose responses may be stored with a heuristic lifetime (RFC 9110, 15.1).
  var isHeuristicallyCacheable: Bool {
    [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
  }

  /// Statuses defined by RFC 9110 that a cache may store: see `must-understand`.
  private var isUnderstood: Bool {
    switch status {
    case 200...206, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
    default: false
    }
  }

  /// True for errors of a server that `stale-if-error` concerns (RFC 5861, 4).
  var isServerError: Bool { [500, 502, 503, 504].contains(status) }

  var hasExplicitLifetime: Bool { control.maxAge != nil || fields.contains("Expires") }

  /// True if a private cache may store the response (RFC 9111, 3).
  func mayBeStored(answering request: RequestHead) -> Bool {
    let control = control
    // A 412 or 416 is about the condition or the range of one request.
    guard 200...999 ~= status, ![304, 412, 416].contains(status), !request.control.noStore,
      !fields.tokens(of: "Vary").contains("*")
    else { return false }
    if control.mustUnderstand {
      // A status that is understood takes the place of `no-store` (RFC 9111, 5.2.2.3).
      guard isUnderstood else { return false }
    } else if control.noStore {
      return false
    }
    // A part without its position cannot be used.
    if status == 206, fields["Content-Range"].flatMap(ContentRange.init) == nil { return false }
    switch request.method {
    case "GET":
      return hasExplicitLifetime || control.isPublic || isHeuristicallyCacheable
    case "POST":
      // RFC 9110, 9.3.3.
      return (200...299).contains(status) && status != 206 && hasExplicitLifetime
        && fields["Content-Location"].map { contentLocation in
          RequestHead.resolve(contentLocation, against: request.url) == request.url
        } ?? false
    default: return false
    }
  }

  /// URLs whose stored responses a response to an unsafe method invalidates (RFC 9111, 4.4).
  func invalidates(answering request: RequestHead) -> [String] {
    guard !request.isSafe, (200...399).contains(status) else { return [] }
    let others = ["Location", "Content-Location"].compactMap { name in
      fields[name].flatMap { RequestHead.resolve($0, against: request.url) }
    }.filter { RequestHead.origin(of: $0) == RequestHead.origin(of: request.url) }
    return [request.url] + others.filter { $0 != request.url }
  }
}
