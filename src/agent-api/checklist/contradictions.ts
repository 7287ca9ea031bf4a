import type { CodeFacts, FunctionFacts, LiteralFacts } from '../../kernel/code-facts.ts'
import type { DiscrepancyReason } from '../../kernel/checklist.ts'
import { isSetupPath, type ItemClaim } from './item-claim.ts'
import { countShared, nameWords, sentenceWords } from './item-words.ts'
import { compareWords, type FileMatch, LIKELY, type MatchedFunction } from './match-code.ts'
import {
  CHECK_VERBS,
  EFFECT_VERBS,
  HOOK_NAMES,
  MUTATORS,
  PREDICATES,
  TRANSFORM_VERBS,
  ASKS_FOR_REMOTE,
  WORK_VERBS,
} from './vocabulary.ts'

export interface Contradiction {
  readonly reason: DiscrepancyReason
  readonly line: number
  readonly detail: string
}

const CLOSE = 0.75
/** Functions whose purpose is to return their argument. */
const RETURNS_INPUT =
  /^(?:define|as(?=[A-Z_])|to(?=[A-Z_])|identity|of$|wrap|create|make|satisf|cast|tap|assert|with(?=[A-Z_])|set(?=[A-Z_])|register|use(?=[A-Z_])|on(?=[A-Z_])|get)/
const LOGGER = /log|print|report|show|debug|dump|trace|warn|display|banner|usage|help|render/i
/** What such a handler or function answers is the same by design. */
const FIXED_ANSWERS =
  /^(?:get|handle|serve|show)?_?(?:health\w*|ping|live|liveness|ready|readiness|heartbeat|version|hello|welcome|robots|favicon|index|root|home)(?:_?(?:check|handler|endpoint|route|txt|z))*$/i
/** An object with functions of which none does anything. */
const DOES_NOTHING = /\)\s*(?:=>\s*)?\{\s*\}/
/** A type with such a name decides: an interface that it implements does not excuse it. */
const DECIDERS = /guard|polic(?:y|ies)|permission|validator|authori[sz]|authentic|verifier|checker/i
/** A step of a chain that only calls the next. */
const PASSES_ON = /\b(?:next|doFilter|ServeHTTP|get_response|call_next)\b/
const SAMPLE_NAME = /mock|fake|sample|dummy|demo|placeholder|hard_?coded/i
const NO_VALUE = /^(?:null|undefined|None|nil|\{\s*\}|\[\s*\]|0)$/
const BOOLEAN = /^\(?(?:true|false|True|False)\b|^(?:Ok|Some)\((?:true|false)\)/
/** Values that stand for data which should have come from elsewhere. */
const SAMPLE_DATA =
  /\b(?:john|jane|doe|alice|bob|foo|bar|baz|acme|test|sample|dummy|fake|mock|example|lorem|user ?1|item ?1|product ?\d)\b|@example\.|123456|12345\b/i

const ASSEMBLING =
  /refund|charge|^pay|send|publish|upload|download|crypt|hash|sign(?!al)|convert|translat|compress|sync(?!hron)|transfer|withdraw|deposit|checkout|^book|reserv|cancel|schedul|enqueue|login|authenti|verif|validat|deploy|^import|fetch|^search|^find|predict|classif|calculat|comput|resolv|geocod|deliver|provision|backup|restore|migrat|execut/i
const MAKES = /^(?:create|make|build|new|of|from|to|map|with|wrap|as|default|on)(?=[A-Z_]|$)/
/** The item only asks that something exists. */
const ASKS_FOR_PRESENCE =
  /\b(?:empty|blank|null|nil|none|missing|present|presence|requir\w*|exists?|defined|optional|nullable|non-?empty|not empty|truthy|header)\b/i
const CHECKS_MORE =
  /verif|validat|authenti|authori[sz]|sanit|protect|valid|allowed|permit|trusted|secure|auth|jwt|guard/i

/** Reading and encoding count as none of these. */
const NEEDS_ALGORITHM = /crypt|hash|compress|sign(?!al|up|in)|digest|seal|cipher/i
const SAMPLES =
  /^(?:(?:MOCK|FAKE|DUMMY|SAMPLE|STUB|DEMO|HARD_?CODED)_[A-Z_]*[A-Z]|(?:mock|fake|dummy|sample|demo|hard_?coded)_?(?:data|users?|items?|products?|responses?|results?|orders?|records?|rows|entries|posts|list|events|customers|[A-Z]\w*s))$/i

const usesSamples = ({ uses, context }: FunctionFacts, claim: ItemClaim): boolean =>
  context === 'plain' && !/sampl/i.test(claim.text) && uses.some((name) => SAMPLES.test(name))

/** Its parameters are what its result must depend on. */
function judgeIgnored({ facts, by, likeness }: MatchedFunction, claim: ItemClaim): boolean {
  if (facts.ignored.length === 0 || facts.context !== 'plain' || claim.wantsConstant || by === 'near') return false
  const isWork = [CHECK_VERBS, WORK_VERBS, EFFECT_VERBS, TRANSFORM_VERBS, PREDICATES].some((verbs) =>
    verbs.test(facts.name),
  )
  // The item names what is ignored.
  const isAsked = facts.ignored.some((name) => countShared(nameWords(name), claim.words) > 0)
  const isMost = isAsked || facts.ignored.length > 1 || facts.ignored.length === facts.params
  return by === 'named' || likeness >= (isMost ? LIKELY : isWork ? 0.5 : CLOSE)
}

const isDecider = ({ context, shape, container, detail, params }: FunctionFacts): boolean =>
  context === 'override' && shape === 'constant' && params > 0 && DECIDERS.test(container ?? '') && BOOLEAN.test(detail)

function judgeConstant(match: MatchedFunction, claim: ItemClaim): boolean {
  const { facts, by, likeness } = match
  const { name, params, detail, context, isCalledStub } = facts
  if (isCalledStub) return true
  // Rust's way to do nothing and succeed.
  if (detail === 'Ok(())' && params === 0) return judgeEmpty(match)
  if (FIXED_ANSWERS.test(name)) return false
  const isAccepting = CHECK_VERBS.test(name) && params > 0
  if (by === 'near') return isAccepting && BOOLEAN.test(detail) && context === 'plain'
  if (isAccepting) return true
  const isClose = by === 'named' || likeness >= CLOSE
  // A getter of a table.
  if (detail.endsWith(', a constant of the module') && params === 0) return SAMPLE_NAME.test(detail)
  if (isDecider(facts)) return claim.isWorking
  if (context === 'override' && !isClose) return false
  if (PREDICATES.test(name))
    return (
      (BOOLEAN.test(detail) || NO_VALUE.test(detail)) &&
      params > 0 &&
      context === 'plain' &&
      (claim.isWorking || likeness >= 0.8) &&
      // With two parameters it decides about something: which words it shares with the item matters less.
      (isClose || ((params > 1 || match.isCalled === true) && likeness >= LIKELY))
    )
  const isCollection = /^[[{&]|^\[\]|(?:List|Map|Arrays|Set)\b|^vec!/.test(detail)
  if (params > 0) return true
  if (SAMPLE_DATA.test(detail)) return true
  if (DOES_NOTHING.test(detail) && !MAKES.test(name)) return true
  if (!claim.isWorking || !isClose) return false
  // Without parameters, a text or a table is what getters and settings return.
  return isCollection ? /^\[\]|^\[\s*\]|empty|^\{\s*\}/.test(detail) || WORK_VERBS.test(name) : !/^["'`]/.test(detail)
}

/** A hook that its own file calls, or that is declared for that, is not an API for others. */
const MEANT_HOOK = 0.55

function judgeEmpty({ facts, by, likeness, isCalled }: MatchedFunction): boolean {
  const { name, context, isCalledStub, params } = facts
  if (by === 'near' || FIXED_ANSWERS.test(name)) return isCalledStub
  if (isCalled === true && /^handle[A-Z_]/.test(name)) return true
  const isOwn = context === 'plain' && params > 0 && (isCalled === true || likeness >= MEANT_HOOK)
  if (HOOK_NAMES.test(name) && by !== 'named' && !isOwn) return isCalledStub
  const isMeant = params > 0 && likeness >= (WORK_VERBS.test(name) ? 0.5 : CLOSE)
  return context === 'plain' || isCalledStub || by === 'named' || isMeant
}

function judgeShape(match: MatchedFunction, claim: ItemClaim): boolean {
  const { facts, by, likeness } = match
  const { shape, name, context, isCalledStub } = facts
  if (claim.wantsStub || context === 'open' || (context === 'variant' && !facts.isCalledStub)) return false
  switch (shape) {
    case 'normal':
      return (
        judgeIgnored(match, claim) ||
        (by !== 'near' &&
          (isCalledStub || usesSamples(facts, claim) || (facts.movesOnly && NEEDS_ALGORITHM.test(name))))
      )
    case 'assembled':
      return (
        judgeIgnored(match, claim) ||
        (by !== 'near' &&
          context === 'plain' &&
          ASSEMBLING.test(name) &&
          !MAKES.test(name) &&
          !/\b(?:type|kind|action|command|query)['"]?\s*:/.test(facts.detail) &&
          (by === 'named' || likeness >= 0.5))
      )
    case 'presence':
      return (
        judgeIgnored(match, claim) ||
        (by !== 'near' && context === 'plain' && CHECKS_MORE.test(name) && !ASKS_FOR_PRESENCE.test(claim.text))
      )
    case 'not-implemented':
      return !claim.wantsRefusal
    case 'unsupported':
      return (
        !claim.wantsRefusal &&
        by !== 'near' &&
        (by === 'named' || likeness >= CLOSE) &&
        !/fail|die|throw|raise|panic|abort|error|never|unreachable|deny|forbid|unsupported/i.test(name) &&
        (!MUTATORS.test(name) || by === 'named')
      )
    case 'constant':
      return !claim.wantsConstant && judgeConstant(match, claim)
    case 'echo':
      return (
        by !== 'near' &&
        facts.params > 0 &&
        !RETURNS_INPUT.test(name) &&
        !/I[dD]$/.test(name) &&
        (context === 'plain' ||
          PASSES_ON.test(facts.detail) ||
          (by === 'named' && TRANSFORM_VERBS.test(name)) ||
          CHECK_VERBS.test(name))
      )
    case 'log-only':
      return (
        (by !== 'near' || (/submit|save|send|delete|upload|post/i.test(name) && context === 'plain')) &&
        [EFFECT_VERBS, WORK_VERBS, TRANSFORM_VERBS, /flush|drain/i].some((verbs) => verbs.test(name)) &&
        !LOGGER.test(name.replace(/^log(?:in|out)/i, '')) &&
        (facts.params > 0 || (context === 'plain' && by !== 'near' && likeness >= LIKELY))
      )
    case 'empty':
      return !claim.wantsConstant && judgeEmpty(match)
  }
}

function describe({ name, shape, detail, ignored, isCalledStub, movesOnly }: FunctionFacts): string {
  if (ignored.length > 0) return `${name} does not use ${ignored.join(', ')}`
  switch (shape) {
    case 'assembled':
      return `${name} only returns what it is given: ${detail}`
    case 'presence':
      return `${name}: ${detail}`
    case 'constant':
      return `${name} only returns ${detail}`
    case 'echo':
      return `${name} returns what it is given`
    case 'empty':
    case 'log-only':
      return `${name}: ${detail}`
    case 'normal':
      return isCalledStub
        ? `${name}: most of its code is in comments`
        : `${name}: ${movesOnly ? 'it only reads, copies or encodes' : 'it uses sample data'}`
    case 'not-implemented':
    case 'unsupported':
      return `${name} is not implemented: ${detail}`
  }
}

/** Most functions of the match are trivial: the file or class was laid out and not written. */
function isMostlyTrivial(functions: readonly MatchedFunction[]): boolean {
  const counted = functions.filter(({ facts }) => facts.context === 'plain' || facts.context === 'override')
  const trivial = counted.filter(
    ({ facts: { shape, params } }) =>
      shape === 'empty' || shape === 'log-only' || (shape === 'constant' && params > 0) || shape === 'not-implemented',
  )
  return counted.length > 0 && trivial.length * 2 > counted.length
}

/** A class of which no method does anything. */
function isLaidOutClass({ facts }: MatchedFunction, code: CodeFacts): boolean {
  const own = code.functions.filter(({ container }) => container !== undefined && container === facts.container)
  return (
    own.length > 1 &&
    facts.context === 'plain' &&
    facts.params > 0 &&
    !own.some(({ name }) => HOOK_NAMES.test(name)) &&
    own.some(({ shape, params }) => shape === 'empty' && params > 0) &&
    own.every(
      ({ shape, context }) => context === 'plain' && /^(?:empty|constant|log-only|not-implemented)$/.test(shape),
    )
  )
}

function findInFunctions(
  { functions, isWhole }: FileMatch,
  code: CodeFacts,
  claim: ItemClaim,
): readonly Contradiction[] {
  const isLaidOut = isWhole && isMostlyTrivial(functions)
  return functions.flatMap((match): readonly Contradiction[] => {
    const { facts } = match
    const isTrivial = facts.shape === 'empty' || (facts.shape === 'constant' && facts.params > 0)
    const isUnwritten =
      isLaidOut &&
      !claim.wantsStub &&
      !claim.wantsConstant &&
      isTrivial &&
      facts.context === 'plain' &&
      !HOOK_NAMES.test(facts.name) &&
      !PREDICATES.test(facts.name)
    const gaps: Contradiction[] =
      claim.wantsStub || facts.context === 'open' || (match.by === 'near' && !isWhole)
        ? []
        : facts.gaps.map(
            (line): Contradiction => ({ reason: 'stub', line, detail: `a branch of ${facts.name} is not implemented` }),
          )
    const dropped =
      claim.isAboutErrors && match.by !== 'near'
        ? facts.swallows.map(
            (line): Contradiction => ({ reason: 'stub', line, detail: `${facts.name} drops an error` }),
          )
        : []
    gaps.push(...dropped)
    const isEmptyClass = !claim.wantsStub && !claim.wantsConstant && match.by !== 'near' && isLaidOutClass(match, code)
    return judgeShape(match, claim) || isUnwritten || isEmptyClass
      ? [{ reason: 'stub', line: facts.line, detail: describe(facts) }, ...gaps]
      : gaps
  })
}

function findInNotes(code: CodeFacts, { functions, isWhole }: FileMatch, claim: ItemClaim): readonly Contradiction[] {
  const own = functions.filter(({ by }) => by !== 'near').map(({ facts }) => facts)
  return code.notes.flatMap(({ line, text, kind }): readonly Contradiction[] => {
    const words = sentenceWords(text)
    const shared = countShared(words, claim.words)
    const inside = own.some((facts) => line >= facts.line && line <= facts.endLine)
    const ofClaim = shared / Math.max(1, claim.words.size)
    const isSubject =
      shared >= 2
        ? ofClaim >= 0.5 || shared / words.size >= 0.5
        : shared === 1 && (shared / words.size >= 0.5 || ofClaim === 1)
    const isMeant = {
      unfinished: inside || isSubject || (isWhole && (words.size === 0 || shared >= 1)),
      request: isSubject,
      remark: shared >= 2 && ofClaim >= 0.6,
    }[kind]
    if (!isMeant || (claim.wantsStub && !isSubject)) return []
    return [{ reason: 'stub', line, detail: `TODO: ${text}`.slice(0, 120) }]
  })
}

function isInScope(
  literal: LiteralFacts,
  code: CodeFacts,
  { functions, isWhole }: FileMatch,
  claim: ItemClaim,
): boolean {
  if (isWhole) return true
  const holder = code.functions.find(({ line, endLine }) => literal.line >= line && literal.line <= endLine)
  if (holder !== undefined) return functions.some(({ facts }) => facts === holder)
  if (functions.some(({ facts }) => facts.uses.includes(literal.name))) return true
  return countShared(nameWords(literal.name), claim.words) > 0
}

function findInLiterals(path: string, code: CodeFacts, match: FileMatch, claim: ItemClaim): readonly Contradiction[] {
  if (isSetupPath(path)) return []
  return code.literals
    .filter(({ kind }) => (kind === 'local-host' ? !claim.wantsLocalHost : !claim.wantsStub))
    .filter(
      ({ line }) =>
        !code.functions.some((facts) => /default/i.test(facts.name) && line >= facts.line && line <= facts.endLine),
    )
    .filter((literal) => isInScope(literal, code, match, claim))
    .map(({ line, kind, name, text }) => ({ reason: kind, line, detail: `${name} is ${JSON.stringify(text)}` }))
}

/** Defects of a function that do not depend on its purpose. */
function isBlatant({ facts, isCalled }: MatchedFunction): boolean {
  const { shape, params, context, isCalledStub, ignored, name, movesOnly, gaps, swallows } = facts
  if (isCalledStub || gaps.length > 0 || swallows.length > 0 || shape === 'not-implemented') return true
  if (shape === 'empty' && isCalled === true && /^handle[A-Z_]/.test(name)) return true
  if (context !== 'plain') return (shape === 'echo' && context === 'override') || isDecider(facts)
  if (shape === 'constant') return params > 0 && !HOOK_NAMES.test(name)
  if (shape === 'unsupported') return false
  return shape === 'normal'
    ? ignored.length > 0 || movesOnly
    : !(shape === 'empty' && (params === 0 || (HOOK_NAMES.test(name) && isCalled !== true)))
}

/** What a file of the program shows against a ticked item. */
export function findContradictions(
  path: string,
  code: CodeFacts,
  match: FileMatch,
  claim: ItemClaim,
): readonly Contradiction[] {
  if (claim.isCleanup) return []
  if (match.isWeak === true)
    return [
      ...findInFunctions({ ...match, functions: match.functions.filter(isBlatant) }, code, claim),
      ...findInNotes(code, { functions: [], isWhole: false }, claim),
      ...findInLiterals(path, code, match, claim).filter(
        ({ reason }) => reason === 'placeholder-value' || ASKS_FOR_REMOTE.test(claim.text),
      ),
    ]
  return [
    ...findInFunctions(match, code, claim),
    ...findInNotes(code, match, claim),
    ...findInLiterals(path, code, match, claim),
  ].toSorted((a, b) => a.line - b.line)
}

/** Tests of a finished part that never run. */
export function findAllSkipped(code: CodeFacts, claim: ItemClaim): readonly Contradiction[] {
  const [first] = code.tests
  if (first === undefined || claim.isCleanup || claim.wantsSkip) return []
  return code.tests.every(({ state }) => state === 'skipped' || state === 'empty')
    ? [{ reason: 'skipped-test', line: first.line, detail: `${first.name}: ${first.detail}`.slice(0, 140) }]
    : []
}

const MANY = 1 / 3
const ALIKE = 0.6
const NOTHING: ReadonlySet<string> = new Set()

/** What a file of tests shows against an item about tests. */
export function findTestContradictions(code: CodeFacts, claim: ItemClaim): readonly Contradiction[] {
  if (claim.isCleanup || claim.wantsSkip) return []
  const named = code.tests.filter(({ name }) => claim.names.includes(name))
  const scored = code.tests.map((one) => ({
    one,
    likeness: compareWords(claim.words, sentenceWords(one.name), NOTHING),
  }))
  const best = Math.max(0, ...scored.map(({ likeness }) => likeness))
  const alike =
    best < ALIKE ? code.tests : scored.filter(({ likeness }) => likeness >= best * CLOSE).map(({ one }) => one)
  const own = named.length > 0 ? named : alike
  const bad = own.filter(({ state }) => state !== 'real')
  const isEnough = own.length === code.tests.length ? bad.length / Math.max(1, own.length) >= MANY : bad.length > 0
  const open =
    code.tests.length === 0
      ? code.functions.filter(({ shape, context }) => shape === 'not-implemented' && context === 'plain')
      : []
  return [
    ...(isEnough ? bad : []).map(
      ({ line, state, name, detail }): Contradiction => ({
        reason: state === 'skipped' ? 'skipped-test' : 'trivial-test',
        line,
        detail: `${name}: ${state === 'trivial' ? `asserts nothing about the code (${detail})` : detail}`.slice(0, 140),
      }),
    ),
    ...open.map((facts): Contradiction => ({ reason: 'stub', line: facts.line, detail: describe(facts) })),
  ]
}
