#if HTTPTypes
  public import Foundation
  public import HTTPTypes
  import HTTPTypesFoundation
  public import Larder

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension HTTPCache {
    /// Returns the response to a request of swift-http-types: see `data(for:)` for one of
    /// Foundation.
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
    public init(
      _ value: @autoclosure () throws -> Value, _ response: HTTPResponse, to request: HTTPRequest,
      received: Date = .now
    ) throws {
      try self.init(
        try value(), ResponseHead(response), url: request.url?.absoluteString ?? request.path ?? "",
        received: received)
    }
  }

  extension HTTPRequest {
    /// The request with the condition that the origin confirms the cached value if it has not
    /// changed; unchanged without a version. See the method of `URLRequest`.
    public func revalidating<Key>(_ origin: OriginRequest<Key>) -> HTTPRequest {
      guard let version = origin.version,
        let name = HTTPField.Name(RequestHead.condition(on: version))
      else { return self }
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
