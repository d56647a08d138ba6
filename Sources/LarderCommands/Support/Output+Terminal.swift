import Foundation
import LarderReports

extension Output {
  /// What pictures may be made of: where results do not go to a terminal, lines of 80 characters.
  static var pictureTerminal: CurvePicture.Terminal {
    CurvePicture.Terminal(width: width, hasColour: usesColour, hasUnicode: hasUnicode)
  }

  /// Columns of the terminal, or 80.
  private static var width: Int {
    var size = winsize()
    let known = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return known ? Int(size.ws_col) : 80
  }

  /// Whether the locale says UTF-8: the first of its variables that is set counts.
  private static var hasUnicode: Bool {
    let environment = ProcessInfo.processInfo.environment
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }
}
