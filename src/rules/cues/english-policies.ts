import type { RuleCue } from './cue.ts'

/** What is said of a project in general, without an order: policies, divisions of work, conventions without a verb. */

const WRITTEN =
  '(?:commit messages?|commits|comments?|docs|documentation|code|answers?|replies|names?|identifiers|variables|tests?|test files|logs?|error messages?|branch(?:es| names?)|prs?|pull requests?|docstrings?|strings|dates|times|timestamps|imports|ids|files|migrations|queries|secrets|configs?|settings|endpoints|functions|classes|components|styles|types|fixtures|mocks|helpers|changelogs?|releases?|versions?|tags|sql|css|html|json|yaml)'
const HABIT =
  '(?:touch|edit|chang|push|merg|deploy|commit|delet|modif|renam|open|releas|publish|overwrit|remov|upgrad|bump)(?:e?s|ies)'
const HERE =
  '(?:in|for|of|across|throughout) (?:this|our|the) (?:code ?base|repo(?:sitory)?|project|app|team|package|monorepo|service)\\b|\\bhere\\b'

export const ENGLISH_POLICIES: readonly RuleCue[] = [
  {
    kind: 'only',
    pattern:
      /\b(?:unless|until) (?:i (?:explicitly |specifically )?(?:say|ask|tell|confirm|approve|agree|give|request|want)|(?:explicitly |specifically )?(?:told|asked|instructed|requested|approved)|you(?:'ve| have)? (?:asked|checked|are (?:told|asked)|(?:get|got|have) (?:my|the ok|an ok|approval|permission|a go)))\b/,
  },
  { kind: 'never', pattern: /^no [a-z`-]+(?: [a-z`-]+){0,3},? (?:ever|period|full stop|at all|anywhere)[.!]?$/ },
  { kind: 'never', pattern: /^(?:whatever you do|no matter what|in no case|on no account)\b/ },
  {
    kind: 'dont',
    pattern:
      /(?:^|[;:] )(?:the |our |all |any |everything |anything )?[\w`./@ -]{0,50}\b(?:is|are|stays?|remains?) (?:now )?(?:frozen|read-only|protected|immutable|not (?:acceptable|ok|okay|negotiable|to be \w+ed|yours to)|unacceptable|out of bounds|out of scope|reserved for)\b(?!.*\b(?:why|because|fail\w*|error\w*|got|was|were|can't|cannot|couldn't|rejected|denied|says?)\b)/,
    isStatement: true,
    maxWords: 24,
  },
  {
    kind: 'dont',
    pattern:
      /\b(?:stays?|remains?|has to stay|have to stay|must stay) (?:exactly )?(?:as (?:it is|they are|is)|the way (?:it is|they are)|where (?:it is|they are)|untouched)|\bstays? (?:at |on |with )?v?\d/,
    isStatement: true,
    maxWords: 24,
  },
  {
    kind: 'dont',
    pattern: new RegExp(`^(?:nobody|no one|none of us|no agent) (?:ever )?${HABIT}\\b`),
    maxWords: 24,
  },
  {
    kind: 'dont',
    pattern:
      /(?:^|, (?:so|and|therefore) )(?!(?:it|this|that|they|he|she|there|which|some|you may|i|we)\b)[\w`./@ -]{3,50}\bmay not (?!be\b|have\b|work|exist|need|know|want|even|always|match|get|show|appear|happen|fit|run on)\w+/,
    maxWords: 30,
  },
  {
    kind: 'dont',
    pattern:
      /^(?:so |and |please )?let's not (?:introduce|add|use|touch|change|write|commit|push|create|go|mix|install|pull|break|mock|over-?\w+|re\w+)\b/,
  },
  {
    kind: 'must',
    pattern:
      /^(?:any|every|each|all) (?!time\b|idea\b)(?:new |other |public |single |exported |merged )*(?:\w+ )?(?:endpoint|function|class|component|commit|change|prs?|pull request|migration|feature|fix|bug ?fix|file|module|test|api|method|release|branch|package|route|handler|query|queries|script|page|model|service|job|command|option|dependency|dependencies|comment|type|table|column|hook|event|string|message|refactoring|work)(?:e?s)? (?:[a-z]+ ){0,4}?(?:needs? (?:an?|to|its|my|tests?|docs)\b|requires? (?:an?|my)\b|goes? (?:through|via|into|in|under|to me)\b|belongs? |comes? with |gets? (?:an?|its own) (?:test|doc|entry|changelog|review|type)|ha(?:s|ve) to (?:have|be|go|come|pass|stay)\b)/,
    isStatement: true,
    maxWords: 30,
  },
  {
    kind: 'must',
    pattern: /\bha(?:s|ve) to (?:stay|keep|remain)\b/,
    isStatement: true,
    maxWords: 24,
  },
  {
    kind: 'preference',
    pattern:
      /\b(?:is|are|stays?) (?:my (?:job|call|decision|task|responsibility|business|department)|up to me|on me)\b|\bi(?:'m| am) the (?:only )?(?:one|person) (?:who|to|that)\b|\bgo(?:es)? (?:through|past|by) me\b|^leave .{2,60} to me\b|\b(?:run|pass|clear) (?:it|that|them|this|every\w*|any\w*|all \w+|changes) (?:by|past|with) me\b/,
    isStatement: true,
    maxWords: 30,
  },
  {
    kind: 'preference',
    pattern:
      /\bi(?:'d| would) rather (?:have|you|we|keep|use|not)\b|\b(?:is|are) (?:better|preferred) (?:here|in this \w+)\b/,
    isStatement: true,
    maxWords: 30,
  },
  {
    kind: 'preference',
    pattern:
      /\b(?:is|are) (?:our|the) (?:only |official |default |standard )?(?:package manager|formatter|linter|test runner|test framework|convention|code style|style guide|build tool|policy|source of truth|orm)\b/,
    isStatement: true,
    maxWords: 24,
  },
  {
    kind: 'preference',
    pattern: new RegExp(
      `^(?:all |every |new |our |the )*${WRITTEN}(?: \\w+)? (?:(?:always|only|all|strictly) )?(?:in|on|with|as|at|under|without|next to|beside|lower|upper|kebab|snake|camel|pascal|max(?:imum)?|at most|go(?:es)? (?:in|into|to|under|next)|come from|live (?:in|next|under)|explain|describe|end (?:in|with)|start with|use)[ -](?!.*\\b(?:fail\\w*|was|were|broke\\w*|breaks?|crash\\w*|missing|wrong|not work\\w*|doesn't|don't|isn't|aren't|error out|still|again|now|need\\w*|seem\\w*|look\\w*|has|have|got|is|are|shows?|takes?)\\b)`,
    ),
    isStatement: true,
    maxWords: 20,
  },
  {
    kind: 'preference',
    pattern: new RegExp(
      `^(?!(?:it|this|that|they|there|he|she|i|the (?:result|response|output|value|error|test|build|ci|server))\\b).{2,60}\\b(?:are|is|goes?|go) (?:always|never) (?:.*\\b)?(?:${HERE})`,
    ),
    isStatement: true,
    maxWords: 24,
  },
  {
    kind: 'only',
    pattern: /^(?!(?:read|not|if|but|the|this|that|it|one|yes|no)\b)[a-z`-]+(?: [a-z`-]+){1,3} only(?:, please)?[.!]?$/,
  },
  {
    kind: 'only',
    pattern:
      /^only (?:i|me|we|the [a-z]+|[a-z]+)(?:,? (?:and|or) (?:i|me|[a-z]+))?(?: may| can)? (?:approves?|merges?|deploys?|releases?|publish(?:es)?|push(?:es)?|decides?)\b/,
  },
  {
    kind: 'preference',
    pattern: /^(?:please |always )?(?:ask|check|confirm|wait)(?: first)? before (?:you |any |every |each |\w+ing\b)/,
  },
  {
    kind: 'preference',
    pattern:
      /^i (?:will |always )?(?:handle|do|own|manage|make|take care of|decide(?: on| about)?) (?:the |all (?:the )?|our )?(?:[a-z]+ )?(?:releas|deploy|merg|publish|version|schema|migration|tag|changelog|commit|push|review|upgrad|rollout)(?:e?s|ing|ments?)?\b/,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:please )?(?:prefix|suffix|name|sort|format|indent|wrap|quote|capitali[sz]e|group|sign|number|version|annotate) (?!(?:the|this|that|these|those|it|my|a|an)\b)[\w -]{2,30}s (?:with|by|in|as|after|like)\b/,
    maxWords: 20,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:please )?keep (?!(?:the|this|that|these|those|it|my|me|in|going)\b)[\w -]{2,30}s (?:[a-z]+ed|short|small|simple|pure|flat|sorted|thin|free of|out of|up to date|in sync|backwards?[- ]compatible)\b/,
    maxWords: 16,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:all|every) (?!tests?\b)[\w -]{3,60}? (?:is|are) (?:stored|written|kept|named|formatted|generated|reviewed|documented|sorted|encrypted|logged|validated|prefixed|signed|typed|translated)\b(?!.*\b(?:but|now|still|yet|wrong|yesterday|today)\b)/,
    isStatement: true,
    maxWords: 18,
  },
  {
    kind: 'preference',
    pattern:
      /^(?!(?:error|timeout|bug|fail|crash|problem|missing|same|there|a|an|the|this|that)\w*\b)[a-z`-]+(?: [a-z`-]+){0,3} (?:in|for|on|at|with|before|after) (?:all|every|each|any) (?!.*\b(?:is|are|was|were|has|have)\b)[a-z` -]{3,40}[.!]?$/,
    isStatement: true,
    maxWords: 10,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:please )?use (?!(?:the|this|that|these|those|it|my|a|an|your|both|some|more|its|two|three)\b)[a-z`-]+(?: [a-z`-]+){0,3}s(?: (?:only|everywhere|please|here))?[.!]?$/,
    maxWords: 7,
  },
  { kind: 'must', pattern: /\bi (?:want|need|expect) (?:every|each|all|any) /, isStatement: true, maxWords: 24 },
  {
    kind: 'dont',
    pattern:
      /, so (?:please )?(?:no|never|don't|do not) (?!one\b|idea\b|longer\b|need\b|problem\b|luck\b)[a-z`-]+(?: [a-z`-]+){0,4}[.!]?$/,
    maxWords: 24,
  },
  { kind: 'only', pattern: /\b(?:is|are) \w+(?:ed|en|ne|un|nt) .{2,40} only[.!]?$/, isStatement: true, maxWords: 14 },
  {
    kind: 'must',
    pattern:
      /^(?:whatever|whoever|anything(?: that)?|everything(?: that)?|all that|who) .{3,50}? (?:needs? (?!to be able)|requires? |goes? through|has to|must|should(?! be (?:fine|ok|okay|good|done|ready|there|in)\b| work))\b/,
    isStatement: true,
    maxWords: 20,
  },
  {
    kind: 'preference',
    pattern:
      /^(?:two|three|four|eight|\d+|single|double|hard|soft|trailing)[ -](?!.*\b(?:is|are|was|were|has|have|missing|too|fail\w*|wrong|more)\b).*\b(?:spaces?|tabs?|indent(?:ation)?|columns|characters|quotes|semicolons|commas)\b/,
    isStatement: true,
    maxWords: 8,
  },
  // "Tabs, not spaces", "comments explain why, never what".
  {
    kind: 'instead',
    pattern:
      /^(?!(?:it|this|that|yes|no|ok|i|we|they|maybe|probably|the|a|an|my|your)\b)[\w`.-]+(?: [\w`.-]+)?, not (?:just )?[\w`.-]+(?: [\w`.-]+)?(?:, (?:please|everywhere|always|ever|here))?[.!]?$/,
  },
  {
    kind: 'never',
    pattern:
      /^(?!(?:it|this|that|they|he|she|i|there|we|you)\b).{3,80}, (?:and |but )?never (?!mind|did|was|had|got|happened|worked|returned|came|ran)[\w`]+(?: [\w`./-]+){0,5}[.!]?$/,
    isStatement: true,
    maxWords: 20,
  },
]
