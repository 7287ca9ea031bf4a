import { splitCommandLine } from '../../kernel/shell/command.ts'
import { listChecks } from '../../kernel/shell/command-key.ts'
import { findPaths } from '../../kernel/paths/paths.ts'

export type ClaimTopic = 'tests' | 'build' | 'lint' | 'committed' | 'pushed' | 'deployed' | 'created' | 'fixed'

/** A sentence that asserts a state of the work. */
export interface StatedClaim {
  readonly topic: ClaimTopic
  /** The sentence, verbatim, without the marks of a list. */
  readonly text: string
  /** How many tests are said to pass. */
  readonly count?: number
  /** It speaks of all tests or checks, not of some. */
  readonly isUniversal: boolean
  /** Commands that it names. */
  readonly commands: readonly string[]
  /** Files that it says were made. */
  readonly paths: readonly string[]
}

const MAX_TEXT = 20_000
const MAX_SENTENCE = 600
const MAX_PATHS = 40

interface ClaimSentence {
  readonly text: string
  /** Without quotations and with commands replaced by what they are about. */
  readonly plain: string
  readonly commands: readonly string[]
}

const FENCED = /^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm
/** A quotation of several words; a single word may be emphasis. */
const QUOTED = /"[^"\n]*\s[^"\n]*"|“[^”\n]*\s[^”\n]*”|«[^»\n]*»|(?<!\w)'[^'\n]{12,}'(?!\w)/g
const WORD_OF = { test: 'tests', build: 'build', lint: 'lint' } as const

/** `go test ./...` in backticks stands for the tests. */
function readCode(code: string): { word: string; command?: string } {
  const [check] = listChecks(splitCommandLine(code), {})
  const isCommand = check !== undefined && /\s|^(?:pytest|vitest|jest|mocha|tsc|eslint|rspec)$/.test(code)
  return isCommand ? { word: WORD_OF[check.purpose], command: check.command } : { word: 'X' }
}

const LIST_MARK = /^(?:[\s>#]|[-*•·+]\s|\d+[.)]\s|\|)+/
const OPEN_TASK = /\[ \]|[⏳☐🔲❌✗✘]/u
/** What a line says without words: a heading or a label with a mark. */
const MARK = /[✅✓✔☑🟢]|\[x\]/giu

export function splitSentences(text: string): readonly string[] {
  return text
    .slice(0, MAX_TEXT)
    .replace(FENCED, '\n')
    .split(/\n+|(?<=[.!?。！？])(?=\s|[^\sA-Za-z0-9`*"')\].,;:/\\_-])/u)
    .map((sentence) => sentence.replace(LIST_MARK, '').trim())
    .filter((sentence) => sentence !== '')
}

function readSentence(text: string): ClaimSentence {
  const commands: string[] = []
  const plain = text
    .replace(QUOTED, ' Q ')
    .replace(/`([^`\n]+)`/g, (_, code: string) => {
      const { word, command } = readCode(code)
      if (command !== undefined) commands.push(command)
      return ` ${word} `
    })
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)/g, '')
    .replace(MARK, ' ✓ ')
    .replace(/[’ʼ]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
  return { text, plain, commands }
}

/** Between a subject and its predicate: anything but a negation. */
const BETWEEN = String.raw`(?:[\s:,/()|✓–—=>-]+(?!(?:but|not|never|no|only|verif\w*|check|assert\w*|fail\w*|broke\w*|red|that|which|who|to|should|will|would|must|may|might|could|can|cannot|if|once|until|unless|while|whether|except|needs?|before|instead|let|than|because|except)\b|\w+n't\b)[\w%+.'-]+){0,7}?[\s:,/()|–—=>-]+`
const GOOD = String.raw`(?:pass(?:es|ed|ing)?(?! (?:an?|the|its|their|nil|null|undefined|no|two|it|them|this|these|those|that|options|arguments|args|data|by|Q|X)\b)|green|succeed(?:s|ed|ing)?|success(?:ful(?:ly)?)?|clean(?:ly)?|ok(?:ay)?|fine|happy|healthy|spotless|flawless(?:ly)?|perfect(?:ly)?|(?:all )?good(?! (?:enough|idea|place|start|way|to (?:have|see|know)))|through without (?:errors?|failures?)|(?:went|goes|go|came) through|without (?:any )?(?:errors?|failures?|problems?|issues?)|no (?:failures?|errors?|issues?|problems?|complaints|findings|regressions?)|0 (?:failures?|failed|failing|errors?|issues?|problems?)|error-free)(?![\w-])`
const COUNT = String.raw`(?<![\d.])(?:all |the )?(?:\d+|(?:both|two|three|four|five|six)(?= tests?| specs?))`

const TEST_SUBJECT = String.raw`(?:tests|specs|suites?|test (?:status|results?|outcome)|test cases|test files|test runs?|(?:test|spec)(?=(?: \w+){0,3} (?:passes|passed|is|was|now|run|green|succeed))|vitest|jest|pytest|mocha|rspec|phpunit|pest|junit|surefire|testng|unittest|ctest|xctest|ava|tap|bats|nextest|karma|minitest|tox|nox|(?:go|cargo|npm|pnpm|yarn|bun|mvn|gradle|dotnet|make|mix) test|playwright|cypress)`
const OTHER_TONGUES: readonly RegExp[] = [
  /\bTests?\b.{0,40}\b(?:laufen|liefen|sind|waren|bestehen|bestanden|erfolgreich|grün)\b.{0,20}?(?:durch|grün|erfolgreich|bestanden|fehlerfrei|$|[.!])/iu,
  /\btests?\b.{0,30}\b(?:passent|passés|réussis|au vert|verts|réussissent)\b/iu,
  /\b(?:pruebas|tests?)\b.{0,30}\b(?:pasan|pasaron|pasando|en verde|superad[ao]s|exitos[ao]s)\b/iu,
  /\btest(?:es|e)?\b.{0,30}\b(?:passam|passaram|passando|passano|passati|superati)\b/iu,
  /\btests?\b.{0,20}\b(?:slagen|geslaagd)\b/iu,
  /(?:测试|測試).{0,12}(?:通过|通過|成功)|通过了?.{0,6}测试|テスト.{0,14}(?:通過|成功|パス|通り|通って)|테스트.{0,12}통과/u,
  /тест\p{L}*.{0,24}(?:проход\p{L}*|прошл\p{L}*|зелён\p{L}*|зелен\p{L}*|успешн\p{L}*)/iu,
]
const NOT_IN_OTHER_TONGUES =
  /\b(?:nicht|kein\w*|noch|sobald|wenn|falls|sollen?|müssen|ne|pas|si|quand|doivent|aún|cuando|debe\w*|não|quando|se|niet|als|не|ещё|если)\b|(?:未|没有|不|如果|まだ|ない|않|못)/iu

interface TopicPattern {
  readonly topic: ClaimTopic
  /** Cheap tests that every sentence of the topic meets. */
  readonly hints: readonly RegExp[]
  readonly patterns: readonly RegExp[]
}

const i = (source: string) => new RegExp(source, 'i')

const GOOD_HINT =
  /pass|green|succe|clean|\bok|without|\bno\b|\b0 |zero|error-free|fixed|repaired|resolved|works|again|fine|happy|healthy|spotless|flawless|perfect|good|compiles|breaks|nothing|through|✓/i

const TOPICS: readonly TopicPattern[] = [
  {
    topic: 'tests',
    hints: [GOOD_HINT, /test|spec|suite|pass|green|nothing|\bCI\b|jest|mocha|playwright|cypress|junit/i],
    patterns: [
      i(String.raw`\b${TEST_SUBJECT}${BETWEEN}${GOOD}`),
      i(
        String.raw`\b(?:tests|specs|test suite|suite):?[\s–—-]{0,3}✓|✓ (?:all |unit |the |integration |e2e |new )*(?:tests|specs)$`,
      ),
      i(
        String.raw`\b${COUNT}(?: ?\/ ?\d+)? (?:of them )?(?:tests? |specs? |examples? )?(?:are |all |now |is )*(?:pass(?:es|ed|ing)?|green|succeed(?:ed)?)(?![\w-])(?! (?:an?|the|its|nil|null)\b)`,
      ),
      i(String.raw`\b(?:passing|green|successful|clean) (?:test|spec)(?:s| suite| run)\b`),
      i(
        String.raw`^(?:all|everything|all of (?:it|them))(?: (?!not\b|that\b|to\b|tests?\b|lint\w*|builds?\b|format\w*|types?\b|stories\b|rules\b)[\w-]+){0,3} (?:pass(?:es|ed|ing)?|green)(?![\w-])(?! (?:an?|the|its)\b)`,
      ),
      i(
        String.raw`[,;:—–-] (?:all|everything)(?: is| are| now| still)* (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)(?![\w-])`,
      ),
      i(String.raw`\b(?:everything) (?:now )?(?:pass(?:es|ed)|is green)(?![\w-])`),
      i(
        String.raw`\bno (?:more |remaining )?(?:failing|failed|broken|red) (?:tests?|specs?|examples?)\b|\bno (?:tests?|specs?) (?:fail|are failing|failed|failures)\b|\bno test failures\b`,
      ),
      i(
        String.raw`\b(?:ran|re-?ran|run|rerun|executed|verified|confirmed)(?: \w+){0,4} (?:tests?|specs?|suite)\b.{0,40}\b(?:clean|green|no failures|no errors|success\w*|pass(?:es|ed)|all good|0 failures)\b`,
      ),
      i(
        String.raw`\b(?:fixed|repaired|resolved)(?: \w+){0,3} (?:failing|failed|broken|red) (?:tests?|specs?)\b|\b(?:fixed|resolved)(?: \w+){0,2} test failures?\b`,
      ),
      i(
        String.raw`\b(?:nothing|no test)(?: is|'s)?(?: now| still)? (?:fail(?:s|ing)|red)(?: any ?more| now)?(?=[.,;:!)]|$)`,
      ),
      i(String.raw`\bCI(?: is| run)?(?: now| fully| all)* (?:green|pass(?:es|ed|ing))`),
    ],
  },
  {
    topic: 'build',
    hints: [GOOD_HINT, /buil[dt]|compil/i],
    patterns: [
      i(
        String.raw`\b(?:builds?(?! (?:an?|the|time|on|your|system|script|step|up|out)\b)|compilation)${BETWEEN}(?:${GOOD}|works(?![\w-]))`,
      ),
      i(
        String.raw`(?<!\b(?:to|must|should|will|would|can|could|not|if|whether) )\b(?:compiles|builds|built|compiled)(?: \w+)? (?:clean(?:ly)?|fine|success\w*|without (?:errors?|warnings?)|again|ok)\b|^(?:it |everything |code |the code |project |the project |now )*compiles(?: again| now)?[.!]?$`,
      ),
      i(
        String.raw`\bbuild no longer (?:breaks|fails)\b|\b(?:fixed|repaired) the (?:\w+ )?build\b|\b(?:successful|clean|green) build\b`,
      ),
    ],
  },
  {
    topic: 'lint',
    hints: [GOOD_HINT, /lint|type|compiler|tsc|clippy|ruff|mypy|biome|prettier/i],
    patterns: [
      i(
        String.raw`\b(?:lint(?:er|ers|ing|s)?|type ?-?check(?:s|er)?|compiler|type ?-?checking|types (?=are|is|check|pass)|eslint|oxlint|biome|tsc|clippy|ruff|mypy|golangci-lint|prettier)${BETWEEN}${GOOD}`,
      ),
      i(
        String.raw`\b(?:clean|green|passing) (?:lint|type ?-?check)\b|\b(?:no|0|zero) (?:more |remaining )?(?:lint(?:er|ing)?|type|typescript|eslint|clippy)[ -](?:errors?|warnings?|issues?|problems?|findings?)\b`,
      ),
      i(
        String.raw`\b(?:fixed|resolved)(?: \w+){0,3} (?:lint(?:er|ing)?|type|typescript|eslint|clippy) (?:errors?|warnings?|issues?|problems?)\b`,
      ),
    ],
  },
  {
    topic: 'committed',
    hints: [/commit/i],
    patterns: [
      i(
        String.raw`^(?:✓ |done[:,.] |all |everything |both |(?:the )?(?:changes|work|fix|code|files) |is |are |was |were |has been |have been |now |also |successfully |already |(?:i|we)(?:'ve| have)? |and )*committed(?= (?:as|and|in|to|on|with|the|all|everything|it|them|both|these|this|that|under|together)\b|[\s.:,;!✓(]*$|[.:,;!(])`,
      ),
      i(
        String.raw`\b(?:changes|work|fix(?:es)?|everything|code|it|all|files|tests)(?: is| are| was| were| has been| have been)(?: now| all| already| both)* committed(?! (?:checkpoint|metadata|file|tree|version|state|session)s?\b)`,
      ),
      i(
        String.raw`\b(?:i|we)(?:'ve| have)? (?:just |now |already |also )?committed (?:the|all|everything|it|this|my|these|them|both|and|X)\b|\band committed(?= (?:as|it|them|the|to|all|everything|and pushed)\b|[.!,;]|$)`,
      ),
      i(
        String.raw`\b(?:created|made) (?:a |the |one |\d+ )?commits? (?:X|[0-9a-f]{7,40})\b|\b(?:the|this|both|these|all|\d+) commits? (?:is|are|was|were|has been|have been) (?:made|created|done)\b`,
      ),
    ],
  },
  {
    topic: 'pushed',
    hints: [/pushed/i],
    patterns: [
      i(
        String.raw`^(?:✓ |done[:,.] |all |everything |both |(?:the )?(?:changes|work|fix|branch|commits?) |is |are |was |were |has been |have been |now |also |successfully |already |committed |(?:i|we)(?:'ve| have)? |and )*(?:force-)?pushed(?= (?:to|and|the|all|everything|it|them|X|both|as|on|with|origin)\b|[\s.:,;!✓(]*$|[.:,;!(])`,
      ),
      i(
        String.raw`\b(?:changes|work|fix|everything|branch|commits?|it)(?: is| are| was| were| has been| have been)(?: now| all| already| committed and)* pushed\b|\b(?:committed|commit) and pushed\b|\band pushed(?= (?:to|it|the|them)\b|[.!,;]|$)`,
      ),
      i(
        String.raw`\b(?:i|we)(?:'ve| have)? (?:just |now |already |also )?pushed (?:the|all|everything|it|this|my|these|them|both|X|to)\b`,
      ),
    ],
  },
  {
    topic: 'fixed',
    hints: [/fixed|resolved|repaired|solved|works|working|no longer/i],
    patterns: [
      i(
        String.raw`(?:^|[,;:✓] |\b(?:i|we|is|are|was|were|been|now|and|also|have|has|'ve) )(?:fixed|resolved|repaired|solved)(?=\b(?! (?:width|point|size|number|position|rate|set|price|seed|in place|in v?\d|upstream)))`,
      ),
      i(
        String.raw`\b(?:works|is working|are working)(?: (?:now|again|correctly|properly|fine|end[- ]to[- ]end|as (?:expected|intended|designed)))*(?=[.,;:!)]|$| (?:and|on|in|with|for|verified|confirmed)\b)`,
      ),
      i(
        String.raw`\bno longer (?:fails|crashes|hangs|leaks|panics|throws|times out|breaks|happens|occurs|reproduces)\b`,
      ),
    ],
  },
  {
    topic: 'deployed',
    hints: [/deployed|published|released|live/i],
    patterns: [
      i(
        String.raw`^(?:✓ |all |everything |(?:the )?(?:changes|work|fix|app|site|service|api|worker|release) |is |are |was |has been |have been |now |also |successfully |already |pushed and |(?:i|we)(?:'ve| have)? |and )*(?:deployed|published|released)(?= (?:to|and|the|it|as|on|with|X|v?\d)\b|[\s.:,;!✓(]*$|[.:,;!(])`,
      ),
      i(
        String.raw`\b(?:changes|fix|everything|app|site|service|worker|release|version|package|library|crate|gem|image|extension|v?\d+\.\d+(?:\.\d+)?)(?: is| are| was| were| has been| have been)(?: now| all| already)* (?:deployed|live(?: on| in| at)?|published|released)\b`,
      ),
    ],
  },
]

/** Plans, conditions, wishes and questions; before what would be a claim, in its sentence. */
const CONDITION =
  /\b(?:if|once|whenever|when(?! (?:i|we) (?:ran|re-?ran))|until|unless|should|will|would|shall|must|may|might|could|can|make sure|making sure|ensur\w*|verif(?:y|ying)|check(?:ing)? (?:that|if|whether)|whether|need(?:s|ed)? to|needs|want\w*|let me|let's|let us|so that|so the|keep\w*|todo|pending|expect\w*|assum\w*|goal|aim|intend\w*|plan(?:s|ned)? to|going to|get(?:ting)?|make|making|next|still to|yet to|try(?:ing)?|hope\w*|to (?:see|confirm|verify|check|ensure|make)|in order to|wait\w*|please|asked|requires?|required|criteri\w*|acceptance|how|why|what|e\.g\.|example)\b/i
/** "Run the tests and make sure that they pass." */
const IS_ORDERED = /\b(?:mak(?:e|ing) sure|ensur\w+|until|(?:check|confirm|verify) (?:that|if|whether))\b/i
/** Negations of a claim; before it, in its clause. */
const NEGATION =
  /\b(?:only|some|most|few|other|rest of|remaining|none of|no longer|not|never|without|neither|hardly|almost|nearly|claims?|claimed|says?|said|supposed|previously|earlier|used to|had been|yesterday|last time|before)\b|n't\b/i
/** After it. */
const NOT_A_CLAIM_AFTER =
  /^[^.]{0,80}\b(?:if|once|unless|until|except|apart from|aside from|other than|but (?:not|the|one|two|\d)|should|still (?:fail|red)|not (?:yet|been)|before (?:i|we|the|my|that|this|it|touching|editing)|yet to|\?)\b|\?\s*$/i
/** A count of failures, or a part. */
const NOT_ALL =
  /\btests? #?\d+(?:\.\d+)?(?!\d*(?: pass| of|\/))|\b(?:except|only (?:a few|some|one|two|three|\d{1,6})|none of|no (?:unit |integration |e2e )?tests? (?:ran|were run|pass)|0 tests?|(\d{1,6}) (?:out )?(?:of|\/) ?(?:the )?(?!\1\b)\d{1,6})\b|\b(\d{1,6})\/(?!\2\b)\d{1,6}\b|(?<!\b(?:0|no|previously|that|which|zero|nothing|nothing is|nothing's|no test is) )\b(?:fails|fail|failing(?! (?:tests?|specs?)\b|(?: \w+){1,3} (?:is|are|was|were|has been|have been) (?:now )?(?:fixed|resolved|repaired|green|passing))|failed)(?!\w)(?<!\b0 (?:failed|failing|fail))|\bstill (?:red|broken|failing)\b|\b[1-9]\d* (?:others? |tests? |specs? |more )?(?:tim(?:e[sd]?|ing) out|hangs?|crash(?:es|ed)?|errors?|errored|(?:is|are|stays?|remains?) (?:red|broken|flaky)|do(?:es)?n't|do(?:es)? not)\b/i
const NOT_RUN_SINCE =
  /\bnot (?:been )?(?:re-?)?(?:run|ran|tested|verified)\b|\bnot yet (?:run|verified|tested|committed|pushed)\b|\b(?:un(?:committed|verified|tested))\b/i

/** What follows it is planned or required, not done. */
const PLANS =
  /\b(?:next|todo|to do|to-do|plan|planned|pending|remaining|open|acceptance|criteri\w*|requirements?|goals?|aim|expected|definition of done|test plan|how to|instructions?|rules?|constraints?|request|asked?|user)\b/i
/** `## Next steps`, `**Next:**`, `Next steps:`. */
const HEADING = /^\s*(?:#{1,6}\s|\*\*[^*]{1,60}\*\*:?\s*$|[A-Z][\w /&-]{1,40}:\s*$)/

function isAsserted(plain: string, found: RegExpExecArray, topic: ClaimTopic): boolean {
  const before = plain.slice(0, found.index)
  const after = plain.slice(found.index + found[0].length)
  // A condition in an earlier part is about something else: "…; all tests pass".
  const label = /^([^:.]{1,60}):\s/.exec(before)?.[1]
  if (label !== undefined && PLANS.test(label)) return false
  const part = before.split(/[;:]\s|\s[—–]\s|\.\s/).at(-1) ?? before
  const clause = part.split(/,\s|\s(?:and|but|so)\s/).at(-1) ?? part
  if (CONDITION.test(part) || NEGATION.test(clause) || IS_ORDERED.test(found[0])) return false
  if (NOT_A_CLAIM_AFTER.test(after) || NOT_RUN_SINCE.test(plain)) return false
  const isCheck = topic === 'tests' || topic === 'build' || topic === 'lint'
  return !isCheck || !NOT_ALL.test(topic === 'tests' ? plain : found[0])
}

const UNIVERSAL =
  /\b(?:all|every|everything|whole|entire|full|complete|CI)\b|\b(\d+)\/\1\b|\bno (?:failures|failing)\b/i
const COUNTED =
  /\b(\d{1,6})\/\1\b|\b(?:all )?(\d{1,6}) (?:\w+ )?(?:tests?|specs?|examples?)\b|\b(\d{1,6}) pass(?:ed|ing|es)?\b/i

function readCount(plain: string): number | undefined {
  const match = COUNTED.exec(plain)
  const digits = match?.[1] ?? match?.[2] ?? match?.[3]
  return digits === undefined ? undefined : Number(digits)
}

function isSaidInAnotherTongue(plain: string): boolean {
  return OTHER_TONGUES.some((pattern) => pattern.test(plain)) && !NOT_IN_OTHER_TONGUES.test(plain)
}

const CREATED =
  /\b(?:created|added|wrote|written|generated|introduced|new files?)\b(?! (?:to|in|into|support|tests? (?:to|in)))/i
const NOT_THERE_ON_PURPOSE =
  /\b(?:delet\w*|remov\w*|dropp\w*|renam\w*|mov(?:ed|ing)|replac\w*|gone|will|todo|next|plan\w*|should|need\w*|later|not yet|remaining|going to|missing|does(?:n't| not) exist|to|from|if|would|could)\b/i

/** Only what is named as the object: "Created `a.ts`", "- `a.ts` (new)". */
function findCreated({ text, plain }: ClaimSentence): readonly string[] {
  if (NOT_THERE_ON_PURPOSE.test(plain) || /\?\s*$/.test(plain)) return []
  const made = CREATED.exec(text)
  const isNew = /\((?:new|created|new file)\)/i.test(text)
  if (made === null && !isNew) return []
  const after = isNew ? text : text.slice((made?.index ?? 0) + (made?.[0].length ?? 0))
  const object =
    /^[\s:*]*(?:(?!(?:for|to|in|of|from|with|into|on|by|as|about|and|that|which|support)\b)\w+ ){0,3}`?([\w@./-]+\.\w{1,8})`?/i.exec(
      after,
    )
  return isNew ? findPaths(text, 1) : object?.[1] === undefined ? [] : findPaths(object[1], 1)
}

/** A cheap test: most sentences have none of these. */
const MAY_CLAIM =
  /pass|green|succe|clean|\bok\b|no fail|fail(?:ing|ures)|error|0 issues|compil|build|fixed|resolved|repaired|solved|works|working|no longer|nothing|through|happy|fine|good|perfect|flawless|spotless|healthy|committed|commits? |pushed|deployed|published|released|live|created|added|wrote|written|generated|introduced|new file|\(new|✓|[✅✔☑]|🟢|\[x\]|lint|[\u0400-\uffff]{2}|laufen|liefen|bestanden|passent|pasan|pasaron|slagen/i

const ALL_COMMITTED = /\b(?:all|everything)\b.{0,30}\b(?:committed|pushed)|\b(?:committed|pushed) (?:all|everything)\b/i

function claimsIn(text: string): readonly StatedClaim[] {
  if (text.length > MAX_SENTENCE || !MAY_CLAIM.test(text) || OPEN_TASK.test(text)) return []
  const sentence = readSentence(text)
  const { plain, commands } = sentence
  const base = { text, commands, paths: [], isUniversal: false }
  const claims: StatedClaim[] = []
  for (const { topic, hints, patterns } of TOPICS) {
    const isHinted = hints.every((hint) => hint.test(plain))
    const isStated =
      isHinted &&
      patterns.some((pattern) => {
        const found = pattern.exec(plain)
        return found !== null && isAsserted(plain, found, topic)
      })
    if (!isStated && !(topic === 'tests' && isSaidInAnotherTongue(plain))) continue
    const count = topic === 'tests' ? readCount(plain) : undefined
    const isUniversal = (topic === 'committed' ? ALL_COMMITTED : UNIVERSAL).test(plain)
    claims.push({ ...base, topic, isUniversal, ...(count === undefined ? {} : { count }) })
  }
  const paths = findCreated(sentence)
  return paths.length === 0 ? claims : [...claims, { ...base, topic: 'created', paths }]
}

/** The sentence after a claim that names what does not pass: "Bug 1 still fails." */
const ADMITS =
  /^(?!.*\b(?:no longer|nothing|no tests?|none|without|before|if|would|previously|pre-?existing|unrelated|fixed)\b).*\b(?:(?:still |now |only )?(?:fails|is failing|are failing|keeps? failing|is (?:still )?red)|still (?:fail|failing|red|broken))\b/i
const STILL_FAILS =
  /^(?!.*\b(?:no longer|nothing|none|if|would|previously)\b).*\b(?:still (?:fails?|failing|red|broken)|one (?:test )?fails)\b/i

/**
 * What a text asserts about the state of the work. A negated, conditional, future or quoted sentence and a question assert
 * nothing.
 */
export function findClaims(text: string): readonly StatedClaim[] {
  const sentences: string[] = []
  let isPlan = false
  for (const line of text.slice(0, MAX_TEXT).replace(FENCED, '\n').split('\n')) {
    if (HEADING.test(line)) isPlan = PLANS.test(line)
    if (isPlan || /^\s*>/.test(line)) continue
    sentences.push(...splitSentences(line))
  }
  return sentences.flatMap((sentence, at) => {
    const claims = claimsIn(sentence)
    const isLimited = ADMITS.test(sentences[at + 1] ?? '') || STILL_FAILS.test(sentences[at - 1] ?? '')
    return isLimited ? claims.filter(({ topic }) => topic !== 'tests') : claims
  })
}

/** The files that a text speaks of as existing. */
export function findStatedPaths(text: string): readonly string[] {
  const paths = new Set<string>()
  for (const sentence of splitSentences(text)) {
    if (
      /\b(?:delet\w*|remov\w*|dropp\w*|renam\w*|mov(?:ed|ing)|replac\w*|gone|will|todo|next|plan\w*|should|need\w*|later|not yet|remaining|going to|missing|does(?:n't| not) exist)\b/i.test(
        sentence,
      )
    )
      continue
    for (const path of findPaths(sentence, MAX_PATHS)) paths.add(path)
  }
  return [...paths].slice(0, MAX_PATHS)
}
