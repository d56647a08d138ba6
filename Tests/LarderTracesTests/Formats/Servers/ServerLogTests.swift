import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import LarderTraces

/// Logs of the real programs, compared with the requests of their client.
@Suite(.endsInTime)
struct ServerLogTests {
  /// A client's request to a web server, and its meaning in the trace.
  private struct Asked {
    var method = "GET"
    var path: String
    var header = ""
    var operation = Operation.get
  }

  private static let page = String(repeating: "x", count: 4321)

  /// A few rounds of full responses, parts, responses without body, errors and a write.
  private static let asked: [Asked] = (0..<20).flatMap { round in
    [
      Asked(path: "/page.html"),
      Asked(path: "/page.html", header: "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n"),
      Asked(path: "/page.html?round=\(round % 3)"),
      Asked(path: "/part.bin", header: "Range: bytes=0-9\r\n"),
      Asked(method: "HEAD", path: "/page.html"), Asked(path: "/missing\(round % 2)"),
      Asked(method: "POST", path: "/page.html", operation: .bypass),
    ]
  }

  /// Sends all requests and returns the folder with the log.
  private func ask(_ port: UInt16) throws {
    for asked in Self.asked {
      let connection = try TCPConnection(port: port)
      connection.send(
        "\(asked.method) \(asked.path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
          + "Content-Length: 0\r\n\(asked.header)\r\n")
      #expect(connection.receive().hasPrefix("HTTP/1.1 "))
    }
  }

  private func check(_ path: String) throws {
    let source = try FileSource(path: path)
    #expect(source.format.name == "combined")
    let records = try allRecords(source)
    // The test's own probes for the port may be logged as failed requests.
    #expect(records.map(\.key) == Self.asked.map { KeyHash.hash($0.path) })
    #expect(records.map(\.operation) == Self.asked.map(\.operation.rawValue))
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.requests.objects == 1 + 3 + 1 + 2)
    for (index, asked) in Self.asked.enumerated()
    where asked.path.hasPrefix("/page") && asked.operation == .get {
      #expect(trace.requests.sizes?[index] == UInt32(Self.page.utf8.count))
    }
    #expect(trace.reading.badLines == 0)
  }

  @Test(.enabled(if: ServerProgram.path("nginx") != nil, "needs the package nginx-light"))
  func nginx() throws {
    let folder = try TestFolder()
    _ = try folder.write(Self.page, to: "page.html")
    _ = try folder.write(Self.page, to: "part.bin")
    let port = try ServerProgram.freePort()
    let root = folder.path
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(root)/\($0);"
    }.joined()
    let configuration = try folder.write(
      "daemon off; master_process off; pid \(root)/pid; error_log \(root)/error.log;"
        + "events {} http { \(paths) access_log \(root)/access.log combined;"
        + "server { listen 127.0.0.1:\(port); root \(root); } }\n", to: "nginx.conf")
    let server = try ServerProgram(
      "nginx", ["-c", configuration, "-e", "\(root)/error.log"], port: port)
    try ask(port)
    server.stop()
    try check(folder.path("access.log"))
  }

  @Test(.enabled(if: ServerProgram.path("apache2") != nil, "needs the package apache2"))
  func apache() throws {
    let folder = try TestFolder()
    _ = try folder.write(Self.page, to: "page.html")
    _ = try folder.write(Self.page, to: "part.bin")
    let port = try ServerProgram.freePort()
    let root = folder.path
    let modules = "/usr/lib/apache2/modules"
    let configuration = try folder.write(
      """
      ServerRoot \(root)
      ServerName localhost
      Listen 127.0.0.1:\(port)
      PidFile \(root)/pid
      ErrorLog \(root)/error.log
      LoadModule mpm_event_module \(modules)/mod_mpm_event.so
      LoadModule authz_core_module \(modules)/mod_authz_core.so
      LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined
      CustomLog \(root)/access.log combined
      DocumentRoot \(root)
      <Directory \(root)>
        Require all granted
      </Directory>
      <IfModule unixd_module>
        User nobody
        Group nogroup
      </IfModule>

      """, to: "apache.conf")
    let server = try ServerProgram(
      "apache2", ["-X", "-f", configuration, "-C", "DefaultRuntimeDir \(root)"], port: port)
    try ask(port)
    server.stop()
    try check(folder.path("access.log"))
  }

  @Test(.enabled(if: ServerProgram.path("redis-server") != nil, "needs the package redis-server"))
  func redis() throws {
    let folder = try TestFolder()
    let port = try ServerProgram.freePort()
    let server = try ServerProgram(
      "redis-server",
      ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", folder.path],
      port: port)
    let monitor = try TCPConnection(port: port)
    monitor.send("MONITOR\r\n")
    _ = monitor.receive { $0.contains("OK") }
    let client = try TCPConnection(port: port)
    func ask(_ command: String) {
      client.send(command + "\r\n")
      _ = client.receive { $0.hasSuffix("\r\n") }
    }
    for round in 0..<50 {
      ask("GET user:\(round % 7)")
      ask("SET user:\(round % 7) \(String(repeating: "v", count: 10 + round % 7)) EX 30")
      ask("MGET user:1 user:2")
    }
    ask("DEL user:1")
    let text = monitor.receive { $0.contains("\"DEL\"") }
    server.stop()
    let path = try folder.write(text, to: "redis.log")
    #expect(try FileSource(path: path).format.name == "redis-monitor")
    let trace = try PreparedTrace.load(path: path)
    // Every set is the end of the get before it.
    #expect(trace.requests.count == 50 * 3 + 1 && trace.requests.objects == 7)
    let operations = (0..<trace.requests.count).compactMap { trace.requests.operations?[$0] }
    #expect(operations.count { $0 == 0 } == 150 && operations.count { $0 == 1 } == 0)
    // Ten letters.
    #expect(trace.requests.sizes?[0] == 10 && trace.requests.ttls?[0] == 30)
    #expect(trace.footprintBytes == (0..<7).reduce(0) { $0 + UInt64(10 + $1) })
  }

  @Test(.enabled(if: ServerProgram.path("memcached") != nil, "needs the package memcached"))
  func memcached() throws {
    let folder = try TestFolder()
    let port = try ServerProgram.freePort()
    let server = try ServerProgram(
      "memcached", ["-u", "nobody", "-l", "127.0.0.1", "-p", "\(port)", "-U", "0"], port: port)
    let watcher = try TCPConnection(port: port)
    watcher.send("watch fetchers mutations evictions\r\n")
    _ = watcher.receive { $0.contains("OK") }
    let client = try TCPConnection(port: port)
    func ask(_ command: String, _ end: String) {
      client.send(command)
      _ = client.receive { $0.hasSuffix(end) }
    }
    for round in 0..<50 {
      ask("get user\(round % 7)\r\n", "END\r\n")
      let value = String(repeating: "v", count: 10 + round % 7)
      ask("set user\(round % 7) 0 30 \(value.count)\r\n\(value)\r\n", "STORED\r\n")
    }
    ask("get last\r\n", "END\r\n")
    let text = watcher.receive { $0.contains("key=last") && $0.hasSuffix("\n") }
    server.stop()
    let path = try folder.write(text, to: "memcached.log")
    #expect(try FileSource(path: path).format.name == "memcached-watch")
    let trace = try PreparedTrace.load(path: path)
    // The first seven gets miss, and their sets are part of them.
    #expect(trace.requests.count == 94 && trace.requests.objects == 8)
    let operations = (0..<94).compactMap { trace.requests.operations?[$0] }
    #expect(operations.count { $0 == 0 } == 51 && operations.count { $0 == 1 } == 43)
    #expect(trace.requests.sizes?[0] == 10 && trace.requests.ttls?[0] == 30)
    #expect(trace.reading.outcomes.hits == 43 && trace.reading.outcomes.misses == 8)
  }
}
