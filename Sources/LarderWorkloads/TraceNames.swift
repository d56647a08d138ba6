/// Names of traces in results, which know traces by their names alone.
package enum TraceNames {
  /// `name` where it is free, or else the path, or the name with a number.
  package static func distinct(_ name: String, path: String, taken: Set<String>) -> String {
    var distinct = name
    var number = 1
    while taken.contains(distinct) {
      distinct = number == 1 ? path : "\(name) (\(number))"
      number += 1
    }
    return distinct
  }
}
