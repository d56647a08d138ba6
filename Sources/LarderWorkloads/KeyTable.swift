/// The keys that one kind of map in a workload file may have. Declared once: the decoder refuses
/// all others, and a test compares the JSON Schema with it.
package struct KeyTable: Sendable, Hashable {
  /// What the map is; also the name of its definition in the schema.
  package let name: String
  /// The keys in the order in which to list them.
  package let keys: [Key]
  /// Whether further keys belong to a component and are its own to check.
  package let isOpen: Bool

  /// One key.
  package struct Key: Sendable, Hashable {
    /// The name as typed.
    package let name: String
    /// The types its value may have.
    package let types: [ValueType]
    /// Whether it must be there.
    package let isRequired: Bool
    /// The words allowed as text, when only some are.
    package let choices: [String]

    /// A key; optional unless said otherwise.
    init(_ name: String, _ types: ValueType..., required: Bool = false, choices: [String] = []) {
      self.name = name
      self.types = types
      isRequired = required
      self.choices = choices
    }
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

  /// A table; closed unless said otherwise.
  init(_ name: String, isOpen: Bool = false, _ keys: Key...) {
    self.init(name, isOpen: isOpen, keys: keys)
  }

  init(_ name: String, isOpen: Bool = false, keys: [Key]) {
    self.name = name
    self.isOpen = isOpen
    self.keys = keys
  }

  /// The names of the keys.
  package var names: [String] { keys.map(\.name) }
}
