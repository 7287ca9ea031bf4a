import type { RuleCue } from './cue.ts'

/** What a user orders an agent to do. */
const ACTS =
  'accept|access|add|address|adopt|allow|answer|append|apply|approve|archive|ask|assert|assume|auto-?\\w+|backfill|base|batch|begin|branch|break|bring|build|bump|bundle|bypass|cache|call|catch|change|check|cherry-pick|clean|clear|close|comment|commit|compile|configure|connect|copy|create|cut|debug|declare|define|delegate|delete|deploy|describe|design|disable|display|document|do|download|drop|duplicate|edit|emit|enable|end|execute|expand|explain|expose|extend|extract|fake|fetch|fix|follow|force(?:-push)?|format|generate|git|give|go|guard|guess|handle|hard-?code|hide|hit|ignore|implement|import|include|indent|inline|insert|install|introduce|invent|invoke|keep|launch|leave|limit|link|lint|list|load|log|look|maintain|make|manage|mark|match|mention|merge|migrate|mix|mock|modify|mount|move|mutate|name|open|optimi[sz]e|output|overwrite|overbuild|over-?engineer|parse|patch|pin|place|plan|play|post|prefer|prefix|print|produce|propose|provide|publish|pull|push|put|query|raise|reach|read|rebase|recreate|redact|reduce|refactor|reference|reformat|refresh|regenerate|release|rely|remove|rename|render|reorder|repeat|replace|reply|report|require|reset|resolve|respond|restart|restore|retry|return|reuse|revert|review|rewrite|run|save|scan|schedule|seed|send|separate|serve|set|share|ship|show|shorten|sign|simplify|skip|sort|spawn|split|squash|stage|start|stash|stay|stick|stop|store|strip|submit|suggest|support|suppress|swap|switch|sync|tag|take|target|test|throw|touch|track|translate|treat|trigger|trim|truncate|trust|try|turn|tweak|type|unify|uninstall|update|upgrade|upload|use|validate|verify|version|wait|watch|work|wrap|write'
const ACT = `(?:${ACTS})`
/** What "instead of" makes a rule; "replace", "fix" and "rename" with it are requests. */
const CHOICES =
  'use|prefer|choose|pick|write|call|run|import|name|go with|put|keep|target|install|take|store|return|log|throw|mock|add|create|make|edit|extend|reuse|commit|push|ask|reply|answer|format|indent|test|deploy|rely|base|we use|work|read|query|inject|pass|do'
const DOING = '(?:[a-z]+(?:-[a-z]+)?ing)'
/** Where a clause of an order may begin. */
const CLAUSE =
  '(?:^|[,;:(—–-] ?|\\. |\\b(?:and|but|so|then|or|also|just|please|however|because) )(?:(?:please|just|also|but|and|then|so|again|instead|ok|okay) )*'
/** Not about what the agent does. */
const NOT_AN_ORDER =
  '(?! (?:worry|mind|bother|hesitate|panic|know|think|see|get it|get why|understand|believe|recall|remember seeing|like how|have to|need to|we|you|they|i|it|even know|really know|agree|care)\\b)'

/** The strongest forms first: the first that matches names the kind. */
export const ENGLISH: readonly RuleCue[] = [
  {
    kind: 'correction',
    pattern:
      /^(?:i|as i) (?:already |just |clearly |explicitly )?(?:said|told you|asked you|meant|mentioned)\b(?! (?:that )?(?:i|it|we|he|she|they)\b.*\b(?:was|were|had)\b).*\b(?:not|n't|never|only|always|use|no|without|instead|stop|to)\b/,
  },
  {
    kind: 'correction',
    pattern: /\bhow many times\b|\b(?:i|we) (?:have )?(?:already |just )?(?:told|asked) you (?:not|to|never|that)\b/,
  },
  {
    kind: 'correction',
    pattern: new RegExp(
      `^(?:no|nope|wrong|nah|wait|stop|hey|hold on|not like that|that'?s (?:wrong|not (?:right|it|what i (?:asked|meant|wanted)))|actually)[,.:;!—–-]* (?:please )?(?:use|always|never|only|put|keep|leave|call it|name it|write|run it|it (?:should|must|has to|needs to|belongs|goes)|(?:that|this|they|these|those|the [a-z0-9_./ -]{1,40}) (?:should|must|has to|have to|needs? to|belongs?|goes?|lives?)|we (?:use|want|always|never|only|don't|do not)|you (?:should|must|need to|have to)|i (?:want|meant|said|asked)|don't|do not|not )`,
    ),
  },
  { kind: 'correction', pattern: /\bi (?:mean|meant)\b .{2,80}\bnot\b/ },
  {
    kind: 'correction',
    pattern: new RegExp(
      `^(?:you |it |that |this |we )?(?:just )?(?:should|must|need to|has to|have to) (?:be |use |go |live |run |say |return )?.{1,80}(?:, |,? and |,? but )not\\b(?! just| only| be\\b)`,
    ),
  },
  { kind: 'correction', pattern: new RegExp(`\\b(?:stop|quit|cease) ${DOING}\\b`) },
  { kind: 'correction', pattern: /^no more [a-z]/ },
  {
    kind: 'correction',
    pattern: new RegExp(
      `^(?:it(?:'s| is| should be) |(?:${CHOICES})\\b.{0,40} )?not (?!just|only)(?:the |a |an |in |with |to |on )?[\\w\`"'./@-]+(?: [\\w\`"'./@-]+){0,4},? but (?!i\\b|it\\b|we\\b|that\\b)[\\w\`"'./@-]+`,
    ),
  },
  {
    kind: 'correction',
    pattern:
      /^(?:you |just )+should (?:just |always )?(?:run|use|call|do)\b|\bi tho\w+ the (?:pattern|convention|rule|agreement) (?:was|is)\b|\b(?:it's|it is|they're|they are) to be (?:treated|called|named|used|written)\b/,
    isStatement: true,
  },
  {
    kind: 'correction',
    pattern: /\bshould(?:n't| not) (?:be|go|live) (?:in|under|on|at)\b.*\bshould (?:be|go|live) (?:in|under|on|at)\b/,
    isStatement: true,
  },
  {
    kind: 'never',
    needs: /never/,
    pattern: new RegExp(
      `${CLAUSE}never,? (?!mind|ever mind)(?:ever )?(?:${ACT}\\b|${DOING}\\b|be |let |(?:in|on|outside|without|from) [a-z])`,
    ),
  },
  {
    kind: 'never',
    needs: /never/,
    pattern: new RegExp(
      `\\b(?:you|we|claude|agents?|nobody|the agent) (?:should|must|may|can|will|shall|are to|ought to) never\\b|\\b(?:should|must|may) never (?:be |${ACT}\\b)`,
    ),
  },
  {
    kind: 'never',
    needs: /never|don't ever/,
    pattern: new RegExp(
      `^(?:(?:in|for|on|here|at) [^,]{0,40},? )?(?:we|i) (?:never|don't ever) (?:ever )?${ACT}\\b(?!ed)`,
    ),
  },
  {
    kind: 'never',
    pattern:
      /\b(?:under no circumstances|at no (?:point|time)|(?:is|are|'re|'s) (?:strictly |absolutely )?(?:not allowed|forbidden|prohibited|banned|off[- ]limits|taboo)|not permitted)\b/,
  },
  {
    kind: 'dont',
    needs: /do not|don't|dont/,
    pattern: new RegExp(
      `${CLAUSE}(?:do not|don't|dont)(?: (?:ever|just|simply|automatically|blindly|needlessly|unnecessarily|also))?${NOT_AN_ORDER} ?(?:${ACT}\\b|be |let |want |forget )`,
    ),
  },
  {
    kind: 'dont',
    pattern: new RegExp(
      `${CLAUSE}(?:avoid|refrain from|steer clear of|stay away from|keep (?:your hands |away |out )(?:off|from|of)|hands off) (?:[a-z\`"'/@.]|${DOING})`,
    ),
  },
  {
    kind: 'dont',
    pattern:
      /\b(?:you|we|claude|the agent|agents?) (?:should not|shouldn't|must not|mustn't|may not|are not to|(?<!we )(?:cannot|can not|can't))\b(?! (?:be (?:able|sure|right)|have to|see|find|get|figure|really|even|tell|know|seem))/,
    isStatement: true,
  },
  {
    kind: 'dont',
    pattern:
      /\b(?:we|i) (?:do not|don't|really don't|definitely don't) (?:want|need|use|allow|support|do|ship|accept|merge|commit|like)\b(?! to know| to see if)/,
    isStatement: true,
  },
  { kind: 'dont', pattern: /\b(?:we|you) no longer (?:use|support|want|allow)\b/, isStatement: true },
  {
    kind: 'dont',
    pattern:
      /^leave (?:the |all |any |every |this |that |my |our )?[\w`./@ -]{1,60} (?:alone|untouched|unchanged|as (?:it is|they are|is)|out of (?:it|this))\b/,
  },
  {
    kind: 'dont',
    pattern:
      /^(?:nothing|nobody|no one|none of [a-z ]{1,30})(?: (?:in|under|outside|below|from|of) [\w`./@-]+(?: [\w`./@-]+)?)? (?:should|may|must|gets|goes|is to)\b/,
  },
  {
    kind: 'dont',
    pattern:
      /^(?:absolutely |strictly |also |and |please )?no (?!(?:problem|idea|worries|worry|need|one|way|luck|longer|matter|rush|doubt|clue|thanks|response|such|it|i|we|you|he|the|this|that|these|those|there|just|but|not|because|remove|add|question|comment yet|change|changes|error|errors|issue|issues|tests? (?:ran|found)|output|diff|result|results|file|data|more questions?|wait)\b)(?:[a-z`'"/@.-]+ ){0,4}[a-z`'"/@.-]+(?:s|ing|ion|ment|code|logic|any|state|json|css|sql|jquery|lodash|compat\w*|support|auth|push|default)\b(?!.*\b(?:found|ran|yet|detected|exist|exists|matched|available|left|is|are|was|were|shown|shows)\b)/,
    maxWords: 14,
  },
  { kind: 'always', needs: /always/, pattern: new RegExp(`${CLAUSE}always (?:${ACT}\\b|be |have )`) },
  {
    kind: 'always',
    needs: /always/,
    pattern: new RegExp(
      `\\b(?:you|we|claude|agents?|the agent) (?:should|must|need to|have to|are to) always\\b|^(?:we|i) always (?:want|${ACT}\\b)`,
    ),
  },
  {
    kind: 'always',
    pattern:
      /^(?:from now on|from here on|going forward|in (?:the )?future|as a (?:general )?rule|rule:|new rule|house rule|reminder:|remember(?: that)?[:,]?|by convention|our convention|the convention|note to self)\b/,
    isStatement: true,
  },
  {
    kind: 'always',
    pattern: /^(?:please )?(?:keep|bear) in mind\b.*\b(?:must|need to|have to|should|never|always|only|don't|do not)\b/,
    isStatement: true,
  },
  {
    kind: 'always',
    pattern: /\b(?:whenever|every ?time|each time|any ?time) (?:you|we|i|a|an|the)\b.{3,}/,
    isOrder: true,
  },
  {
    kind: 'always',
    needs: /^(?:before|after|when|for|on|in|with) [^,]+, /,
    pattern: new RegExp(
      `^(?:before|after|when|for|on|in|with) (?:each|every|any|all|you|a|committing|pushing|making|finishing|writing|editing|changing|adding|merging|opening|starting)\\b[^,]{0,80}, (?:please |always |also |you (?:should|must) )?${ACT}\\b`,
    ),
  },
  {
    kind: 'always',
    needs: /\b(?:before|after|with|for|on|in) (?:each|every|any)\b/,
    pattern: new RegExp(
      `^(?:and |also |please )?${ACT}\\b.{1,120}\\b(?:before|after|with|for|on|in) (?:each|every|any)\\b`,
    ),
  },
  {
    kind: 'always',
    pattern: new RegExp(
      `^(?:and |also |please )?(?:run|ask|check|wait|show|update|format|lint|test|build|confirm|tell|read|consult|review|verify|rebase|pull|plan|explain|propose|discuss)\\b.{1,80}\\b(?:before|after) (?:you )?(?:commit|push|merg|edit|chang|releas|deploy|delet|remov|rewrit|touch|mak|start|do|finish)\\w*\\b`,
    ),
  },
  { kind: 'only', needs: /only /, pattern: new RegExp(`${CLAUSE}only (?:ever )?(?:${ACT}\\b|after |when |if |once )`) },
  {
    kind: 'only',
    needs: /only|nothing but|exclusively/,
    pattern: new RegExp(`${CLAUSE}${ACT} (?:only|nothing but|exclusively) (?!\\d)`),
    isOrder: true,
  },
  {
    kind: 'only',
    needs: /nothing else/,
    pattern: new RegExp(`${CLAUSE}${ACT}\\b.{2,80}\\bnothing else\\b`),
    isOrder: true,
  },
  {
    kind: 'only',
    pattern:
      /\bonly (?:the|those|these|this|my) .{2,40} (?:should|may|must) (?:change|be changed|move|be touched|be edited)\b/,
  },
  {
    kind: 'only',
    needs: /only|exclusively/,
    pattern: new RegExp(
      `${CLAUSE}${ACT} (?:[\\w\`./@*'-]+ ){0,6}?(?:only|exclusively)(?= (?:in|on|under|from|to|when|if|after|with|within|for|what|according|once|as|at|inside|via|through|by|those|files|where)\\b|[.,!;]|$)`,
    ),
    isOrder: true,
  },
  {
    kind: 'only',
    pattern:
      /\b(?:you|we|claude) (?:should|must|may|can|need to|have to) only\b|\bnothing (?:else )?(?:but|except|outside)\b/,
    isStatement: true,
  },
  {
    kind: 'only',
    pattern: new RegExp(
      `${CLAUSE}(?:stick (?:to|with)|limit (?:yourself|it|this|changes)|restrict|stay (?:in|within|on|inside)|keep (?:(?:it|this|that|them|things) (?:as )?(?:simple|short|small|minimal|surgical|clean|in |under |below |consistent|concise|brief|terse|separate|pure)|(?:the|all|every|your|changes?|commits?|functions?|files?|tests?|code|setup|answers?|diffs?|everything|replies|prs?|comments?|names?)\\b))`,
    ),
    isOrder: true,
  },
  {
    kind: 'must',
    pattern:
      /(?<!\b(?:i|we|you|it|they) )\b(?:has|have|needs?) to (?:always |still )?(?:keep|stay|remain|work|support|run|be compatible|pass|compile|build)\b/,
    isStatement: true,
  },
  {
    kind: 'must',
    pattern:
      /\b(?:it is|it's) (?:very |really |absolutely )?(?:important|crucial|essential|vital|critical) (?:that|to)\b|\bstays? (?:at|unchanged|the same|as is|compatible)\b/,
    isStatement: true,
  },
  {
    kind: 'must',
    pattern:
      /\b(?:must|mustn't)(?! (?:be (?:broken|wrong|lost|gone|stuck|cached|hidden|slow|down|off|stale|null|empty|undefined|outdated|corrupt\w*|able|a|an|the|because|why|something|some|that|due|from|missing|\w+ing)\b|have (?:been|\w+ed\b|gone|got|broken|lost|come|run|seen|happened|had)|i|we|admit|say))\b/,
    isStatement: true,
  },
  {
    kind: 'must',
    pattern:
      /\b(?:you|we|it|they|everything|all [\w ]{1,30}|every [\w ]{1,30}|each [\w ]{1,30}) (?:always )?(?:have to|has to|needs? to)\b.*\b(?:always|every|each|all|before|after|at all times|no matter|keep working|backwards?[- ]compatible|stay|remain)\b/,
    isStatement: true,
  },
  {
    kind: 'must',
    pattern: /\b(?:is|are) (?:required|mandatory|compulsory|non-?negotiable|a must)\b/,
    isStatement: true,
  },
  {
    kind: 'make-sure',
    pattern: new RegExp(
      `${CLAUSE}(?:make (?:absolutely )?sure|ensure(?! (?:that )?we have an?\\b)|be sure (?:to|that)|see to it|take care (?:to|that|not)|remember to|be careful (?:to|not|with|when)|double[- ]check)\\b`,
    ),
  },
  {
    kind: 'instead',
    needs: /instead of|rather than|in place of/,
    pattern: new RegExp(
      `${CLAUSE}(?:let's )?(?!(?:make|add|create|edit|extend|return|throw) (?:the|this|that|it|a|an|my)\\b)(?:${CHOICES})\\b.{1,100}\\b(?:instead of|rather than|in place of)\\b \\S`,
    ),
    isOrder: true,
  },
  { kind: 'make-sure', pattern: /(?<!\bto |\bwe |\byou |\bi'll )\bmake sure (?:you|to|all|every|no|nothing|claude)\b/ },
  {
    kind: 'instead',
    pattern: new RegExp(
      `^(?:instead of|rather than) .{2,80}?,? (?:please |always |just )?(?:use|call|write|run|import|prefer|go with)\\b`,
    ),
  },
  {
    kind: 'instead',
    needs: / not /,
    pattern: new RegExp(
      `${CLAUSE}(?:let's )?(?:${CHOICES})\\b.{1,80}(?:,| and| but|;| -)? not (?!just|only|be\\b|sure|yet|so\\b|too\\b)(?:the |a |an |in |on |to |with |from |by )?[\\w\`'"./@*]+`,
    ),
    isOrder: true,
  },
  {
    kind: 'without',
    needs: /without /,
    pattern: new RegExp(
      `${CLAUSE}(?:let's )?[a-z]+\\b.{1,120}\\bwithout (?!having to|me having|any (?:issue|problem|error)s?|(?:issue|problem|error)s?\\b)(?:${DOING}|any|the|a|an|new|adding|extra|[a-z]+s\\b)`,
    ),
    isOrder: true,
  },
  {
    kind: 'instead',
    needs: /(?:,| and| but) (?:no|never) /,
    pattern: new RegExp(`${CLAUSE}(?:${CHOICES})\\b.{1,60}(?:,| and| but) (?:no|never) [a-z\`]+[.!]?$`),
    isOrder: true,
  },
  { kind: 'correction', pattern: /^(?:it's|it is|that's) (?:called |named |spelled |written |["`']).{1,60}\bnot\b/ },
  {
    kind: 'always',
    pattern:
      /^(?:please )?(?:write|name|format|document|prefix|put|wrap|store|return|log|sort|quote|pin) (?:all|every(?:thing)?|each|any)\b/,
  },
  {
    kind: 'always',
    needs: /^(?:before|after|with|for|on|in) (?:each|every|any)\b/,
    pattern: new RegExp(`^(?:before|after|with|for|on|in) (?:each|every|any)\\b.{1,60}\\b${ACT}\\b`),
  },
  {
    kind: 'always',
    pattern:
      /^(?:if|when|in case|unless|in doubt)\b[^,]{0,80}, (?:please |always |then )?(?:ask|don't|do not|never|stop|wait|tell me|report|prefer)\b/,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:please )?(?:answer|reply|respond|write|speak|talk)(?: to me)? (?:briefly|in (?!the\b|a\b)|shortly|concisely)|^(?:please )?treat .+ as\b|\bwe want\b.*\b(?:everywhere|across|throughout)\b/,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:please )?(?:for|in) (?!example|the meantime|this case|that case|now|addition|order)[^,]{2,40},? (?:please |always )?(?:use|write|prefer|call|name)\b/,
    isStatement: true,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:please )?use (?!it|this|that|these|those|your)[\w`@/. -]{2,40} for (?:all |any |every )?(?:[a-z]+ ){0,2}(?:[a-z]+ing|[a-z]+s)\b(?! to\b)/,
    maxWords: 14,
  },
  {
    kind: 'preference',
    pattern: /\b(?:i|we)(?:'d| would)? (?:really |strongly |much |generally |usually )?prefer\b/,
    isStatement: true,
  },
  { kind: 'preference', pattern: /^(?:please )?prefer [\w`]/ },
  {
    kind: 'preference',
    pattern:
      /\bi (?:like|hate|dislike|love|can't stand) (?:it when|my |to have |short|small|tabs|spaces|explicit|early|simple|tests? )/,
    isStatement: true,
  },
  {
    kind: 'preference',
    pattern:
      /\b(?:i|we) (?:want|expect|need) (?:you|everything|all|every|each|claude|commits?|tests?|answers?|code|comments?) (?:to|in|as|with|written)\b(?! (?:know|understand|help|take a look|look|see|make sure|come up|find|explain|review|summari[sz]e|check))/,
    isStatement: true,
  },
  {
    kind: 'preference',
    pattern:
      /\b(?:i|we)(?:'d| would) (?:like|want|love|rather)\b.*\b(?:tdd|test[- ]first|(?:a|an|the) [\w-]+ (?:approach|style|convention|workflow)|you (?:to )?(?:always|never|not|only|ask|use))\b/,
    isStatement: true,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:(?:in|for) (?:this|our|the) (?:repo(?:sitory)?|project|code ?base|team|monorepo|package|company|app|tests?)[^,]{0,30},? )?(?:here )?we (?:use|write|follow|keep|name|deploy|target|support|prefer|stick|format|test|commit|squash|rebase|develop|work|indent|release|version|document|review|pin|mock)\b(?!d)(?! (?:it|this|that|them|these) )/,
    isStatement: true,
    maxWords: 30,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:please |always )?(?:ask|check with|confirm with|wait for|get) (?:me|my (?:ok|okay|approval|go(?:-ahead)?|confirmation|permission)|permission|approval|confirmation)\b/,
  },
  {
    kind: 'preference',
    pattern:
      /\blet me know (?:before|at the end|whenever|each time|every time)\b|\b(?:let me know|ask me|tell me) (?:if|when|before)\b.*\b(?:any|every|each|before)\b|\bin case (?:of )?any\b.*\b(?:let me know|ask)\b/,
  },
  {
    kind: 'preference',
    pattern:
      /\bi(?:'ll| will) (?:do|run|push|commit|merge|deploy|handle|test|publish|release|write|review)\b.{0,60}\b(?:myself|by hand|on my own|manually)\b/,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:follow|stick to|adhere to|respect|conform to|match) (?:the |our |existing |project |my |this )?[\w`./ -]{2,60}\b(?:style|convention|conventions|guide|guidelines|patterns?|rules|format|naming|flow|process|workflow|structure|standard|standards)\b/,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:the )?(?:commit messages|commits|branch(?:es| names)|tests|functions|files|variables|comments|answers|replies|error messages|migrations|prs|pull requests|docs|documentation|types|imports|names|constants|classes|components|endpoints|ids|dates|strings|indentation|line length|all (?:new )?[\w ]{2,30}|every (?:new )?[\w ]{2,30}|any (?:new )?[\w ]{2,30}) (?:should|go(?:es)?|belongs?|stays?|lives?|are|is) (?:always |only |to be |all )?(?:be |in |under |at |written |named |on |lower|upper|kebab|camel|snake|english|use |have |follow |start |end |into )/,
    isStatement: true,
    maxWords: 30,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:reuse|re-use) (?:the |our )?existing\b|^work in (?:small|vertical|tiny|single)\b|\bone (?:commit|pr|change|branch) per\b/,
  },
]

/** Of this moment, not of the project. */
export const PASSING =
  /\b(?:yet|for now|right now|for the moment|at the moment|until i|just now|this time|for this|in this (?:pr|commit|branch|pass|session|step|change|task|round)|today|tonight|v1|first pass|for the time being|this (?:feature|change|pr|ticket|issue|bug)|do not forget|don't forget)\b/i

/** A question, a wish, a guess or a report: words of a rule, but not one. */
export const NOT_RULES: readonly RegExp[] = [
  /^(?:why|what|how|where|when(?:'s| is| does| do| did| will)|which|who|is|are|was|were|does|did|do (?:we|you|i|they)|don't (?:we|you|they)|didn't|isn't|aren't|wasn't|should (?:we|i|it|this|the)|shouldn't|would it|could (?:it|this|that)|couldn't|can (?:i|it|this|that|we|you)|could (?:we|you)|wouldn't)\b(?!.*\b(?:never again)\b)/,
  /^\(/,
  // An answer to what was just asked.
  /^i(?:'m| am)? mean(?:t|ing)?\b/,
  /\b(?:maybe|perhaps) (?:we|you|it|i|just|add|use|also)\b/,
  /^(?:maybe|perhaps|i wonder|wondering|i guess|not sure|i'm not sure|im not sure|i am not sure|i assume|looks like|it looks like|seems|it seems|apparently|i'm seeing|seeing|i see|i saw|got|i got|i get)\b/,
  /^(?:i think|i believe|i feel)\b(?!.*\b(?:never|always|must|don't|do not|should not|shouldn't)\b)/,
  /\b(?:if|because|since|though|although|says|said that it|reports?|shows?|claims?) (?:it|this|that|he|she|they) (?:never|always|only|don't|doesn't)\b/,
  /\b(?:error|message|warning|linter|compiler|docs?|it|log|output|ci|console|comment|feedback) (?:still )?(?:says?|said|prints?|reads?|shows?|suggests?)\b/,
  /\b(?:doesn't|does not|isn't|is not|aren't|won't|didn't|wasn't) work(?:ing)?\b/,
  /\b(?:you|we|i|it|he|they) (?:never|didn't|did not|always|only) (?:\w+ed|ran|did|said|saw|had|got|made|came|went|wrote|was|were|been|seen|worked|works|fails?|happens?|returns?|shows?|gets?)\b/,
]
