#if HTTPTypes
  public import Foundation
  public import HTTPTypes
  import HTTPTypesFoundation
  public import Larder

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension HTTPCache {
    /// Returns the response to a request of swift-http-types, from the cache or from the origin:
    /// see `data(for:)` for one of Foundation.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: Its content, if it has any.
    /// - Throws: `HTTPCacheError.notHTTP` for a request without an `http` or `https` URL, and the
    ///   errors of `data(for:)`.
    public func data(
      for request: HTTPRequest, body: Data? = nil
    ) async throws -> (Data, HTTPResponse) {
      guard var foundation = URLRequest(httpRequest: request) else {
        throw HTTPCacheError.notHTTP(url: request.path ?? "")
      }
      foundation.httpBody = body
      let (data, response) = try await data(for: foundation)
      guard let answer = response.httpResponse else {
        throw HTTPCacheError.notHTTP(url: foundation.url?.absoluteString ?? "")
      }
      return (data, answer)
    }
  }

  extension OriginAnswer {
    /// Creates the answer for a response of swift-http-types: see `init(_:_:received:)` for one of
    /// Foundation.
    ///
    /// - Parameters:
    ///   - value: The value of the response, for example its decoded body. Evaluated for a 2xx
    ///     alone.
    ///   - request: The request that it answers.
    ///   - received: Time at which the response arrived.
    /// - Throws: `HTTPStatusError` for statuses that are neither a value nor an absence, and the
    ///   errors of `value`.
    public init(
      _ value: @autoclosure () throws -> Value, _ response: HTTPResponse, to request: HTTPRequest,
      received: Date = .now
    ) throws {
      try self.init(
        try value(), ResponseHead(response), url: request.url?.absoluteString ?? request.path ?? "",
        received: received)
    }

    /// Creates the answer for a 304 of swift-http-types.
    ///
    /// - Parameter received: Time at which the response arrived.
    public static func notModified(
      _ response: HTTPResponse, received: Date = .now
    ) -> OriginAnswer {
      notModified(ResponseHead(response), received: received)
    }
  }

  extension HTTPRequest {
    /// The request with the condition that the origin confirms the cached value if it has not
    /// changed; unchanged without a version. See the method of `URLRequest`.
    public func revalidating<Key>(_ origin: OriginRequest<Key>) -> HTTPRequest {
      revalidating(version: origin.version)
    }

    /// The request with the condition that the origin confirms the value of a hit.
    public func revalidating<Value>(_ hit: CacheHit<Value>?) -> HTTPRequest {
      revalidating(version: hit?.version)
    }

    private func revalidating(version: String?) -> HTTPRequest {
      guard let version, let name = HTTPField.Name(RequestHead.condition(on: version)) else {
        return self
      }
      var request = self
      request.headerFields[name] = version
      return request
    }
  }

  extension ResponseHead {
    fileprivate init(_ response: HTTPResponse) {
      self.init(
        status: response.status.code,
        fields: HTTPFields(response.headerFields.map { ($0.name.rawName, $0.value) }))
    }
  }
#endif
