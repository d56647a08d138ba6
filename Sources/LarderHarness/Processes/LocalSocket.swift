import Foundation

/// What is needed of sockets between two processes of one machine.
enum LocalSocket {
  /// The longest path that a socket's address has room for, in bytes.
  static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  #if canImport(Darwin)
    private static let noSignal: Int32 = 0
  #else
    private static let noSignal = Int32(MSG_NOSIGNAL)
  #endif

  /// Two sockets that are connected with each other. Neither is inherited by programs.
  ///
  /// - Throws: `ProcessCacheError.system`.
  static func pair() throws(ProcessCacheError) -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, stream, 0, &ends) == 0 else { throw failure("cannot make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// A connection to a socket's path; nil while nobody listens there.
  ///
  /// - Throws: `ProcessCacheError.system`.
  static func connected(to path: String) throws(ProcessCacheError) -> Int32? {
    let descriptor = socket(AF_UNIX, stream, 0)
    guard descriptor >= 0 else { throw failure("cannot make a socket") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { room in
      room.copyBytes(from: path.utf8.prefix(longestPath))
    }
    let status = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if status == 0 { return descriptor }
    let number = errno
    close(descriptor)
    // Not there yet, or there and not yet listening.
    if number == ENOENT || number == ECONNREFUSED || number == EAGAIN { return nil }
    throw .system(what: path, reason: String(cString: strerror(number)))
  }

  /// Has sends and receives on a socket end after so many seconds.
  static func limit(_ descriptor: Int32, seconds: UInt32) {
    var time = timeval(tv_sec: Int(seconds), tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    #if canImport(Darwin)
      var isOn: Int32 = 1
      setsockopt(
        descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Sends bytes without a signal where nobody reads them; how many went, or -1.
  static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Foundation.send(descriptor, bytes.baseAddress, bytes.count, noSignal)
  }

  private static func failure(_ what: String) -> ProcessCacheError {
    .system(what: what, reason: String(cString: strerror(errno)))
  }
}
