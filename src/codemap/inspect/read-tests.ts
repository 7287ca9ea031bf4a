import type { Node } from 'web-tree-sitter'
import type { MockFacts, TestFacts, TestState } from '../../kernel/code-facts.ts'
import { isNotImplemented, listStatements } from './body-shape.ts'
import type { LanguageShape } from './language-shape.ts'
import { type FunctionNode, readPreface } from './read-functions.ts'
import { excerpt, findAncestor, lineOf, namedChildren, textOf, visit } from './tree.ts'

const TEST_CALL =
  /^(x?(?:it|test|specify)|f?it)(?:\.(?:skip|todo|fixme|only|concurrent|each|failing|fails|serial|parallel))*$/
const SUITE_CALL = /^(?:x?describe|suite|context)(?:\.\w+)*$/
const SKIP_CALL = /^x(?:it|test|describe|specify)|\.(?:skip|todo|fixme)\b/
const SKIP_STATEMENT =
  /^(?:t|b|this|self|pytest|ctx|context|unittest)\.(?:Skip(?:f|Now)?|skip|skipTest)\(|^(?:Assume|Assumptions)\.assumeTrue\(\s*false|^return pytest\.skip\(|^raise (?:unittest\.)?SkipTest/
const SKIP_PREFACE =
  /@(?:pytest\.mark\.|unittest\.)?skip\b(?!if|unless|If|Unless)|@(?:Disabled|Ignore)\b(?!If)|#\[ignore\b|@unittest\.skip\(|@pytest\.mark\.xfail\([^)]*\brun\s*=\s*False|#\[should_skip/
const TEST_PREFACE = /@(?:Test|ParameterizedTest|RepeatedTest)\b|#\[(?:\w+::)?test\b|#\[test_case/

/** Assertions whose outcome does not depend on the code under test. */
const TRIVIAL: readonly RegExp[] = [
  /^(?:await )?expect\(\s*(true|false|1|0|null|undefined|'[^']*'|"[^"]*"|\d+)\s*\)\.(?:not\.)?to(?:Be|Equal|StrictEqual|\.be|\.equal|\.eql|BeTruthy|BeDefined|BeFalsy|BeNull)\b.*$/s,
  /^(?:await )?expect\(\s*([\w.]+)\s*\)\.to(?:Be|Equal|StrictEqual)\(\s*\1\s*\)/,
  /^assert(?:\.ok|\.isTrue|True|!)?\s*\(?\s*(?:true|True|1)\s*(?:,[^)]*)?\)?;?$/,
  /^(?:assert|self\.assert\w*|assert\.\w+|Assert\w*\.\w+|assert_eq!|assertEquals|assertThat|require\.\w+)\s*\(?\s*(?:t,\s*)?(true|false|True|False|1|\d+|"[^"]*"|'[^']*')\s*(?:,|==|===)\s*\1\s*(?:,[^)]*)?\)?;?$/,
  /^(?:self\.assertTrue|Assert\w*\.assertTrue|assertTrue|assert\.True|require\.True)\(\s*(?:t,\s*)?(?:true|True|1 == 1)\s*(?:,[^)]*)?\);?$/,
  /^assert\s+(?:True|1|1 == 1|not False|"[^"]+"|'[^']+')$/,
  /^(?:self\.assertFalse|assertFalse|assert\.False)\(\s*(?:t,\s*)?(?:false|False)\s*\);?$/,
  /^assertThat\((true|false|\d+)\)\.is(?:True|False|EqualTo\(\1\))/,
]
const ASSERTION =
  /^(?:await )?(?:expect|assert|should|self\.assert|self\.fail|Assert|t\.(?:Error|Fatal|Fail|is|true|deepEqual|equal)|require\.|verify\(|chai|cy\.|ok\(|equal\(|deepEqual|assertThat|assert_\w+!?|insta::|check!?|StepVerifier|mockMvc)/

/** Words of an assertion that are not the code under test. */
const ASSERTION_WORD =
  /^(?:await|return|expect|assert(?:True|False|(?:Not)?Equals?|That|Is|IsNot|In|(?:Not)?Null|Same|_eq|_ne|_eq!)?|Assert\w*|self|t|chai|require|not|is|and|or|true|false|True|False|null|None|nil|undefined)$/
/** What a test without an assertion still checks: that nothing fails. */
const CHECKS_BY_RUNNING =
  /\b(?:not|no|never|without|doesn.?t|smoke|safe\w*|compiles?|leaks?|races?|concurren\w*|deadlock|survives?|tolerates?|ignores?)\b/i

/** Go fails a test inside of a condition, which is the assertion. */
const CONDITIONAL = /^t\.(?:Error|Fatal|Fail)|^(?:self\.)?fail\(/
const LITERAL = /["'`\d]|\b(?:true|false|True|False|null|None|nil|undefined)\b/

const LITERAL_VARIABLE =
  /^\s*(?:const |let |var |int |String |boolean )?\s*(\w+)\s*:?=\s*(?:\d+|true|false|True|False|"[^"\n$]*"|'[^'\n$]*');?\s*$/gm

const splitWords = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')

/** `expect(1 + 1).toBe(2)`: nothing in it comes from the code under test. */
function isOfConstants(statement: Node, known: ReadonlySet<string>): boolean {
  const text = textOf(statement, 400)
  if (text.includes('${') || CONDITIONAL.test(text) || !LITERAL.test(text)) return false
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, '')
  // What follows a dot is a matcher.
  return (bare.match(/(?<![.\w$])[A-Za-z_$][\w$]*/g) ?? []).every(
    (word) => ASSERTION_WORD.test(word) || known.has(word),
  )
}

function statementsBelow(body: Node): readonly Node[] {
  const found: Node[] = []
  visit(body, (node) => {
    const isStatement =
      node.type.endsWith('statement') || node.type === 'macro_invocation' || node.type === 'call_expression'
    if (isStatement) found.push(node)
    return true
  })
  return found
}

const OF_TESTS = /test|spec|helper|util|support|assert|expect|fixture|check|verif|matcher|snapshot|approv/i

/** What a test file imports from the code under test: calling it only checks that it does not throw. */
function listImported(root: Node): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [, python, names = '', braced = '', ecma] of textOf(root, 20_000).matchAll(
    /^from\s+([\w.]+)\s+import\s+\(?([\w\s,]+)|^import\s+\{([^}]+)\}\s+from\s+['"]([^'"]+)['"]/gm,
  ))
    if (!OF_TESTS.test(python ?? ecma ?? ''))
      for (const [name] of `${names},${braced}`.matchAll(/\w+/g)) if (!OF_TESTS.test(name)) found.add(name)
  return found
}

/** Go: `t` is not used but for messages, so nothing can fail the test. Elsewhere: things are made, and nothing is done with them. */
function isWithoutCheck(body: Node, statements: readonly Node[], shape: LanguageShape): boolean {
  if (shape.id === 'go') {
    const given = /(\w+)\s+\*?testing\.(?:TB?|[BFM])\b/.exec(body.parent === null ? '' : textOf(body.parent, 200))?.[1]
    return !new RegExp(String.raw`\b${given ?? '[tbf]'}\b|\bpanic\(`).test(
      textOf(body, 20_000).replaceAll(/\b\w+\.(?:Logf?|Helper|Parallel|Name)\(/g, ''),
    )
  }
  const imported = listImported(body.tree.rootNode)
  return statements.every((statement) => {
    const inner = statement.type === 'expression_statement' ? (statement.firstNamedChild ?? statement) : statement
    const callee = /^(?:\w+\s*=\s*|await\s+)?(\w+)\(/.exec(textOf(inner, 200))?.[1]
    if (callee !== undefined && imported.has(callee)) return true
    return shape.declarations.has(inner.type) && !/[!?]\s*[;(]|unwrap|await/.test(textOf(inner, 400))
  })
}

function judgeTest(
  name: string,
  body: Node,
  shape: LanguageShape,
): { readonly state: TestState; readonly detail: string } {
  const statements = listStatements(body, shape).filter((one) => !shape.noise.test(textOf(one, 200).trim()))
  const skip = statements.slice(0, 3).find((one) => SKIP_STATEMENT.test(textOf(one, 200).trim()))
  if (skip !== undefined) return { state: 'skipped', detail: excerpt(skip) }
  const working = statements.filter((one) => !shape.logging.test(textOf(one, 200)))
  if (working.length === 0) return { state: 'empty', detail: 'its body is empty' }
  const [start] = working
  if (start !== undefined && isNotImplemented(start, shape)) return { state: 'empty', detail: excerpt(start) }
  const asserting = statementsBelow(body).filter((one) => ASSERTION.test(textOf(one, 200).trim()))
  if (asserting.length === 0 && !CHECKS_BY_RUNNING.test(splitWords(name)) && isWithoutCheck(body, working, shape))
    return { state: 'trivial', detail: 'it has no assertion' }
  // `const result = 5000`
  const known = new Set([...textOf(body, 20_000).matchAll(LITERAL_VARIABLE)].map(([, variable = '']) => variable))
  const trivial = asserting.filter(
    (one) => isOfConstants(one, known) || TRIVIAL.some((pattern) => pattern.test(textOf(one, 300).trim())),
  )
  const [first] = trivial
  const isTrivial = first !== undefined && trivial.length === asserting.length
  return isTrivial ? { state: 'trivial', detail: excerpt(first) } : { state: 'real', detail: '' }
}

function readCalledTests(root: Node, shape: LanguageShape): readonly TestFacts[] {
  const found: TestFacts[] = []
  const enter = (node: Node, isSkipped: boolean): void => {
    const callee = node.type === 'call_expression' ? (node.childForFieldName('function') ?? undefined) : undefined
    const name = callee === undefined ? '' : textOf(callee.childForFieldName('function') ?? callee, 80)
    const isSuite = SUITE_CALL.test(name)
    const isOff = isSkipped || ((isSuite || TEST_CALL.test(name)) && SKIP_CALL.test(name))
    if (callee !== undefined && TEST_CALL.test(name)) {
      const given = namedChildren(node.childForFieldName('arguments') ?? node)
      const [title] = given
      const run = given.findLast(({ type }) => shape.functions.has(type))
      const options = given.find(({ type }) => type === 'object')
      const isOptedOut = options !== undefined && /\b(?:skip|todo)\s*:\s*(?:true|['"])/.test(textOf(options, 200))
      if (title !== undefined && /string/.test(title.type)) {
        const body = run?.childForFieldName('body') ?? undefined
        const state = isOff || isOptedOut || body === undefined ? undefined : judgeTest(textOf(title, 200), body, shape)
        found.push({
          name: textOf(title, 200).slice(1, -1),
          line: lineOf(node),
          ...(state ?? { state: 'skipped', detail: body === undefined && !isOff ? 'has no body' : name }),
        })
        return
      }
    }
    for (const child of namedChildren(node)) enter(child, isOff)
  }
  enter(root, false)
  return found
}

/** Decorators of the class apply to its tests. */
function isSkippedByClass(node: Node, shape: LanguageShape): boolean {
  const container = findAncestor(node, shape.containers)
  if (container === undefined) return false
  return SKIP_PREFACE.test(readPreface(container))
}

function readNamedTests(
  functions: readonly FunctionNode[],
  shape: LanguageShape,
  source: string,
): readonly TestFacts[] {
  const isModuleSkipped = /^pytestmark\s*=\s*pytest\.mark\.skip\b(?!if)/m.test(source)
  return functions.flatMap(({ node, body, facts: { name, line } }): readonly TestFacts[] => {
    const preface = readPreface(node)
    const isTest =
      TEST_PREFACE.test(preface) ||
      (shape.id === 'python' && name.startsWith('test')) ||
      (shape.id === 'go' && /^(?:Test|Fuzz|Example)(?=[A-Z_]|$)/.test(name) && /testing\.[TFB]/.test(textOf(node, 200)))
    if (!isTest) return []
    const isSkipped = isModuleSkipped || SKIP_PREFACE.test(preface) || isSkippedByClass(node, shape)
    const judged = isSkipped
      ? { state: 'skipped' as const, detail: SKIP_PREFACE.exec(preface)?.[0] ?? 'its class is skipped' }
      : judgeTest(name, body, shape)
    return [{ name, line, ...judged }]
  })
}

const COMMENTED_OUT =
  /^\s*(?:\/\/|#|\*)\s*(?:(?:it|test)\(\s*['"`]([^'"`]+)|(?:async )?def (test_\w+)|func (Test\w+)|@Test\b()|#\[test\]())/

/** In a file that has no other: a file of helpers has none in its comments either. */
function listCommentedOut(source: string): readonly TestFacts[] {
  return source.split('\n').flatMap((text, n): readonly TestFacts[] => {
    const match = COMMENTED_OUT.exec(text)
    if (match === null) return []
    const name = match.slice(1).find((group) => group !== undefined && group !== '') ?? 'a test'
    return [{ name, line: n + 1, state: 'skipped', detail: 'is commented out' }]
  })
}

const TEST_LIBRARY =
  /^(?:vitest|@?jest(?:\/globals)?|mocha|chai|sinon|ava|tap|tape|uvu|node:\w+|assert|bun:test|@jest\/globals|@testing-library\/jest-dom.*)$/

/** Tests that import nothing but libraries for tests, and define nothing that they could test. */
function isScriptApart(source: string): boolean {
  const modules = [
    ...source.matchAll(
      /\bfrom\s+['"]([^'"]+)['"]|\b(?:require|import)\(\s*['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm,
    ),
  ]
  return (
    modules.every(([, from, given, bare]) => TEST_LIBRARY.test(from ?? given ?? bare ?? '')) &&
    !/\b(?:fetch|spawn\w*|exec\w*|page|cy|browser|request|readFile\w*|createServer|globalThis|window|document|process|new\s+\w+)\b/.test(
      source,
    ) &&
    !/^\s*(?:export\s+)?(?:async\s+)?(?:function|class)\s/m.test(source) &&
    !/(?:^|\n)(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?\(?[\w\s,]*\)?\s*=>/.test(source)
  )
}

const isPythonApart = (source: string): boolean =>
  [...source.matchAll(/^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w.]+))/gm)].every(([, from, whole]) =>
    /^(?:pytest|unittest|mock|typing|__future__)(?:\.|$)/.test(from ?? whole ?? ''),
  ) && !/^\s*def\s+(?!test_)\w+\(|\bdef\s+test_\w+\(\s*(?!self\s*\)|\)|mock)\w|__import__|\bsetUp\b/m.test(source)

export function readTests(
  { root, functions, source }: { root: Node; functions: readonly FunctionNode[]; source: string },
  shape: LanguageShape,
): readonly TestFacts[] {
  const found = shape.id === 'ecma' ? readCalledTests(root, shape) : readNamedTests(functions, shape, source)
  if (found.length === 0) return listCommentedOut(source)
  const isApart = shape.id === 'ecma' ? isScriptApart(source) : shape.id === 'python' && isPythonApart(source)
  return isApart
    ? found.map((one) =>
        one.state === 'real' ? { ...one, state: 'trivial', detail: 'nothing of the project is in this file' } : one,
      )
    : found
}

const MODULE_MOCK = /^(?:jest|vi|vitest)\.(?:mock|doMock|unstable_mockModule)$|^mock\.module$/
const PYTHON_PATCH = /(?:\bpatch|mocker\.patch|mock\.patch)\(\s*['"]([\w.]+)['"]/g
const PYTHON_PATCH_OBJECT = /patch\.object\(\s*([\w.]+)\s*,\s*['"](\w+)['"]/g
const PYTHON_REPLACED = /^\s*[\w.]*?(\w+)\s*=\s*(?:mock\.)?(?:Magic|Async)?Mock\(/gm

/** Python: the test calls the very function that it patched. */
function readPythonMocks(functions: readonly FunctionNode[]): readonly MockFacts[] {
  return functions.flatMap(({ node, facts: { name } }): readonly MockFacts[] => {
    if (!name.startsWith('test')) return []
    const holder = node.parent?.type === 'decorated_definition' ? node.parent : node
    const text = textOf(holder, 5_000)
    const ofObjects = [...text.matchAll(PYTHON_PATCH_OBJECT)]
    const patched = [
      ...[PYTHON_PATCH, PYTHON_REPLACED].flatMap((pattern) =>
        [...text.matchAll(pattern)].map(([, target = '']) => target.split('.').at(-1) ?? ''),
      ),
      ...ofObjects.map(([, , target = '']) => target),
    ]
    // `Uploader(bucket).upload(…)` after `patch.object(Uploader, "upload")`
    const ofMade = ofObjects.find(([, object = '', target = '']) =>
      new RegExp(String.raw`\b${object.split('.').at(-1) ?? ''}\([^\n]*\)\s*\.${target}\(`).test(text),
    )
    if (ofMade !== undefined) return [{ line: lineOf(node), subject: ofMade[2] ?? '' }]
    const subject = patched.find((target) => {
      if (target.length < 3) return false
      const isCalled = new RegExp(String.raw`(?:^|[^\w'".])(?:\w+\.)?${target}\(`, 'm').test(
        text
          .replaceAll(PYTHON_PATCH, '')
          .replaceAll(PYTHON_PATCH_OBJECT, '')
          .replace(/def .*:/, ''),
      )
      return isCalled && !/^(?:get|post|put|open|print|sleep|now|time|run|request)$/.test(target)
    })
    return subject === undefined ? [] : [{ line: lineOf(node), subject }]
  })
}

/** Java: the test of a class mocks that class and never makes a real one. */
function readJavaMocks(root: Node, source: string): readonly MockFacts[] {
  const subject = /\bclass\s+(\w+?)(?:Unit|Integration)?Tests?\b/.exec(source)?.[1]
  if (subject === undefined) return []
  const made = new RegExp(
    String.raw`\bnew ${subject}\b|@InjectMocks[^;]{0,80}\b${subject}\b|@Spy[^;]{0,60}\b${subject}\b|@Autowired[^;]{0,60}\b${subject}\b`,
  )
  const mocked = new RegExp(String.raw`\bmock\(\s*${subject}\.class|@Mock(?:Bean)?[^;]{0,60}\b${subject}\s+\w+\s*;`)
  const at = mocked.exec(source)
  if (at === null || made.test(source)) return []
  return [{ line: source.slice(0, at.index).split('\n').length + root.startPosition.row, subject }]
}

/** Rust and Go: a test makes `MockStore` or `mockStore` and never a `Store`. */
function readTypeMocks(functions: readonly FunctionNode[], tests: readonly TestFacts[]): readonly MockFacts[] {
  const lines = new Set(tests.map(({ line }) => line))
  return functions.flatMap(({ body, facts: { line } }): readonly MockFacts[] => {
    if (!lines.has(line)) return []
    const text = textOf(body, 5_000)
    const [, subject = ''] =
      /\b(?:New)?(?:[Mm]ock|[Ff]ake|[Ss]tub)_?([A-Z]\w{2,})(?:::(?:new|default)\(|\{|\(\))/.exec(text) ?? []
    if (subject === '') return []
    const isReal = new RegExp(
      String.raw`(?<![Mm]ock|[Ff]ake|[Ss]tub)\b(?:New)?${subject}\b|\b\w*(?:Service|Server|Client|Handler|Manager|Controller|Engine|Processor)(?:::new)?[({]|\bNew[A-Z]\w*\(`,
    ).test(text.replaceAll(new RegExp(String.raw`\b\w*(?:[Mm]ock|[Ff]ake|[Ss]tub)_?${subject}\w*`, 'g'), ''))
    return isReal ? [] : [{ line, subject }]
  })
}

/** JavaScript: module mocks, as written. The caller knows which module is under test. */
function readModuleMocks(root: Node): readonly MockFacts[] {
  const found: MockFacts[] = []
  visit(root, (node) => {
    const callee = node.type === 'call_expression' ? node.childForFieldName('function') : null
    if (callee === null || !MODULE_MOCK.test(textOf(callee, 60))) return true
    const given = textOf(node, 3_000)
    const target = /\(\s*(?:import\(\s*)?['"`]([^'"`]+)['"`]/.exec(given)?.[1]
    const isPartial = /\b(?:importActual|requireActual|importOriginal|spy\s*:\s*true)\b/.test(given)
    if (target !== undefined && !isPartial) found.push({ line: lineOf(node), subject: target })
    return false
  })
  return found
}

const LOCAL_MOCK = /(?:const|let|var)\s+(\w+)(?:\s*:[^=\n]*)?\s*=\s*(?:(?:jest|vi|mock)\.fn|sinon\.(?:stub|fake))\b/g

/** JavaScript: `jest.spyOn(auth, 'verify').mockReturnValue(…)` in a test that then expects something of `verify(…)`. */
function readSpies(root: Node): readonly MockFacts[] {
  const found: MockFacts[] = []
  const text = textOf(root, 200_000)
  const pattern =
    /(?:spyOn|sinon\.stub)\(\s*[\w.]+\s*,\s*['"`](\w+)['"`]\s*\)\s*\.(?:mock(?:Return|Resolved|Implementation)\w*|returns|resolves)/g
  for (const { 1: name = '', index } of text.matchAll(pattern)) {
    const isExpected = new RegExp(String.raw`expect\(\s*(?:await\s+)?(?:[\w.]+\.)?${name}\(`).test(text)
    if (isExpected) found.push({ line: text.slice(0, index).split('\n').length, subject: `spy:${name}` })
  }
  // `const total = vi.fn().mockReturnValue(3)`, and `expect(total(…))` of that.
  for (const { 1: name = '', index } of text.matchAll(LOCAL_MOCK)) {
    const isExpected = new RegExp(String.raw`expect\(\s*(?:await\s+)?${name}\(`).test(text)
    if (isExpected) found.push({ line: text.slice(0, index).split('\n').length, subject: `spy:${name}` })
  }
  return found
}

export function readMocks(
  input: { root: Node; functions: readonly FunctionNode[]; tests: readonly TestFacts[]; source: string },
  shape: LanguageShape,
): readonly MockFacts[] {
  switch (shape.id) {
    case 'ecma':
      return [...readModuleMocks(input.root), ...readSpies(input.root)]
    case 'python':
      return readPythonMocks(input.functions)
    case 'java':
      return readJavaMocks(input.root, input.source)
    default:
      return readTypeMocks(input.functions, input.tests)
  }
}
