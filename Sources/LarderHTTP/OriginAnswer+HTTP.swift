public import Foundation
public import Larder

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A response that is neither a value nor the absence of one, such as a 500. A loader that throws
/// it has failed, so that a stale value may be returned.
public struct HTTPStatusError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The status.
  public let status: Int
  /// The URL.
  public let url: String

  /// Creates an error.
  public init(status: Int, url: String) {
    self.status = status
    self.url = url
  }

  /// The error in one line of text.
  public var description: String { "\(url): status \(status)" }
}

extension OriginAnswer {
  /// Creates the answer for a response of an HTTP origin, by all fields that concern a private
  /// cache (RFC 9111):
  ///
  /// - 2xx: the value, for what is left of its lifetime by `max-age`, `Expires` and `Date`, or a
  ///   tenth of the time since `Last-Modified`. Without any of them it is kept only with an `ETag`.
  /// - 304: `notModified`.
  /// - 404 and 410: `absent(for:)` what is left of the lifetime, if they may be stored; without one
  ///   `absent`, for `HybridCacheConfiguration.negativeLife`.
  /// - `no-store` and `Vary: *`: it is not stored. `no-cache` and `must-revalidate`: it is never
  ///   returned without a confirmation.
  /// - The version is the `ETag`, or `Last-Modified` without one: see `URLRequest.revalidating`.
  ///
  /// Header fields are not stored, and `Vary` is not checked: what a response varies by has to be
  /// part of the key. `HTTPCache` does both.
  ///
  /// - Parameters:
  ///   - value: The value of the response, for example its decoded body. Evaluated for a 2xx alone.
  ///   - received: Time at which the response arrived.
  /// - Throws: `HTTPStatusError` for other statuses, and the errors of `value`.
  public init(
    _ value: @autoclosure () throws -> Value, _ response: HTTPURLResponse, received: Date = .now
  ) throws {
    try self.init(
      try value(), ResponseHead(response), url: response.url?.absoluteString ?? "",
      received: received)
  }

  init(
    _ value: @autoclosure () throws -> Value, _ head: ResponseHead, url: String, received: Date
  ) throws {
    switch head.status {
    case 304: self = .notModified(head, received: received)
    case 404, 410: self = .absent(head, url: url, received: received)
    case 200...299:
      let value = try value()
      let request = RequestHead(url: url)
      let stored = StoredResponse(head, received: received)
      let control = head.control
      let isStored = head.status != 206 && head.mayBeStored(answering: request)
      guard isStored, stored.isWorthStoring else {
        self = .unstored(value)
        return
      }
      let type = head.fields["Content-Type"]
      let maxAge = stored.remaining(received)
      if control.noCache || control.mustRevalidate {
        self = .mustRevalidate(
          value, version: stored.version, maxAge: control.noCache ? .zero : maxAge,
          contentType: type)
      } else {
        self = .value(value, version: stored.version, maxAge: maxAge, contentType: type)
      }
    default: throw HTTPStatusError(status: head.status, url: url)
    }
  }

  static func notModified(_ head: ResponseHead, received: Date) -> OriginAnswer {
    let stored = StoredResponse(head, received: received)
    var maxAge: Duration?
    if head.control.noCache || head.control.noStore {
      maxAge = .zero
    } else if head.hasExplicitLifetime {
      maxAge = stored.remaining(received)
    }
    return .notModified(version: stored.version, maxAge: maxAge)
  }
}

extension OriginAnswer {
  private static func absent(_ head: ResponseHead, url: String, received: Date) -> OriginAnswer {
    guard head.mayBeStored(answering: RequestHead(url: url)), !head.control.noCache else {
      return .absent(for: .zero)
    }
    let stored = StoredResponse(head, received: received)
    let isSilent = !head.hasExplicitLifetime && stored.lastModified == nil
    return isSilent ? .absent : .absent(for: stored.remaining(received))
  }
}

extension StoredResponse {
  fileprivate init(_ head: ResponseHead, received: Date) {
    let now = Int64(clamping: received.microsecondsSince1970)
    self.init(
      head, body: Data(), answering: RequestHead(url: ""), requestTime: now, responseTime: now)
  }

  fileprivate var version: String? {
    entityTag ?? (hasValidator ? head.fields["Last-Modified"] : nil)
  }

  fileprivate func remaining(_ received: Date) -> Duration {
    .seconds(max(0, lifetime - age(at: Int64(clamping: received.microsecondsSince1970))))
  }
}

extension URLRequest {
  /// The request with the condition that the origin confirms the cached value if it has not
  /// changed: `If-None-Match`, or `If-Modified-Since` for a version that is a date. Without a
  /// version the request is unchanged.
  public func revalidating<Key>(_ origin: OriginRequest<Key>) -> URLRequest {
    guard let version = origin.version else { return self }
    var request = self
    request.setValue(version, forHTTPHeaderField: RequestHead.condition(on: version))
    return request
  }
}
