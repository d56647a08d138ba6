/// A chart in its place in a report.
struct ChartFigure: Sendable {
  /// Its name among the charts of the report: letters, digits and hyphens.
  var name: String
  /// The chart.
  let chart: any Chart

  /// A chart and the words that its name is made of, which may come from anywhere.
  init(_ words: [String], _ chart: any Chart) {
    name = Self.slug(words)
    self.chart = chart
  }

  /// Where the file is, as seen from the report.
  var fileName: String { "\(Self.folder)/\(name).svg" }

  /// Where the files are, as seen from the report.
  static let folder = "charts"

  /// The longest name, without what tells equal ones apart.
  private static let nameMax = 80

  /// Words as a name that means nothing to a file system, an address or a markup.
  static func slug(_ words: [String]) -> String {
    var name = ""
    for character in words.joined(separator: "-").lowercased() {
      let isKept = character.isASCII && (character.isLetter || character.isNumber)
      if isKept { name.append(character) } else if !name.hasSuffix("-") { name.append("-") }
    }
    let trimmed = name.prefix(nameMax).drop { $0 == "-" }
    let end = trimmed.lastIndex { $0 != "-" }
    return end.map { String(trimmed[...$0]) } ?? "chart"
  }
}

extension [Block] {
  /// The charts among the blocks, in their order.
  var figures: [ChartFigure] {
    flatMap { block -> [ChartFigure] in
      switch block {
      case .chart(let figure): [figure]
      case .fold(_, let blocks): blocks.figures
      default: []
      }
    }
  }

  /// The blocks with every chart's name its own: later ones have a number. `taken` are the names
  /// that others have.
  func withOwnNames(_ taken: inout Set<String>) -> [Block] {
    map { block in
      switch block {
      case .chart(var figure):
        let name = figure.name
        var number = 1
        while !taken.insert(figure.name).inserted {
          number += 1
          figure.name = "\(name)-\(number)"
        }
        return .chart(figure)
      case .fold(let title, let blocks): return .fold(title, blocks.withOwnNames(&taken))
      default: return block
      }
    }
  }

  /// The blocks with tables that are too wide to be read as several, each with the names of the
  /// lines.
  var narrow: [Block] {
    flatMap { block -> [Block] in
      switch block {
      case .table(let table): table.parts.map { .table($0) }
      case .fold(let title, let blocks): [.fold(title, blocks.narrow)]
      default: [block]
      }
    }
  }
}
