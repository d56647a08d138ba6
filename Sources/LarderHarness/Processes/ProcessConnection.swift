import Foundation

/// A connection to a cache's process: what is sent, and what was received and is not yet read.
package final class ProcessConnection: @unchecked Sendable {
  // Used by one thread at a time: the one that has taken it.
  private let descriptor: Int32
  let peer: any ProcessPeer
  private var sending: [UInt8] = []
  private var received = [UInt8](repeating: 0, count: ProcessConnection.roomLeast)
  /// What of `received` is not yet read.
  private var unread = 0..<0

  /// The latest time that the process heard of.
  private var told: UInt64 = 0

  /// Bytes that there is room for at first.
  static var roomLeast: Int { 64 << 10 }
  /// Bytes that there is room for.
  var room: Int { received.count }

  /// The longest line that a process may answer, in bytes.
  private static var longestLine: Int { 2048 }

  /// Takes a socket over, which it closes in the end.
  package init(_ descriptor: Int32, of peer: some ProcessPeer) {
    self.descriptor = descriptor
    self.peer = peer
    LocalSocket.limit(descriptor, seconds: peer.timeoutSeconds)
  }

  deinit { close(descriptor) }

  /// Adds text to what is sent next.
  func add(_ text: String) { sending += text.utf8 }

  /// Adds bytes to what is sent next.
  func add(_ bytes: Data) { sending += bytes }

  /// Adds the trace's time, in microseconds, where it has moved on.
  func tell(_ now: UInt64) {
    guard now > told else { return }
    told = now
    add("time \(now)\r\n")
  }

  /// Sends what was added.
  ///
  /// - Throws: `ProcessCacheError`.
  func send() throws(ProcessCacheError) {
    var sent = 0
    while sent < sending.count {
      let count = sending.withUnsafeBytes {
        LocalSocket.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...]))
      }
      if count > 0 {
        sent += count
      } else if errno != EINTR {
        throw errno == EAGAIN || errno == EWOULDBLOCK
          ? peer.silent("read a request") : peer.ended()
      }
    }
    sending.removeAll(keepingCapacity: true)
  }

  /// The next line, without its end.
  ///
  /// - Throws: `ProcessCacheError`.
  func line() throws(ProcessCacheError) -> Substring {
    var looked = 0
    while true {
      let rest = received[unread.lowerBound + looked..<unread.upperBound]
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        var text = received[unread.lowerBound..<end]
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        unread = end + 1..<unread.upperBound
        return Substring(decoding: text, as: UTF8.self)
      }
      guard unread.count <= Self.longestLine else {
        let start = String(decoding: received[unread].prefix(60), as: UTF8.self)
        throw peer.answered("\(start)...", to: "a request")
      }
      looked = unread.count
      try receive(room: Self.longestLine)
    }
  }

  /// So many bytes and the end of a line behind them.
  ///
  /// - Throws: `ProcessCacheError`.
  func block(_ count: Int) throws(ProcessCacheError) -> Data {
    // Room for what comes, not for what is promised: that may be 4 GiB.
    while unread.count < count + 2 {
      try receive(room: min(count + 2, max(Self.roomLeast, 2 * unread.count)))
    }
    let end = unread.lowerBound + count
    guard received[end] == UInt8(ascii: "\r"), received[end + 1] == UInt8(ascii: "\n") else {
      throw peer.answered("a value that is not followed by a line's end", to: "get")
    }
    defer { unread = end + 2..<unread.upperBound }
    return Data(received[unread.lowerBound..<end])
  }

  /// Waits for more, so that what is unread may have `room` bytes.
  private func receive(room: Int) throws(ProcessCacheError) {
    if unread.isEmpty {
      unread = 0..<0
    } else if unread.lowerBound + room > received.count || unread.upperBound == received.count {
      received.replaceSubrange(0..<unread.count, with: Array(received[unread]))
      unread = 0..<unread.count
    }
    if received.count < room || unread.upperBound == received.count {
      let more = max(room, 2 * received.count) - received.count
      received.append(contentsOf: repeatElement(0, count: more))
    }
    let (old, space) = (unread.upperBound, received.count - unread.upperBound)
    var count: Int
    repeat {
      count = received.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress.map { $0 + old }, space, 0)
      }
    } while count < 0 && errno == EINTR
    guard count > 0 else {
      throw count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
        ? peer.silent("answer") : peer.ended()
    }
    unread = unread.lowerBound..<old + count
  }
}
