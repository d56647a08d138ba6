/// A generator in the registry: its description, and the way to make it.
public struct RegisteredGenerator: Sendable {
  /// Name, parameters, columns and where it comes from.
  public let description: GeneratorDescription
  /// Makes it from its parameters.
  let make: @Sendable (GeneratorSetup) throws(ComponentError) -> GeneratorPlan

  /// One of several generators that share their code.
  init(
    _ description: GeneratorDescription,
    make: @escaping @Sendable (GeneratorSetup) throws(ComponentError) -> GeneratorPlan
  ) {
    self.description = description
    self.make = make
  }

  /// A generator with a file of its own.
  init(_ generator: (some Generator).Type) {
    description = generator.description
    make = { setup throws(ComponentError) in try generator.plan(setup) }
  }
}

/// What a generator's file provides.
protocol Generator: SendableMetatype {
  /// What it says of itself.
  static var description: GeneratorDescription { get }
  /// Reads its parameters.
  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan
}
