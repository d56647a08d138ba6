import Foundation
import TestSupport
import Testing

@testable import LarderHarness

@Suite(.endsInTime) struct ProcessConnectionTests {
  private struct Peer: ProcessPeer {
    var name: String { "peer" }
    var timeoutSeconds: UInt32 { 10 }
    func ended() -> ProcessCacheError { .ended(program: name, status: nil, said: "") }
    func silent(_ what: String) -> ProcessCacheError {
      .silent(program: name, what: what, seconds: timeoutSeconds, said: "")
    }
  }

  private func connection(answering text: String) throws -> ProcessConnection {
    let ends = try LocalSocket.pair()
    let sent = text.utf8CString.withUnsafeBytes { write(ends.theirs, $0.baseAddress, $0.count - 1) }
    #expect(sent == text.utf8.count)
    shutdown(ends.theirs, Int32(SHUT_WR))
    // Open until the process exits, so that requests can be sent.
    return ProcessConnection(ends.ours, of: Peer())
  }

  @Test func announcedBytesTakeNoMemory() throws {
    let connection = try connection(answering: "VALUE 7 0 4294967295\r\nabc")
    #expect(throws: ProcessCacheError.ended(program: "peer", status: nil, said: "")) {
      try connection.get(7)
    }
    #expect(connection.room < 1 << 20)
  }

  @Test func longValuesArriveWhole() throws {
    let value = String(repeating: "larder", count: 12_000)
    let connection = try connection(
      answering: "VERSION 1\r\nVALUE 7 0 \(value.count)\r\n\(value)\r\nEND\r\nEND\r\n")
    #expect(try connection.greet() == "VERSION 1")
    #expect(try connection.get(7) == Data(value.utf8))
    #expect(try connection.get(8) == nil)
  }
}
