#if AsyncHTTPClient
  public import AsyncHTTPClient
  public import Foundation
  public import Larder
  import NIOCore
  import NIOHTTP1

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension HTTPClient {
    /// A client of async-http-client, which the cache does not shut down. Create it with
    /// `redirectConfiguration: .disallow`: the cache follows redirects itself. Of a
    /// request's body it sends `httpBody`, not `httpBodyStream`.
    ///
    /// - Parameters:
    ///   - timeout: Time limit of a request, whose own `timeoutInterval` is not used.
    ///   - bytesMax: Maximum size of a body; a larger one fails.
    public static func asyncHTTPClient(
      _ client: AsyncHTTPClient.HTTPClient, timeout: Duration = .seconds(60),
      bytesMax: Int = 64 << 20
    ) -> HTTPClient {
      HTTPClient { request in
        let answer = try await client.execute(
          HTTPClientRequest(request), timeout: TimeAmount(timeout))
        let body = try await answer.body.collect(upTo: max(0, bytesMax))
        let data = Data(body.readableBytesView)
        guard let url = answer.url ?? request.url,
          let response = ResponseHead(answer).response(of: url)
        else { throw HTTPCacheError.notHTTP(url: request.url?.absoluteString ?? "") }
        return (data, response)
      }
    }
  }

  extension OriginAnswer {
    /// Creates the answer for a response of async-http-client: see `init(_:_:received:)` for one of
    /// Foundation.
    public init(
      _ value: @autoclosure () throws -> Value, _ response: HTTPClientResponse,
      received: Date = .now
    ) throws {
      try self.init(
        try value(), ResponseHead(response), url: response.url?.absoluteString ?? "",
        received: received)
    }
  }

  extension HTTPClientRequest {
    /// The request with the condition that the origin confirms the cached value if it has not
    /// changed; unchanged without a version. See the method of `URLRequest`.
    public func revalidating<Key>(_ origin: OriginRequest<Key>) -> HTTPClientRequest {
      guard let version = origin.version else { return self }
      var request = self
      request.headers.replaceOrAdd(name: RequestHead.condition(on: version), value: version)
      return request
    }

    fileprivate init(_ request: URLRequest) {
      self.init(url: request.url?.absoluteString ?? "")
      method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
      for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
        headers.add(name: name, value: value)
      }
      if let data = request.httpBody { body = .bytes(ByteBuffer(bytes: data)) }
    }
  }

  extension ResponseHead {
    fileprivate init(_ response: HTTPClientResponse) {
      self.init(
        status: Int(response.status.code),
        fields: HTTPFields(response.headers.map { ($0.name, $0.value) }))
    }
  }
#endif
