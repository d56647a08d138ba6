public import LarderEngine

/// LightGBM (Ke et al., LightGBM: A highly efficient gradient boosting decision tree, NIPS 2017),
/// the library that trains the models of learned policies.
///
/// The library is loaded when it is first needed and not linked, so a program runs without it. It
/// is found where the environment variable `LARDER_LIGHTGBM` says, where the loader looks, or where
/// `pip install lightgbm` puts it.
///
/// Models are trained in one thread and with LightGBM's deterministic settings: the same version of
/// the library gives the same model for the same seed, however many threads train at once. Another
/// version may give another.
public enum LightGBM {
  /// The environment variable that names the library's file.
  public static var variable: String { "LARDER_LIGHTGBM" }

  /// Makes learned policies use LightGBM. Nothing is loaded before the first of them is made.
  public static func provide() {
    GradientBoosting.provide { () throws(BoostingError) in try load() }
  }

  /// Loads the library. Its name has digits of a small model that is trained here: the API does not
  /// say which version it is, and models are what matters. About 20 ms.
  ///
  /// - Throws: `unavailable` with what to install, or `failed`.
  public static func load() throws(BoostingError) -> GradientBoosting {
    let library = try BoostingLibrary.find()
    return GradientBoosting(name: "LightGBM \(try library.fingerprint())") {
      (rows, parameters) throws(BoostingError) in
      try library.train(rows, parameters)
    }
  }
}
