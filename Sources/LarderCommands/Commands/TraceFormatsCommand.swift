import ArgumentParser
import LarderTraces

/// `larder trace formats`: what can be read.
struct TraceFormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats", abstract: "List every trace format with its layout and options.")

  func run() throws {
    for format in FormatRegistry.all.map(\.description) {
      var text = "\(format.name)\n" + PolicyText.wrapped(format.summary)
      text += PolicyText.wrapped("Layout: \(format.layout)")
      for parameter in format.parameters {
        text += PolicyText.wrapped(
          "\(parameter.name)=\(parameter.fallback)  \(parameter.meaning)")
      }
      Output.line(text)
    }
  }
}
