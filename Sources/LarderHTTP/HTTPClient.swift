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
  let added: @Sendable (URLRequest) -> [String: String]

  /// Creates a client from a function. Header fields that it adds to requests are unknown to the
  /// cache: responses that vary by them, as by `Cookie`, need them in the request.
  public init(_ send: @escaping Send) {
    self.send = send
    added = { _ in [:] }
  }

  /// A client with a `URLSession` of its own, without its `urlCache`. A body of more than
  /// `bytesMax` fails with `HTTPCacheError.tooLarge`.
  public static func urlSession(
    _ configuration: URLSessionConfiguration = .default, bytesMax: Int = 64 << 20
  ) -> HTTPClient {
    HTTPClient(SessionOwner(configuration, bytesMax: max(0, bytesMax)))
  }

  /// Gets what is at a URL, for a loader of your own.
  public func data(from url: URL) async throws -> (Data, HTTPURLResponse) {
    try await send(URLRequest(url: url))
  }

  /// Gets what is at a URL unless it is what the cache has: see `URLRequest.revalidating`.
  public func data<Key>(
    from url: URL, revalidating origin: OriginRequest<Key>
  ) async throws -> (Data, HTTPURLResponse) {
    try await send(URLRequest(url: url).revalidating(origin))
  }

  private init(_ owner: SessionOwner) {
    send = { try await owner.send($0) }
    added = { owner.added(to: $0) }
  }
}

/// A session that neither caches nor follows redirects, and ends with this object.
private final class SessionOwner: Sendable {
  private let session: URLSession
  private let delegate: SessionDelegate

  init(_ configuration: URLSessionConfiguration, bytesMax: Int) {
    delegate = SessionDelegate(bytesMax: bytesMax)
    // A copy, in case the app uses it for other sessions.
    let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
    copy.urlCache = nil
    session = URLSession(configuration: copy, delegate: delegate, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let task = session.dataTask(with: request)
    let number = task.taskIdentifier
    // Before the handler, which runs first if this task has been cancelled already.
    delegate.expect(number)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        delegate.outcome(of: number, continuation)
        task.resume()
      }
    } onCancel: {
      // Not left to the session, which need not report a task that never ran.
      delegate.end(number) { _ in .failure(CancellationError()) }
      task.cancel()
    }
  }

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

final class SessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Outcome = Result<(Data, HTTPURLResponse), any Error>
  typealias Continuation = CheckedContinuation<(Data, HTTPURLResponse), any Error>

  /// A task from `expect` until its outcome was returned. Either may come first: the outcome, or
  /// the continuation that waits for it.
  private struct Running {
    var data = Data()
    var continuation: Continuation?
    var outcome: Outcome?
  }

  private let bytesMax: Int
  private let lock = NSLock()
  // Only used with the lock held.
  private var running: [Int: Running] = [:]

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  func expect(_ task: Int) { lock.withLock { running[task] = Running() } }

  func outcome(of task: Int, _ continuation: Continuation) {
    let outcome = lock.withLock { () -> Outcome? in
      guard let outcome = running[task]?.outcome else {
        running[task]?.continuation = continuation
        return nil
      }
      running[task] = nil
      return outcome
    }
    if let outcome { continuation.resume(with: outcome) }
  }

  func end(_ task: Int, _ outcome: (Data) -> Outcome) {
    let ended = lock.withLock { () -> (Continuation, Outcome)? in
      guard let state = running[task], state.outcome == nil else { return nil }
      let outcome = outcome(state.data)
      running[task]?.outcome = outcome
      guard let continuation = state.continuation else { return nil }
      running[task] = nil
      return (continuation, outcome)
    }
    if let (continuation, outcome) = ended { continuation.resume(with: outcome) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let task = dataTask.taskIdentifier
    let isTooLarge = lock.withLock {
      guard let count = running[task]?.data.count else { return false }
      if data.count > bytesMax - count { return true }
      running[task]?.data.append(data)
      return false
    }
    guard isTooLarge else { return }
    let url = dataTask.originalRequest?.url?.absoluteString ?? ""
    end(task) { _ in .failure(HTTPCacheError.tooLarge(url: url, bytesMax: bytesMax)) }
    dataTask.cancel()
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
    end(task.taskIdentifier) { data in
      if let error { return .failure(error) }
      if let response = task.response as? HTTPURLResponse { return .success((data, response)) }
      return .failure(
        HTTPCacheError.notHTTP(url: task.originalRequest?.url?.absoluteString ?? ""))
    }
  }
}
