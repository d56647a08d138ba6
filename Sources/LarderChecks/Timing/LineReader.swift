import Foundation
import LarderSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Lines from a pipe. While it waits it notices when the user wants to stop.
final class LineReader {
  private let handle: FileHandle
  private let cancellation: Cancellation
  private var buffer: [UInt8] = []

  init(_ handle: FileHandle, _ cancellation: Cancellation) {
    self.handle = handle
    self.cancellation = cancellation
  }

  /// The next line without its end, or nil when there are no more.
  ///
  /// - Throws: `TimingError.interrupted`.
  func next() throws(TimingError) -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeSubrange(...end)
        return line
      }
      guard try fill() else { return nil }
    }
  }

  /// Reads what there is; false at the end.
  private func fill() throws(TimingError) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if cancellation.isRequested { throw .interrupted }
      var waiting = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 200)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      let count = read(handle.fileDescriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      buffer += bytes[..<count]
      return true
    }
  }
}
