import Foundation
import Larder

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct HTTPExchange: Sendable {
  let request: URLRequest
  let head: RequestHead
  /// True for a reload that respects `immutable`.
  let isReload: Bool
  /// True for a reload that must not depend on stored bytes, not even if the origin confirms them.
  let ignoresStored: Bool
  let url: URL

  init(_ request: URLRequest, added: [String: String]) throws(HTTPCacheError) {
    guard let url = request.url, let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme)
    else { throw .notHTTP(url: request.url?.absoluteString ?? "") }
    self.url = url
    self.request = request
    let own = request.allHTTPHeaderFields ?? [:]
    var fields = HTTPFields(own.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    for (name, value) in added.sorted(by: { $0.key < $1.key }) where !fields.contains(name) {
      fields.append(name, value)
    }
    isReload = request.cachePolicy == .reloadRevalidatingCacheData
    ignoresStored = [.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData]
      .contains(request.cachePolicy)
    head = RequestHead(
      method: request.httpMethod ?? "GET", url: url.absoluteString, fields: fields,
      control: Self.control(fields, request.cachePolicy))
  }

  private static func control(
    _ fields: HTTPFields, _ policy: URLRequest.CachePolicy
  ) -> CacheControl {
    var implied: String?
    switch policy {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData:
      implied = "no-cache"
    case .returnCacheDataElseLoad: implied = "max-stale"
    case .returnCacheDataDontLoad: implied = "max-stale, only-if-cached"
    default: break
    }
    guard let implied else { return CacheControl(fields, isRequest: true) }
    var fields = fields
    fields.append("Cache-Control", implied)
    return CacheControl(fields, isRequest: true)
  }

  /// The request by whose fields a GET would select a response.
  var get: RequestHead { RequestHead(url: head.url, fields: head.fields) }

  func outgoing(with conditions: [(name: String, value: String)]) -> URLRequest {
    var request = request
    request.cachePolicy = .useProtocolCachePolicy
    for (name, value) in conditions { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  /// The request that a redirect asks for; nil if it is none (RFC 9110, 15.4; Fetch).
  func redirected(by response: HTTPURLResponse) -> URLRequest? {
    guard [301, 302, 303, 307, 308].contains(response.statusCode),
      let location = response.value(forHTTPHeaderField: "Location"),
      let target = URL(string: location, relativeTo: url)?.absoluteURL,
      ["http", "https"].contains(target.scheme?.lowercased() ?? "")
    else { return nil }
    var next = request
    next.url = target
    let isPost = head.method == "POST" && [301, 302].contains(response.statusCode)
    let isOther = !["GET", "HEAD"].contains(head.method) && response.statusCode == 303
    if isPost || isOther {
      next.httpMethod = "GET"
      next.httpBody = nil
      for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language"] {
        next.setValue(nil, forHTTPHeaderField: name)
      }
    }
    let origin = RequestHead.origin(of: RequestHead.normalised(target.absoluteString))
    if origin != RequestHead.origin(of: head.url) {
      // Another server must not learn them.
      for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
        next.setValue(nil, forHTTPHeaderField: name)
      }
    }
    return next
  }
}

extension ResponseHead {
  init(_ response: HTTPURLResponse) {
    let pairs = response.allHeaderFields.compactMap { name, value -> (String, String)? in
      guard let name = name as? String else { return nil }
      return (name, (value as? String) ?? "\(value)")
    }
    self.init(
      status: response.statusCode, fields: HTTPFields(pairs.sorted { $0.0 < $1.0 }))
  }

  func response(of url: URL) -> HTTPURLResponse? {
    HTTPURLResponse(
      url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields.combined)
  }
}
