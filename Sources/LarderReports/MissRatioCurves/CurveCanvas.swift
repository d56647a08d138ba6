/// Characters in rows and columns, each perhaps of one series: a grid that curves are drawn on.
struct CurveCanvas {
  private let columns: Int
  private let rows: Int
  private let hasDots: Bool
  private var characters: [Character?]
  private var dots: [UInt32]
  private var series: [Int?]

  /// An empty grid. With dots a character is two of them across and four upwards.
  init(columns: Int, rows: Int, hasDots: Bool) {
    self.columns = columns
    self.rows = rows
    self.hasDots = hasDots
    characters = Array(repeating: nil, count: columns * rows)
    dots = Array(repeating: 0, count: columns * rows)
    series = Array(repeating: nil, count: columns * rows)
  }

  /// Places across that a dot can have.
  var dotColumns: Int { hasDots ? columns * 2 : columns }

  /// The character at a place, and the series it belongs to; row 0 is at the top.
  subscript(column: Int, row: Int) -> (Character, Int?) {
    let place = row * columns + column
    if let character = characters[place] { return (character, series[place]) }
    guard dots[place] != 0, let scalar = Unicode.Scalar(0x2800 + dots[place]) else {
      return (" ", nil)
    }
    return (Character(scalar), series[place])
  }

  /// Draws a dot of a series, or where there are none its mark, at a hit ratio: 0, a miss ratio of
  /// 1, is at the top. What an earlier series has drawn keeps its colour and its mark.
  mutating func dot(column: Int, height: Double, series number: Int, mark: Character) {
    let height = min(1, max(0, height))
    guard (0..<dotColumns).contains(column) else { return }
    if hasDots {
      let y = Int((height * Double(rows * 4 - 1)).rounded())
      let place = (y / 4) * columns + column / 2
      // The bits of Unicode's braille patterns, by column and row.
      let bits: [[UInt32]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
      dots[place] |= bits[column % 2][y % 4]
      series[place] = series[place] ?? number
    } else {
      let place = Int((height * Double(rows - 1)).rounded()) * columns + column
      guard characters[place] == nil else { return }
      characters[place] = mark
      series[place] = number
    }
  }

  /// Puts a character over what is there.
  mutating func mark(column: Int, row: Int, series number: Int, with character: Character) {
    guard (0..<columns).contains(column), (0..<rows).contains(row) else { return }
    characters[row * columns + column] = character
    series[row * columns + column] = number
  }
}
