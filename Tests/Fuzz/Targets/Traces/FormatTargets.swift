import LarderEngine
import LarderTraces

/// A target for each trace format of the registry, so that new formats are fuzzed automatically.
///
/// An input is a file of the format. If it begins with `%`, the first line is options, as in
/// `%time=1:id=2`, and the file follows.
enum FormatTargets {
  static let all: [FuzzTarget] = FormatRegistry.standard.map { format in
    let name = format.description.name
    return FuzzTarget("format/\(name)") { input in
      var (options, file) = ("", input[...])
      if input.first == UInt8(ascii: "%") {
        let line = input.dropFirst().prefix { $0 != 0x0A }
        options = ":" + String(decoding: line, as: UTF8.self)
        file = input.dropFirst(line.count + 2)
      }
      let path = try FuzzScratch.write(file, to: "trace")
      let spec = try accepted(or: ComponentError.self) {
        try ComponentSpec(parsing: name + options)
      }
      if let spec { try TraceProperties.check(path: path, format: spec) }
    }
  }
}
