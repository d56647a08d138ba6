import LarderEngine
import LarderTraces

extension FuzzTarget {
  /// Any file: compression and format are detected from its content.
  static let anyFormat = FuzzTarget("format-any", lengthMax: 2048) { input in
    let path = try FuzzScratch.write(input, to: "unknown")
    try TraceProperties.check(path: path, format: nil)
  }

  /// The first line is a log format in the syntax of nginx or Apache, and the rest a log.
  static let logFormat = FuzzTarget("log-format", lengthMax: 2048) { input in
    let pattern = input.prefix { $0 != 0x0A }
    let path = try FuzzScratch.write(input.dropFirst(pattern.count + 1), to: "log")
    let spec = ComponentSpec(
      name: "combined", values: ["log-format": String(decoding: pattern, as: UTF8.self)])
    try TraceProperties.check(path: path, format: spec)
  }

  /// A prepared trace with corrected lengths and checksums, so that the code after their check is
  /// reached.
  static let prepared = FuzzTarget("prepared") { input in
    let path = try FuzzScratch.write(SealedBytes.prepared(input), to: "prepared.larder")
    try TraceProperties.check(path: path, format: ComponentSpec(name: "larder"))
  }

  static let recording = FuzzTarget("recording") { input in
    let path = try FuzzScratch.write(SealedBytes.recording(input), to: "trace.recorded")
    try TraceProperties.check(path: path, format: ComponentSpec(name: "recorded"))
  }
}
