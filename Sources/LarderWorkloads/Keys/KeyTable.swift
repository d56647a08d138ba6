import LarderTraces

/// The keys of one kind of map in a workload file. The decoder accepts them, the JSON schema and
/// docs/workloads.md are written from them.
package struct KeyTable: Sendable {
  /// The name of the map's definition in the schema.
  package let name: String
  /// What the map is, in a sentence.
  package let summary: String
  /// The keys in the order in which they are listed and read.
  package let keys: [Key]
  /// Keys of which no two may be given together.
  let exclusive: [String]
  /// Components whose parameters are keys of the map too; nil for a map without such keys.
  let components: Components?
  /// Further rules of the schema, for conditions between keys.
  let rules: JSONNode

  /// One key.
  package struct Key: Sendable {
    /// The name as typed.
    package let name: String
    /// How its value is written.
    let shape: ValueShape
    /// Whether it must be given.
    package let isRequired: Bool
    /// Its meaning, in Markdown.
    let meaning: String
    /// What applies without it, in Markdown.
    let defaultText: String
    /// A value as one would type it; empty for none.
    let example: String

    /// The types that its value may have.
    package var types: [ValueType] { shape.types }
    /// The words that are allowed as text, where only some are.
    package var choices: [String] { shape.words }
  }

  /// Components, one of which the value of a key names.
  struct Components: Sendable {
    let key: String
    let all: [(name: String, parameters: [GeneratorParameter])]
  }

  /// The types of YAML and JSON, by the names that JSON Schema gives them.
  package enum ValueType: String, Sendable, Hashable, CaseIterable {
    /// Text.
    case string
    /// A whole number.
    case integer
    /// Any number.
    case number
    /// `true` or `false`.
    case boolean
    /// A list.
    case array
    /// A map.
    case object
  }

  /// The names of the keys.
  package var names: [String] { keys.map(\.name) }
}
