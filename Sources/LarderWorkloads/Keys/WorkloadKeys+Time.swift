import LarderEngine

extension WorkloadKeys {
  /// Fetches and reads from disk that take time.
  static let time = Section<FetchSpec>(
    "fetches", "Fetches take time: requests for an object in flight wait for its fetch.",
    expected: "a map such as {fetch: 100ms, servers: 8}",
    keys: [
      Key(
        "fetch", .fetch,
        "what a fetch from the origin takes: a time, a list of times, a distribution as in "
          + "[latency](#latency) (drawn for each fetch by seed, the same for every policy), or a "
          + "number of requests, for traces without times",
        default: .required, example: "100ms"
      ) { read, spec, _ in (spec.fetch, spec.clock) = (read.fetch, read.clock) },
      Key(
        "disk", .fetch,
        "kinds `disk` and `hybrid`: what reading an object from disk takes, in the forms of "
          + "`fetch`; the object is in flight meanwhile", default: "hits on disk wait for nothing",
        example: "100us"
      ) { read, spec, _ in spec.setDiskRead(read) },
      Key(
        "bandwidth", .bandwidth, \.bytesPerSecond,
        "bytes per second of one fetch, in addition to `fetch`", default: "no limit",
        example: "100MB/s"),
      Key(
        "servers", .whole(1...FetchModel.serversMax), \.servers,
        "fetches that the origin serves at the same time; others wait in one queue",
        default: "no limit", example: "8"),
      Key(
        "coalescing", .boolean, \.coalesces,
        "whether requests for an object in flight wait for that fetch (delayed hits); otherwise "
          + "each makes its own", default: "`true`", example: "false"),
    ])
}

extension Form where Value == FetchSpec {
  /// What a fetch takes.
  fileprivate static var fetch: Form {
    let access = Form<AccessLatency>.access
    let requests = ValueShape.text(#"[0-9][0-9_]* ?requests"#)
    return Form(access.shape.or(requests)) { value, reading in
      if value.type == .string,
        let spec = FetchSpec.fetch(parsing: try value.text(expected: "a time"))
      {
        return spec
      }
      let latency = try access.read(value, reading)
      guard latency.nanosecondsPerByte == 0 else {
        throw value.error(
          .refused("'per-byte' and 'throughput' do not apply here; fetches may have 'bandwidth'"))
      }
      return FetchSpec(fetch: latency.base)
    }
  }
}

extension Form where Value == UInt64 {
  fileprivate static var bandwidth: Form {
    Form(.text(#"[0-9][0-9_]*(\.[0-9]+)? ?([KkMmGgTt][Ii]?)?[Bb]/s"#)) { value, _ in
      let expected = "bytes per second such as 100MB/s"
      let text = try value.text(expected: expected)
      guard let bytes = FetchSpec.bandwidth(parsing: text) else {
        throw value.unexpected(expected)
      }
      return bytes
    }
  }
}
