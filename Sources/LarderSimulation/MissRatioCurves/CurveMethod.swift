/// How a curve comes about.
package enum CurveMethod: String, Sendable, Hashable, CaseIterable {
  /// What is exact where that takes seconds, and a miniature simulation elsewhere; with a rate, a
  /// sample of it: SHARDS for LRU, and a miniature simulation for other policies.
  case auto
  /// Exact counts: for LRU from stack distances, in one pass; for other policies, and where stack
  /// distances cannot tell, from a simulation at each capacity.
  case exact
  /// LRU's stack distances in a sample of the objects: Waldspurger, Park, Garthwaite and Ahmad,
  /// Efficient MRC construction with SHARDS, FAST 2015.
  case shards
  /// Any policy on a sample of the objects, with its capacity scaled down alike: Waldspurger,
  /// Saemundsson, Ahmad and Park, Cache modeling and optimization using miniature simulations,
  /// USENIX ATC 2017.
  case miniature
}
