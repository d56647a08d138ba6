/// A library that trains regression trees by gradient boosting, for the policies that learn a model
/// (`PolicyRegistry.learned`).
///
/// The engine has none of its own. A program provides one with `provide(_:)`; the module
/// `LarderLearning` loads LightGBM. Only training calls it: a trained model is `BoostedTrees`,
/// which the engine evaluates itself.
public struct GradientBoosting: Sendable {
  /// Trains a model on rows with labels. The same rows and parameters must give the same model, and
  /// several threads may train at once.
  public typealias Trainer =
    @Sendable (borrowing TrainingRows, Parameters) throws(BoostingError) -> BoostedTrees

  /// How a model is trained: for least squares, with a part of the features for each tree and a
  /// part of the rows, drawn anew every few trees.
  public struct Parameters: Sendable, Hashable {
    /// Trees in the model, 1 or more.
    public var trees: Int
    /// Leaves of a tree, 2 or more.
    public var leaves = 32
    /// What is added of each tree, above 0.
    public var learningRate = 0.1
    /// Share of the features that one tree may use.
    public var featureShare = 0.8
    /// Share of the rows that one tree sees.
    public var rowShare = 0.8
    /// Trees after which other rows are drawn.
    public var rowPeriod = 5
    /// The seed of these draws, from 0 to 2^31 - 1.
    public var seed: Int32

    /// The parameters of LRB and 3L-Cache, which differ in the number of trees.
    public init(trees: Int, seed: UInt64) {
      self.trees = trees
      self.seed = Int32(truncatingIfNeeded: seed & 0x7FFF_FFFF)
    }

    /// The memory of the largest model, in bytes. How large one is depends on its examples.
    var modelBytes: Int { BoostedTrees.bytes(trees: trees, leaves: leaves) }
  }

  /// The library with its version, as a person would name it.
  public let name: String
  /// Trains a model.
  public let train: Trainer

  /// A library; see the properties.
  public init(name: String, train: @escaping Trainer) {
    self.name = name
    self.train = train
  }

  /// Takes the place of what is provided, for a task: tests train with a stand-in.
  @TaskLocal package static var substitute: GradientBoosting?

  private static let provided = Locked<Provider>(.none)

  /// Sets where the library comes from. `make` is called at most once: when the first learned
  /// policy is made.
  public static func provide(
    _ make: @escaping @Sendable () throws(BoostingError) -> GradientBoosting
  ) {
    provided.withLock { $0 = .unused(make) }
  }

  /// The library that the program provides.
  ///
  /// - Throws: `unavailable` with the reason.
  public static func current() throws(BoostingError) -> GradientBoosting {
    if let substitute { return substitute }
    return try provided.withLock { (provider) throws(BoostingError) in
      if case .unused(let make) = provider {
        do throws(BoostingError) {
          provider = .made(.success(try make()))
        } catch {
          provider = .made(.failure(error))
        }
      }
      guard case .made(let result) = provider else {
        throw .unavailable("a gradient boosting library, which this program does not provide")
      }
      return try result.get()
    }
  }

  private enum Provider {
    case none
    case unused(@Sendable () throws(BoostingError) -> GradientBoosting)
    case made(Result<GradientBoosting, BoostingError>)
  }
}
