import Foundation
import LarderLibc

/// A connection to a server on the loopback, with time limits.
public final class TCPConnection {
  private let descriptor: Int32

  /// Connects to a port.
  public init(port: UInt16) throws {
    descriptor = TCPConnection.stream()
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = TCPConnection.address(port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { throw ServerProgram.Failed(reason: "no connection") }
  }

  deinit { close(descriptor) }

  /// Sends a text.
  public func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }

  /// Receives until `isEnough` returns true, the server closes, or nothing comes for five seconds.
  public func receive(until isEnough: (String) -> Bool = { _ in false }) -> String {
    var bytes: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &space, space.count)
      if count <= 0 { break }
      bytes += space[..<count]
      if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func listener() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = stream()
    var address = address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) | getsockname(descriptor, $0, &length)
      }
    }
    if result != 0 { throw ServerProgram.Failed(reason: "no port") }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static func stream() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }
}
