import LarderEngine

/// All generators, by name. Adding one is a file in `Generators/` and a line in `all`.
public enum GeneratorRegistry {
  /// Every generator, in the order in which lists show them.
  public static let all: [RegisteredGenerator] =
    [
      RegisteredGenerator(ZipfGenerator.self),
      RegisteredGenerator(UniformGenerator.self),
      RegisteredGenerator(SequentialGenerator.self),
      RegisteredGenerator(LoopGenerator.self),
      RegisteredGenerator(ScanGenerator.self),
      RegisteredGenerator(HotSpotGenerator.self),
      RegisteredGenerator(LatestGenerator.self),
      RegisteredGenerator(ShiftingGenerator.self),
      RegisteredGenerator(OneHitWondersGenerator.self),
      RegisteredGenerator(NewsFeedGenerator.self),
      RegisteredGenerator(ProductImagesGenerator.self),
      RegisteredGenerator(ChatGenerator.self),
      RegisteredGenerator(PromptGenerator.self),
    ] + YCSBWorkload.all.map { YCSBGenerator.registered($0) }

  /// The generator with the name.
  ///
  /// - Throws: `ComponentError` with the nearest name when there is none. Complexity:
  ///   O(generators).
  public static func generator(
    named name: String
  ) throws(ComponentError) -> RegisteredGenerator {
    let known = all.map(\.description.name)
    if let index = known.firstIndex(of: name) { return all[index] }
    let hint = name.nearest(among: known).map { "did you mean '\($0)'?" }
    throw ComponentError(
      component: name, parameter: nil,
      message: "unknown generator; \(hint ?? "known are \(known.joined(separator: ", "))")")
  }
}
