/// Whoever is at the other end of a connection, as errors name it.
package protocol ProcessPeer: Sendable {
  /// How it is called in messages.
  var name: String { get }
  /// The longest that an answer may take.
  var timeoutSeconds: UInt32 { get }

  /// The error of one that is gone: its connection has ended.
  func ended() -> ProcessCacheError
  /// The error of one that did not do something in time.
  func silent(_ what: String) -> ProcessCacheError
}

extension ProcessPeer {
  /// The error of one that answers something else than it should.
  func answered(_ answer: some StringProtocol, to request: String) -> ProcessCacheError {
    .answer(program: name, request: request, answer: String(answer.prefix(100)))
  }
}
