import LarderEngine

/// Access logs of Amazon S3 and of compatible stores.
struct S3Format: TraceFormat {
  let description = FormatDescription(
    name: "s3",
    summary: "access logs of Amazon S3: server access logging",
    layout: """
      Text, one request per line: owner, bucket, time in brackets, client, requester, request id,
      operation, key, request in quotes, status, error, bytes sent, object size, total time,
      turn-around time in milliseconds, and fields that are ignored. The key of an object is bucket
      and key, with the requested version. REST.GET.OBJECT and REST.HEAD.OBJECT are gets
      (WEBSITE.GET.OBJECT too); PUT, COPY, POST.UPLOAD and POST.OBJECT write, DELETE and
      S3.EXPIRE.OBJECT delete, as set by `writes`; other operations on a key bypass the cache, and
      those without a key are skipped. The size of an object is the object size, or
      else as in `combined`. The cost is the turn-around time. Options as in `combined`.
      """,
    suffixes: [".s3", ".s3.log"], parameters: WebOptions.parameters())

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    return Layout().fits(sample.lines()) ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    WebDecoder(layout: Layout(), options: try WebOptions(options))
  }

  private struct Layout: WebLayout {
    var roles: Set<WebRole> {
      [
        .host, .time, .method, .target, .query, .status, .bytes, .objectBytes, .originMilliseconds,
      ]
    }
    var understanding: [String] { ["an object is a bucket and a key"] }
    func reader() -> Reader { Reader() }
  }

  private struct Reader: WebLineReader {
    private static let version = Array("versionId=".utf8)
    private static let objectOperations = [".OBJECT", ".UPLOAD"].map { Array($0.utf8) }
    private static let methods: [(verb: [UInt8], method: StaticString)] = [
      (Array("GET".utf8), "GET"), (Array("HEAD".utf8), "HEAD"), (Array("PUT".utf8), "PUT"),
      (Array("COPY".utf8), "PUT"), (Array("POST".utf8), "POST"),
      (Array("DELETE".utf8), "DELETE"), (Array("EXPIRE".utf8), "DELETE"),
    ]

    mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind {
      if line.trimmed.isEmpty { return .none }
      guard let time = CombinedLayout.time(in: line) else { return .bad }
      var head = TextField(line.next, time.next - 1)
      _ = head.takeField()
      let bucket = head.takeField()
      var rest = TextField(time.end + 1, line.end)
      for _ in 0..<3 { _ = rest.takeField() }
      let operation = rest.takeField()
      let key = rest.takeField()
      rest.skipBlanks()
      guard !bucket.isEmpty, head.trimmed.isEmpty, operation.find(0x2E) != nil, !key.isEmpty,
        !rest.isEmpty
      else { return .bad }
      var request = TextField(rest.next, rest.next)
      if rest.next.pointee == 0x22 {
        rest.skip()
        guard let end = rest.endOfQuoted() else { return .bad }
        request = TextField(rest.next, end)
        rest = TextField(end + 1, line.end)
      } else {
        request = rest.takeField()
      }
      var status = rest.takeField()
      _ = rest.takeField()
      fields[.bytes] = rest.takeField()
      fields[.objectBytes] = rest.takeField()
      guard !fields[.objectBytes].isEmpty else { return .bad }
      _ = rest.takeField()
      fields[.originMilliseconds] = rest.takeField()
      if key.isNothing { return .skipped("they are not operations on an object") }
      // Actions of S3 itself have no status.
      if status.isNothing { status = TextField(status.next, status.next) }
      fields[.host] = bucket
      fields[.time] = time
      fields[.method] = Reader.method(operation)
      fields[.status] = status
      fields[.query] = Reader.version(request)
      // Includes the blank before it, which separates bucket and key.
      fields[.target] = TextField(key.next - 1, key.end)
      return .request
    }

    /// HTTP method of an operation such as REST.GET.OBJECT; the operation itself if it is not on an
    /// object.
    private static func method(_ operation: TextField) -> TextField {
      var rest = operation
      guard objectOperations.contains(where: { operation.ends(with: $0) }),
        let dot = rest.find(0x2E)
      else { return operation }
      rest = TextField(dot + 1, operation.end)
      guard let end = rest.find(0x2E) else { return operation }
      let verb = TextField(rest.next, end)
      guard let method = methods.first(where: { verb.equals($0.verb) })?.method else {
        return operation
      }
      return TextField(method.utf8Start, method.utf8Start + method.utf8CodeUnitCount)
    }

    /// Version of a request: `versionId=...`.
    private static func version(_ request: TextField) -> TextField {
      guard let mark = request.find(0x3F),
        let start = TextField(mark + 1, request.end).find(version)
      else { return TextField(request.end, request.end) }
      var end = start
      while end < request.end, end.pointee != 0x26, end.pointee != 0x20 { end += 1 }
      return TextField(start, end)
    }

    func problem(_ line: TextField) -> String {
      "expected 'owner bucket [time] client requester id operation key \"request\" status ...', "
        + "found \(line.quoted)"
    }
  }
}
