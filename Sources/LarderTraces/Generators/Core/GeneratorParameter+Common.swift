extension GeneratorParameter {
  /// More objects than a prepared trace can number are refused.
  static let objectsMax = 4_294_967_294

  /// How many objects there are.
  static func objects(
    default value: String, _ summary: String = "Number of distinct objects.", origin: String = ""
  ) -> GeneratorParameter {
    GeneratorParameter("objects", .count(1...objectsMax), default: value, summary, origin: origin)
  }

  /// The exponent of Zipf's law.
  static func exponent(
    default value: String,
    _ summary: String = "Exponent of Zipf's law; 0 makes all objects equally popular.",
    origin: String = ""
  ) -> GeneratorParameter {
    GeneratorParameter(
      "exponent", .number(0...Double.greatestFiniteMagnitude), default: value, summary,
      origin: origin)
  }
}
