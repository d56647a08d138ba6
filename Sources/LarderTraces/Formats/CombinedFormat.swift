import LarderEngine

struct CombinedFormat: TraceFormat {
  let description = FormatDescription(
    name: "combined",
    summary: "access logs of nginx, Apache, varnishncsa, Envoy: common, combined, or a log format",
    layout: """
      Text, one request per line: `host ident user [01/Mar/2026:10:00:00 +0100] "GET /a HTTP/1.1"
      200 512`, with anything behind it, and before it several clients (X-Forwarded-For), a virtual
      host, or the prefix of syslog or of a container: a note reports what was found. A word behind
      the bytes such as HIT or TCP_MISS is the cache's own result. Other layouts
      are given as in the server's configuration: log-format='$remote_addr [$time_local] "$request"
      $status $body_bytes_sent $upstream_response_time' (nginx) or log-format='%h %t "%r" %>s %b %D'
      (Apache, varnishncsa). A GET or HEAD whose status may be stored is a get; all other requests
      bypass the cache, or count as set by `writes`. An object has the size of its last full
      response (200 or 203). Cache-Control or Expires become TTLs, and the time of the upstream
      (else of the request) the cost in milliseconds, if they are logged.
      """,
    suffixes: [".combined", ".combined.log"],
    parameters: [
      Parameter(
        "log-format", default: "",
        """
        the log_format of nginx or LogFormat of Apache, in single quotes: the format alone, the \
        whole directive, or @file for the first one in a configuration that fits (@file#name \
        selects one)
        """)
    ] + WebOptions.parameters())

  private static let voters = 1000

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines()
    // A message for each line, but no line ends: JSON, or syslog over TCP.
    let isOneLine = lines.count == 1 && lines[0].count > 1 << 14
    guard !lines.isEmpty, !isOneLine, !JSONObjects.areIn(sample),
      !ByteOrderMark.isUTF16(sample.head)
    else { return .none }
    return known(lines) != nil || CombinedLayout(lines).fitting >= 0.9 ? .certain : .none
  }

  /// Layouts of other programs; a new one is a row.
  private static let patterns = LogPattern.known([
    // Envoy, and Istio with up to four reasons before the numbers.
    envoy(""), envoy(#" $reason $reason "$failure""#), envoy(#" "$failure" "$failure""#),
    envoy(#" $reason $reason "$failure" $reason"#), envoy(" $reason"), envoy(" $reason $reason"),
    // Alibaba Cloud CDN: bytes of the request and of the response.
    #"[$time] $client $proxy $totalMilliseconds "$referer" "$request" $status $sent $bytes"#
      + " $cacheStatus",
    // Tomcat and others without quotes around the request.
    "$client [$time] $method $target HTTP/$protocol $status $bytes",
    // uWSGI.
    "$head [$time] $method $target => generated $bytes bytes in $totalMilliseconds msecs "
      + "(HTTP/$protocol $status)",
    // Azure's blobs (Storage Analytics).
    #"$version;$time;$name;$result;$status;$totalMilliseconds;$server;$kind;$user;$owner;$service"#
      + #";"$target";"$key";$id;$number;$client;$api;$sent;$received;$header;$bytes;"#,
    // Uvicorn: no times and sizes.
    #"$level $client - "$request" $status"#,
    // The format tiny of morgan, for Node.
    "$method $target $status $bytes - $totalMilliseconds ms",
    // CloudFront's real-time logs with all fields.
    #"$seconds\t$client\t$originSeconds\t$status\t$bytes\t$method\t$protocol\t$domain\t$target"#
      + #"\t$sent\t$edge\t$id\t$host\t"#,
    // CloudFront's standard logs without their #Fields line.
    #"$date\t$timeOfDay\t$edge\t$bytes\t$client\t$method\t$domain\t$target\t$status\t$referer"#
      + #"\t$agent\t$query\t$cookie\t$cacheStatus\t$id\t$host\t$protocol\t$sent\t$totalSeconds"#,
    // bunny.net: docs.bunny.net/cdn/logging.
    "$cacheStatus|$status|$timestamp|$bytes|$zone|$client|$referer|$target|",
    // Tencent Cloud CDN: times in Beijing are read as UTC.
    "$time $client $host $target $bytes $province $isp $status $referer $totalMilliseconds ",
    // Huawei Cloud CDN, and G-Core with all fields in quotes.
    #"[$time] $client $totalMilliseconds "$referer" "$protocol" "$method" "$host" "$target" "#
      + "$status $bytes $cacheStatus",
    #""$client" "$ident" "$user" "[$time]" "$request" "$status" "$bytes" "$referer""#,
    // WikiBench's traces of Wikipedia, whose flag of edits is not read.
    "$number $seconds http://$target ",
    // Nginx Proxy Manager, and Gin, for Go.
    #"[$time] $cacheStatus $upstream $status - $method $scheme $host "$target" [Client $client] "#
      + "[Length $bytes]",
    #"[$time] $status - $method $scheme $host "$target" [Client $client] [Length $bytes]"#,
    #"[GIN] $date - $timeOfDay | $status | $totalMilliseconds | $client | $method $pad"$target""#,
  ])

  private static func envoy(_ reasons: String) -> String {
    #"$name [$time] "$request" $status $flags\#(reasons) $received $bytes $duration "#
      + #"$originMilliseconds "$client" "$agent" "$id" "$host""#
  }

  private func known(_ lines: [ArraySlice<UInt8>]) -> LogPattern? {
    guard let first = lines.first, first.first != 0x7B else { return nil }
    // Fields between tabs may have a header, which other formats read.
    return CombinedFormat.patterns.first {
      $0.fits(lines) && ($0.fits([first]) || !$0.text.contains(#"\t"#))
    }
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    let web = try WebOptions(options)
    if let text = options.text("log-format") {
      do throws(LogPatternError) {
        let pattern = try LogDefinition.pattern(text, lines: sample.lines())
        return WebDecoder(layout: pattern, options: web)
      } catch {
        throw options.wrong(
          "log-format", expected: "a log format of nginx or Apache (\(error.message))")
      }
    }
    if let pattern = known(sample.lines()) { return WebDecoder(layout: pattern, options: web) }
    let layout = CombinedLayout(sample.lines(CombinedFormat.voters))
    return WebDecoder(layout: layout, options: web)
  }
}

/// Lines with a time in brackets and a quoted request; the part before is parsed line by line.
struct CombinedLayout: WebLayout {
  enum HostPlace: String {
    case none = #"%h %l %u [%t] "%r" %>s %b"#
    case front = #"%v %h %l %u [%t] "%r" %>s %b"#
    case second = #"%h %v %u [%t] "%r" %>s %b"#
    case last = #"%h %l %u %v [%t] "%r" %>s %b"#
    case behindTime = #"%h %l %u [%t] %v "%r" %>s %b"#
  }

  private(set) var place = HostPlace.none
  /// False if leading names vary so much that they are clients.
  private(set) var takesFront = true
  private(set) var takesAddresses = false
  /// True if words behind the bytes are results of a cache.
  let hasCacheStatus: Bool
  let fitting: Double
  private let findings: [String]

  var roles: Set<WebRole> {
    let always: Set<WebRole> = [.time, .request, .status, .bytes, .host]
    return hasCacheStatus ? always.union([.cacheStatus]) : always
  }
  var understanding: [String] { ["lines are \(place.rawValue)"] + findings }
  func reader() -> Reader { Reader(layout: self) }

  init(_ lines: [ArraySlice<UInt8>]) {
    var votes = Votes()
    for line in lines { line.withTextField { votes.add($0) } }
    fitting = Double(votes.fitting) / Double(max(1, lines.count))
    hasCacheStatus = votes.hasCacheStatus
    // A server is named by few addresses; a client's port changes.
    if votes.addresses.lines > 0, votes.addresses.names.count * 4 <= votes.addresses.lines {
      votes.hosts[.front, default: HostVotes()].add(votes.addresses)
      takesAddresses = true
    }
    let front = votes.hosts[.front] ?? HostVotes()
    takesFront = !front.areTooMany
    for place in [HostPlace.second, .last, .behindTime] {
      guard let hosts = votes.hosts[place], !hosts.areTooMany, hosts.lines * 10 >= votes.fitting * 9
      else { continue }
      self.place = place
    }
    if takesFront, front.lines > 0, front.lines * 2 >= votes.fitting { place = .front }
    findings = votes.findings(place, takesFront: takesFront)
  }

  @inline(__always) static func time(in line: TextField) -> TextField? {
    var rest = line
    while let open = rest.find(0x5B) {
      rest = TextField(open + 1, line.end)
      if rest.count > 20, isDate(rest.next), let close = rest.find(0x5D) {
        return TextField(rest.next, close)
      }
    }
    return nil
  }

  /// The first word that is the result of a cache, `HIT`, `cache="MISS"` or `TCP_HIT:HIER_NONE`,
  /// in what follows the bytes.
  static func cacheStatus(in tail: TextField) -> TextField? {
    var rest = tail
    while true {
      rest.skipBlanks()
      guard !rest.isEmpty else { return nil }
      var word = rest
      if rest.next.pointee == 0x22, case let inner = TextField(rest.next + 1, rest.end),
        let end = inner.endOfQuoted()
      {
        word = TextField(inner.next, end)
        rest = TextField(end + 1, rest.end)
      } else {
        word = rest.takeField()
      }
      if let equals = word.find(0x3D) { word = TextField(equals + 1, word.end).unquoted }
      word = word.withoutBrackets
      if statuses.contains(where: { word.equals(upperCase: $0) }) || word.starts(with: tcp) {
        return word
      }
    }
  }

  private static let tcp = Array("TCP_".utf8)
  private static let statuses = [
    "HIT", "MISS", "EXPIRED", "STALE", "UPDATING", "REVALIDATED", "BYPASS", "PASS",
  ].map { Array($0.utf8) }

  /// True for `01/Mar/2026:`, `1/Mar/2026:`, `01/Mar/2026 ` (Python), `2026-03-01T` and
  /// `Sun Mar  1 10:00:00`.
  @inline(__always) private static func isDate(_ first: UnsafePointer<UInt8>) -> Bool {
    let text = first[1] == 0x2F ? first - 1 : first
    guard first[0] &- 0x30 <= 9 else {
      return text[3] == 0x20 && text[7] == 0x20 && text[13] == 0x3A && text[16] == 0x3A
    }
    if text[2] == 0x2F { return text[6] == 0x2F && (text[11] == 0x3A || text[11] == 0x20) }
    return text[4] == 0x2D && text[7] == 0x2D && (text[10] == 0x54 || text[10] == 0x20)
  }

  struct Reader: WebLineReader {
    private let layout: CombinedLayout
    private var (hosts, bare, clients, names, prefixes) = (0, 0, 0, 0, 0)

    init(layout: CombinedLayout) { self.layout = layout }

    @inline(__always) mutating func read(
      _ line: TextField, into fields: borrowing WebLine
    ) -> WebLineKind {
      guard let time = CombinedLayout.time(in: line) else {
        return line.trimmed.isEmpty ? .none : .bad
      }
      var rest = TextField(time.end + 1, line.end)
      rest.skipBlanks()
      fields[.host] = TextField(line.next, line.next)
      if !rest.isEmpty, rest.next.pointee != 0x22 {
        let word = rest.takeField().unquoted
        rest.skipBlanks()
        if layout.place == .behindTime, word.isHostName { fields[.host] = word }
      }
      guard rest.takeByte() == 0x22, let end = rest.endOfQuoted() else { return .bad }
      fields[.time] = time
      fields[.request] = TextField(rest.next, end)
      rest = TextField(end + 1, line.end)
      fields[.status] = rest.takeField()
      // OpenLiteSpeed has quotes around the line.
      fields[.bytes] = rest.takeField().unquoted
      guard !fields[.status].isEmpty else { return .bad }
      if layout.hasCacheStatus {
        fields[.cacheStatus] = CombinedLayout.cacheStatus(in: rest) ?? TextField(rest.end, rest.end)
      }
      let head = TextField(line.next, time.next - 1)
      if layout.place != .none || !CombinedLayout.isPlain(head) { readHead(head, into: fields) }
      return .request
    }

    @inline(never) private mutating func readHead(_ line: TextField, into fields: borrowing WebLine)
    {
      let own = LogPrefix.removed(from: line)
      if own.next != line.trimmed.next { prefixes += 1 }
      let head = CombinedHead(own)
      switch (layout.place, head.shape) {
      case (_, .host) where layout.takesFront, (.front, .name): fields[.host] = head.first
      case (.front, .address) where layout.takesAddresses: fields[.host] = head.first
      case (.second, .plain) where head.second.isHostName: fields[.host] = head.second
      case (.last, _) where head.last.isHostName: fields[.host] = head.last
      case (_, .host): names += 1
      case (_, .clients), (_, .address): clients += 1
      default: break
      }
      if !fields[.host].isEmpty {
        hosts += 1
      } else if layout.place != .none {
        bare += 1
      }
    }

    func problem(_ line: TextField) -> String {
      "expected a line such as \(layout.place.rawValue), found \(line.quoted)"
    }

    var kinds: [(text: String, lines: Int)] {
      [
        ("a virtual host is part of the key (host=false excludes it)", hosts),
        ("no virtual host, unlike most lines", bare),
        (
          "several client addresses in front, no virtual host (log-format='%v %h %l %u %t \"%r\" "
            + "%>s %b' reads the first field as one)", clients
        ),
        ("many different names in front, read as clients and not as hosts", names),
        ("the prefix of a logger (syslog, a container) is ignored", prefixes),
      ].filter { $0.1 > 0 }
    }
  }

  @inline(__always) static func isPlain(_ head: TextField) -> Bool {
    var blanks = 0
    var rest = head
    while let byte = rest.takeByte() {
      if byte == 0x20 { blanks += 1 } else if byte == 0x2C || byte == 0x09 { return false }
    }
    return blanks == 3
  }
}

extension CombinedLayout {
  fileprivate struct HostVotes {
    var names: Set<String> = []
    var lines = 0

    mutating func add(_ name: TextField) {
      lines += 1
      names.insert(name.text.lowercased())
    }

    mutating func add(_ other: HostVotes) {
      lines += other.lines
      names.formUnion(other.names)
    }

    /// True if the names are too many for hosts: a server has fewer names than its log has lines.
    var areTooMany: Bool { names.count > 10 && names.count * 2 > lines }
  }

  fileprivate struct Votes {
    var fitting = 0
    var cacheStatuses = 0
    var hasCacheStatus: Bool { cacheStatuses * 10 > fitting }
    var hosts: [HostPlace: HostVotes] = [:]
    var addresses = HostVotes()
    var clients = 0
    var prefix: String?

    mutating func add(_ line: TextField) {
      guard line.next.pointee != 0x7B, let time = CombinedLayout.time(in: line),
        LogTime.microseconds(time) != nil
      else { return }
      var rest = TextField(time.end + 1, line.end)
      rest.skipBlanks()
      guard !rest.isEmpty else { return }
      var between = TextField(line.next, line.next)
      if rest.next.pointee != 0x22 { between = rest.takeField().unquoted }
      rest.skipBlanks()
      guard rest.takeByte() == 0x22, rest.next.pointee != 0x22, let end = rest.endOfQuoted()
      else { return }
      rest = TextField(end + 1, line.end)
      let status = rest.takeField()
      guard status.count == 3, status.isNumber else { return }
      fitting += 1
      _ = rest.takeField()
      if CombinedLayout.cacheStatus(in: rest) != nil { cacheStatuses += 1 }
      if between.isFullHostName { hosts[.behindTime, default: HostVotes()].add(between) }
      let head = TextField(line.next, time.next - 1).trimmed
      let own = LogPrefix.removed(from: head)
      if prefix == nil, own.next != head.next { prefix = TextField(head.next, own.next).quoted }
      add(CombinedHead(own))
    }

    private mutating func add(_ head: CombinedHead) {
      switch head.shape {
      case .host: hosts[.front, default: HostVotes()].add(head.first)
      case .address: addresses.add(head.first)
      case .clients: clients += 1
      case .plain where head.count == 3 && head.second.isFullHostName:
        hosts[.second, default: HostVotes()].add(head.second)
      case .plain where head.count > 3 && head.last.isFullHostName:
        hosts[.last, default: HostVotes()].add(head.last)
      default: break
      }
    }

    func findings(_ place: HostPlace, takesFront: Bool) -> [String] {
      var findings: [String] = []
      if let hosts = hosts[place], let name = hosts.names.min() {
        findings.append(
          "virtual hosts, such as '\(name)', in \(hosts.lines) of the first \(fitting) lines")
      } else if let front = hosts[.front] {
        findings.append(
          takesFront
            ? "\(front.lines) of the first \(fitting) lines have a virtual host in front"
            : "\(front.names.count) different names are in front of the first \(fitting) lines; "
              + "they are read as clients")
      }
      if clients > 0 {
        findings.append(
          "\(clients) of the first \(fitting) lines have several client addresses in front, none "
            + "of them a virtual host")
      }
      if hasCacheStatus {
        findings.append(
          "words behind the bytes are results of a cache, such as HIT, in \(cacheStatuses) of the "
            + "first \(fitting) lines")
      }
      if let prefix { findings.append("the prefix of a logger, such as \(prefix), is ignored") }
      return findings
    }
  }
}

/// Fields before the time of a line in the common log format, by their content.
struct CombinedHead {
  enum Shape {
    /// Client, ident and user. User names may contain blanks.
    case plain
    case host
    case name
    case address
    /// Several leading addresses: the content of X-Forwarded-For, before or instead of the client.
    case clients
  }

  private(set) var shape = Shape.plain
  let first: TextField
  let second: TextField
  private(set) var last: TextField
  private(set) var count = 0

  init(_ head: TextField) {
    var rest = head
    var third = TextField(head.end, head.end)
    (first, second) = (rest.takeField().unquoted.withoutBrackets, rest.takeField().unquoted)
    last = second
    count = (first.isEmpty ? 0 : 1) + (second.isEmpty ? 0 : 1)
    while true {
      let field = rest.takeField()
      if field.isEmpty { break }
      if count == 2 { third = field.unquoted }
      last = field.unquoted
      count += 1
    }
    guard count > 3 || CombinedHead.isList(first) else { return }
    let isBeforeClient = CombinedHead.isClients(second)
    if first.isHostName {
      let isBeforePort = second.isNumber && CombinedHead.isClients(third)
      let isHost = isBeforeClient || isBeforePort || second.isFullHostName
      shape = isHost ? .host : .name
    } else if first.isServerAddress, isBeforeClient {
      shape = .address
    } else if isBeforeClient || CombinedHead.isList(first) {
      shape = .clients
    }
  }

  private static func isClients(_ field: TextField) -> Bool { field.isAddress || isList(field) }

  private static func isList(_ field: TextField) -> Bool { field.find(0x2C) != nil }
}
