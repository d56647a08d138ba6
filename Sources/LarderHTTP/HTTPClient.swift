public import Foundation
public import Larder

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A client that sends requests for an `HTTPCache`.
///
/// It must not cache, and not follow redirects: the cache does both. A response of another URL than
/// the request's is returned and not stored.
public struct HTTPClient: Sendable {
  /// A function that sends a request and returns the response, whatever its status.
  public typealias Send = @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)

  let send: Send
  /// Fields that the client adds to a request by itself.
  let added: @Sendable (URLRequest) -> [String: String]

  /// Creates a client from a function. Header fields that it adds to requests are unknown to the
  /// cache: responses that vary by them, as by `Cookie`, need them in the request.
  public init(_ send: @escaping Send) {
    self.send = send
    added = { _ in [:] }
  }

  /// A client with a `URLSession` of its own. The `urlCache` of the configuration is not used.
  public static func urlSession(
    _ configuration: URLSessionConfiguration = .default
  ) -> HTTPClient {
    HTTPClient(SessionOwner(configuration))
  }

  /// Gets what is at a URL, for a loader of your own.
  ///
  /// - Throws: The errors of the function, or of `URLSession`.
  public func data(from url: URL) async throws -> (Data, HTTPURLResponse) {
    try await send(URLRequest(url: url))
  }

  /// Gets what is at a URL unless it is what the cache has: see `URLRequest.revalidating`.
  ///
  /// ```swift
  /// let (data, response) = try await client.data(from: url, revalidating: origin)
  /// return try OriginAnswer(Image(data), response)
  /// ```
  ///
  /// - Throws: The errors of the function, or of `URLSession`.
  public func data<Key>(
    from url: URL, revalidating origin: OriginRequest<Key>
  ) async throws -> (Data, HTTPURLResponse) {
    try await send(URLRequest(url: url).revalidating(origin))
  }

  /// Sends a request, for a loader of your own.
  ///
  /// - Throws: The errors of the function, or of `URLSession`.
  public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    try await send(request)
  }

  private init(_ owner: SessionOwner) {
    send = { try await owner.send($0) }
    added = { owner.added(to: $0) }
  }
}

/// A session that neither caches nor follows redirects, and ends with this object.
private final class SessionOwner: Sendable {
  private let session: URLSession
  private let delegate = SessionDelegate()

  init(_ configuration: URLSessionConfiguration) {
    // A copy, in case the app uses it for other sessions.
    let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
    copy.urlCache = nil
    session = URLSession(configuration: copy, delegate: delegate, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let task = session.dataTask(with: request)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        delegate.begin(task.taskIdentifier, continuation)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }

  /// Fields of the session that the request does not have: cookies and additional headers.
  func added(to request: URLRequest) -> [String: String] {
    var fields: [String: String] = [:]
    for (name, value) in session.configuration.httpAdditionalHeaders ?? [:] {
      if let name = name as? String, let value = value as? String { fields[name] = value }
    }
    if request.httpShouldHandleCookies, session.configuration.httpShouldSetCookies,
      let url = request.url, let storage = session.configuration.httpCookieStorage,
      let cookies = storage.cookies(for: url), !cookies.isEmpty
    {
      fields["Cookie"] = cookies.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "; ")
    }
    return fields
  }
}

/// Collects the responses of a session's tasks.
private final class SessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Continuation = CheckedContinuation<(Data, HTTPURLResponse), any Error>

  private let lock = NSLock()
  // Only used with the lock held.
  private var running: [Int: (continuation: Continuation, data: Data)] = [:]

  func begin(_ task: Int, _ continuation: Continuation) {
    lock.withLock { running[task] = (continuation, Data()) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { running[dataTask.taskIdentifier]?.data.append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let ended = lock.withLock { running.removeValue(forKey: task.taskIdentifier) }
    guard let ended else { return }
    if let error {
      ended.continuation.resume(throwing: error)
    } else if let response = task.response as? HTTPURLResponse {
      ended.continuation.resume(returning: (ended.data, response))
    } else {
      let url = task.originalRequest?.url?.absoluteString ?? ""
      ended.continuation.resume(throwing: HTTPCacheError.notHTTP(url: url))
    }
  }
}
