import ArgumentParser
import LarderTraces

/// `larder trace generators`: what can be generated.
struct TraceGeneratorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generators", abstract: "List every generator with its parameters.")

  func run() throws {
    for generator in GeneratorRegistry.all.map(\.description) {
      var text = "\(generator.name)\n" + PolicyText.wrapped(generator.summary)
      for parameter in generator.parameters {
        let fallback = parameter.defaultValue ?? ""
        text += PolicyText.wrapped("\(parameter.name)=\(fallback)  \(parameter.summary)")
      }
      Output.line(text + PolicyText.wrapped(generator.source))
    }
  }
}
