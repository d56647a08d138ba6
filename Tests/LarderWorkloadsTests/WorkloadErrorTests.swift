import Testing

@testable import LarderExperiments

/// Files that are invalid as a whole or at their top level, with the exact line that a user sees.
@Suite struct WorkloadErrorTests {
  @Test(arguments: [
    Case(
      "",
      """
      w.yaml: expected a map of keys, found an empty file
      """),
    Case(
      "# only a remark\n",
      """
      w.yaml: expected a map of keys, found an empty file
      """),
    Case(
      "null\n",
      """
      w.yaml: expected a map of keys, found an empty file
      """),
    Case("- a\n- b\n", "w.yaml:1: expected a map with the key 'source', found a list"),
    Case("\nhello\n", "w.yaml:2: expected a map with the key 'source', found 'hello'"),
    Case(
      """
      name: [a
      b: c

      """,
      """
      w.yaml:2: not valid YAML: did not find expected ',' or ']' while parsing a flow sequence \
      on line 1
      """),
    Case(
      """
      name: a
      \tseeds: 1

      """,
      """
      w.yaml:2: not valid YAML: found a tab character that violates indentation while scanning a \
      plain scalar on line 1
      """),
    Case(
      """
      name: a
      --- 
      name: b

      """,
      "w.yaml:2: not valid YAML: a second document starts here; keep one"),
    Case("name: *nobody\n", "w.yaml:1: not valid YAML: found undefined alias"),
    Case("name: a\u{1}b\n", "w.yaml:1: not valid YAML: control characters are not allowed"),
    Case(
      """
      name: a
      source: {}
      name: b

      """,
      "w.yaml:1: key 'name' occurs again on line 3 in the same map; keep one"),
    Case("a: {b: 1, b: 2}\n", "w.yaml:1: key 'b' occurs again in the same map; keep one"),
    Case("name: a\n", "w.yaml:1: key 'source' is missing"),
    Case("? [a]\n: b\n", "w.yaml:1: expected a key, found a list"),
    Case(
      "<<: {}\n",
      """
      w.yaml:1: unknown key '<<'; known are name, description, source, unit, ignore-size, \
      configurations, policies, capacities, seeds, warm-up, prefix, latency, repetitions, mode, \
      execute, check, advise, reports
      """),
  ])
  func wholeFiles(_ example: Case) {
    #expect(Case.message(example.yaml) == example.message)
  }

  @Test(arguments: [
    Case("polices: [lru]", "w.yaml:4: unknown key 'polices'; known are"),
    Case("sedes: [1]", "w.yaml:4: unknown key 'sedes'; did you mean 'seeds'?"),
    Case("warmup: 10%", "w.yaml:4: unknown key 'warmup'; did you mean 'warm-up'?"),
    Case(
      "name: ../up",
      "w.yaml:4: name: expected a name of letters, digits, '-', '_' and '.', found '../up'"),
    Case(
      "name: 12",
      """
      w.yaml:4: name: expected a name of letters, digits, '-', '_' and '.' in quotes, found '12'
      """),
    Case(
      "name:",
      "w.yaml:4: name: expected a name of letters, digits, '-', '_' and '.', found nothing"),
    Case("description: [a]", "w.yaml:4: description: expected a text, found a list"),
    Case(
      "unit: byte",
      "w.yaml:4: unit: expected one of objects, bytes, found 'byte'; did you mean 'bytes'?"),
    Case("ignore-size: maybe", "w.yaml:4: ignore-size: expected true or false, found 'maybe'"),
    Case(
      "unit: bytes\nignore-size: true",
      """
      w.yaml:5: ignore-size: 'ignore-size' and 'unit: bytes' exclude each other; remove one
      """),
    Case("seeds: []", "w.yaml:4: seeds: expected a list of whole numbers, found an empty list"),
    Case(
      "seeds: [1, two]",
      "w.yaml:4: seeds[2]: expected a whole number, at least 0, found 'two'"),
    Case("seeds: [-1]", "w.yaml:4: seeds[1]: expected a whole number, at least 0, found '-1'"),
    Case("seeds: {a: 1}", "w.yaml:4: seeds: expected a list of whole numbers, found a map"),
    Case(
      "warm-up: often",
      """
      w.yaml:4: warm-up: expected none, a number of requests, a share such as 10%, or \
      until-full, found 'often'
      """),
    Case(
      "warm-up: 100%",
      """
      w.yaml:4: warm-up: expected none, a number of requests, a share such as 10%, or \
      until-full, found '100%'
      """),
    Case(
      "warm-up: -0.5",
      """
      w.yaml:4: warm-up: expected none, a number of requests, a share such as 10%, or \
      until-full, found '-0.5'
      """),
    Case(
      "repetitions: 0",
      "w.yaml:4: repetitions: expected a whole number from 1 to 1000, found '0'"),
    Case(
      "mode: [simulate, dream]",
      "w.yaml:4: mode[2]: expected one of simulate, execute, found 'dream'"),
    Case(
      "mode: exceute",
      """
      w.yaml:4: mode: expected one of simulate, execute, found 'exceute'; did you mean 'execute'?
      """),
    Case(
      "reports: [markdwon]",
      """
      w.yaml:4: reports[1]: expected one of counts, timings, json, markdown, html, found \
      'markdwon'; \
      did you mean 'markdown'?
      """),
    Case(
      "reports: counts,json",
      """
      w.yaml:4: reports: expected a list of reports in brackets, such as [a, b], found \
      'counts,json'
      """),
  ])
  func topLevel(_ example: Case) {
    let message = Case.message(Case.start + example.yaml)
    if example.message.hasSuffix("known are") {
      #expect(message?.hasPrefix(example.message) == true)
    } else {
      #expect(message == example.message)
    }
  }
}
