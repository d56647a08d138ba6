import LarderExperiments
import LarderSupport

/// The course of a policy that chooses among others: its hit ratio, and below it a strip with the
/// policy in charge.
struct StripChart: Chart {
  var title: String
  var caption: String
  var course: ChoiceCourse
  /// The styles of the policies.
  var styles: PolicyStyles

  /// Returns the drawing.
  func svg(_ options: ChartOptions) -> String {
    var canvas = SVGCanvas(isStyled: !options.isFile)
    ChartHeader.draw(self, on: &canvas, options)
    let ratios = course.parts.map(\.hitRatio)
    let axis = ChartAxis(title: "hit ratio", unit: .percent)
    let top = ChartHeader.height(self, options) + 26
    let bottom = top + (options.isNarrow ? 120 : 150)
    let y = ChartScale(axis, values: ratios + [0], from: bottom, to: top)
    let left = (y.ticks.map { ChartText.width($0.label, size: SVGCanvas.textSize) }.max() ?? 0) + 14
    let right = options.width - 14
    canvas.text(axis.title, 0, top - 14, className: "m")
    for tick in y.ticks {
      canvas.line(left, y.place(tick.value), right, y.place(tick.value), className: "g")
      canvas.text(tick.label, left - 8, y.place(tick.value) + 4, anchor: .end, className: "m")
    }
    func x(_ part: Int) -> Double {
      left + (right - left) * Double(part) / Double(max(1, course.parts.count))
    }
    var points: [(x: Double, y: Double)] = []
    for (part, ratio) in ratios.enumerated() {
      points += [(x(part), y.place(ratio)), (x(part + 1), y.place(ratio))]
    }
    canvas.open("series", colour: .neutral)
    canvas.polyline(points, className: "l")
    canvas.close()
    for run in course.runs {
      let name = course.policies[run.leading]
      canvas.open("series", colour: styles[name].colour, series: name)
      canvas.rectangle(
        x(run.parts.lowerBound), bottom + 8, x(run.parts.upperBound) - x(run.parts.lowerBound), 16,
        className: "s k", label: "\(name): \(run.words(of: course))")
      canvas.close()
    }
    canvas.text(
      "requests, from first to last", (left + right) / 2, bottom + 42, anchor: .middle,
      className: "m")
    let shown = Set(course.parts.map(\.leading)).sorted().map { course.policies[$0] }
    let height = ChartLegend(shown.map { ($0, styles[$0]) }).draw(
      on: &canvas, from: bottom + 54, width: options.width)
    return canvas.svg(
      title: title,
      description:
        "Line of the hit ratio over the requests, and a strip with the policy in charge: "
        + "\(shown.joined(separator: ", ")). \(caption)", height: height, options: options)
  }
}

extension ChoiceCourse.Part {
  /// Hits divided by gets.
  var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
}

extension ChoiceCourse {
  /// Successive parts in which one policy is in charge.
  struct Run {
    var leading: Int
    var parts: Range<Int>

    /// Its share of the requests: `from 12 to 40 %`.
    func words(of course: ChoiceCourse) -> String {
      "from \(percent(parts.lowerBound, course)) to \(percent(parts.upperBound, course)) % "
        + "of the requests"
    }

    /// The end of a part as a percentage of the requests.
    func percent(_ part: Int, _ course: ChoiceCourse) -> String {
      NumberText.fixed(Double(part) * 100 / Double(max(1, course.parts.count)), decimals: 0) ?? "–"
    }

    /// Hits divided by gets.
    func hitRatio(of course: ChoiceCourse) -> Double {
      let own = course.parts[parts]
      let requests = own.reduce(0.0) { $0 + Double($1.requests) }
      return requests == 0 ? 0 : own.reduce(0.0) { $0 + Double($1.hits) } / requests
    }
  }

  /// The parts, with neighbours of one policy taken together.
  var runs: [Run] {
    var runs: [Run] = []
    for (number, part) in parts.enumerated() {
      if runs.last?.leading == part.leading {
        runs[runs.count - 1].parts = runs[runs.count - 1].parts.lowerBound..<number + 1
      } else {
        runs.append(Run(leading: part.leading, parts: number..<number + 1))
      }
    }
    return runs
  }
}
