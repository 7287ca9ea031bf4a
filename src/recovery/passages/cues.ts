/** Words that show what a sentence is about. English, with the commonest words of a few other languages. */
export const CUES = {
  constraint:
    /\b(?:don'?t|do not|never|always|must(?:n't)?|only|without|keep|instead|rather|prefer|should(?:n't)?|no need|not? (?:be|need|want)|avoid|make sure|ensure|want|wanted|please|required?|leave|stop|skip)\b|不要|必须|只|\b(?:nicht|nur|immer|sans|jamais|toujours|nunca|siempre|solo)\b/i,
  reason:
    /\b(?:because|since|so that|so we|so the|instead of|rather than|chose|choose|decid\w+|therefore|otherwise|due to|reason|trade-?off|better|simpler|the (?:issue|problem|cause|reason) is|means|that'?s why|which means|turns out)\b|因为|所以|\b(?:weil|porque|parce que)\b/i,
  done: /\b(?:done|completed?|finished|implemented|added|removed|created|updated|fixed|committed|pushed|merged|renamed|moved|refactored|replaced|now (?:uses?|shows?|has|is|returns?|pass(?:es)?|works?)|all (?:tests|checks)|pass(?:es|ed|ing)?|0 issues|successful(?:ly)?|works|verified|resolved|deleted|rebased)\b/i,
  failure:
    /\b(?:fail(?:s|ed|ing|ures?)?|errors?|broken?|breaks|bug|wrong|incorrect(?:ly)?|missing|can'?t|cannot|doesn'?t|isn'?t|not found|problem|issues?|crash\w*|unexpected|invalid|conflicts?|regression|hang|flaky|stale|panic|lost)\b/i,
  next: /\b(?:next(?: steps?)?|then|remaining|still (?:need|to|has|have)|todo|to do|pending|left to|follow-?up|after that|afterwards|before (?:we|i|committing|merging)|needs? to|should now|going to|plan(?:ned)?|will|once|step \d|task \d|phase \d)\b|接下来|\b(?:als nächstes|ensuite|siguiente)\b/i,
  question:
    /\?\s*$|\b(?:would you like|do you want|should i|shall i|which (?:one|option)|let me know|want me to|what do you think|option [ab1-3]|how would you)\b/i,
  finding:
    /\b(?:the (?:issue|problem|root cause|cause|bug|key|reason|fix|solution|approach)|root cause|i see|found|it (?:seems|looks|turns)|actually|this means|currently|at the moment|confirmed|discovered|noticed)\b/i,
  count:
    /\b\d+ (?:tests?|files?|issues?|passed|failed|of|errors?|comments?|tasks?|commits?)\b|#\d+|\b[0-9a-f]{7,10}\b|\d+\/\d+/i,
} as const
export type Cue = keyof typeof CUES

const CUE_NAMES = ['constraint', 'reason', 'done', 'failure', 'next', 'question', 'finding', 'count'] as const

export function findCues(text: string): ReadonlySet<Cue> {
  return new Set(CUE_NAMES.filter((name) => CUES[name].test(text)))
}

const NARRATION =
  /^(?:(?:ok(?:ay)?|good|great|perfect|excellent|now|so|alright|right|nice|yes|wait|hmm|first|next|also|and|done)\b[,.!:;—-]*\s*)*(?:let me|let's|i'll|i’ll|i will|i'm going to|i am going to|(?:i'm|i’m|i am) (?:now |also |just )?(?:adding|applying|checking|continuing|creating|editing|fixing|going|launching|looking|moving|opening|reading|reviewing|running|searching|starting|testing|trying|updating|using|verifying|waiting|working|writing)|i need to|i should|time to)\b/i
const FILLER = /^(?:good|great|perfect|now)\b/i

export function isNarration(text: string): boolean {
  return NARRATION.test(text) || FILLER.test(text)
}

const LOOKING =
  /\b(?:let me|i'll|i’ll|i will|i need to|let's)\s+(?:now |also |first |just |quickly |then )*(?:check|look|see|verify|run|rerun|read|find|search|examine|explore|investigate|trace|test|try|get|view|understand|start by|confirm|commit|continue)\b/i

/** "Let me check…": it changes nothing. */
export function isLooking(text: string): boolean {
  return LOOKING.test(text)
}

/** "Now let me check…": what the agent was about to do, which says nothing once later messages follow. */
export function isAnnouncement(text: string): boolean {
  if (NARRATION.test(text) || /^now\b/i.test(text)) return true
  const [before = ''] = text.split(LOOKING)
  return LOOKING.test(text) && before.length < 25
}

const REMARK =
  /^(?:good|great|perfect|nice|ok(?:ay)?|oh|hmm|wait|i see|i can see|now i|yes|interesting|excellent|right|starting with|still|no rush)\b/i
/** A remark with a reason stays. */
const REASONED = /\b(?:because|since|so that|root cause|the (?:issue|problem|cause) is|decid\w+|turns out|must)\b/i
const REMARK_CHARS = 140
const FINDING =
  /\b(?:because|since|so that|instead|root cause|the (?:issue|problem|cause|reason|fix)|decid\w+|turns out|means|fail\w*|wrong|missing|can'?t|cannot|doesn'?t|without|need(?:s|ed)? to|should|must)\b/i

/** "Good. All imports are valid.": what the agent says to itself between two tool calls. */
export function isPassingRemark(text: string, identifiers: number): boolean {
  if (text.endsWith('...')) return true
  if (REMARK.test(text)) return identifiers < 3 && !REASONED.test(text)
  return identifiers === 0 && text.length < REMARK_CHARS && !FINDING.test(text)
}

const INTERJECTION =
  /^(?:(?:ah|oh|yes|ok(?:ay)?|great|good|perfect|hmm|wait|now|right|indeed|actually|but)[\s,!.:-]+)*(?:i (?:think i(?:'ve)? |now |can |do )?(?:see|found|understand|get it|know)(?: (?:what(?:'s| is) (?:happening|going on|wrong)|the (?:issue|problem|bug|pattern|error)|it|now))?(?: now)?|you(?:'re| are| raise| make)? (?:absolutely |completely |totally |very |a (?:very )?)?(?:right|correct|good|great|fair)(?: \w+)?(?: to (?:ask|question|push back)(?: \w+)*)?|(?:that'?s )?(?:an? )?(?:very )?(?:good|great|fair|excellent) (?:point|question|catch|idea|thinking)|here(?:'s| is) (?:the|a) (?:summary|overview|plan|list)|i'm doing (?:great|well|good|fine)[^.!]*|i'm [\w .]+, powered by [^!]*|commit created successfully|found it|got it|done|i (?:now )?have (?:all i need|enough (?:context|information)|(?:the|a) (?:clear|complete|full|good|whole) (?:context|picture|understanding))(?: now)?)[.!:]*$/i

/** "Good question!", "I see the issue!": nothing by itself. */
export function isInterjection(text: string): boolean {
  return INTERJECTION.test(text.trim())
}

const PROGRESS =
  /^(?:all )?\d+(?:\/| of )\d+ .{0,40}\b(?:done|complete|finished|back)\b|^(?:still )?waiting (?:for|on)\b|\b(?:is|are) (?:still |now )?(?:running|in progress|working on it)\b|\brunning in parallel\b|^(?:now )?(?:applying|checking|launching|loading|reading|running|writing)\b(?!.* (?:because|since|so that)\b)/i

const DONE_REMARK = /^[\w' -]{3,30} (?:is back|done|finished|complete)[.!]$/i

/** "The reviewer is back." between two calls. */
export function isDoneRemark(text: string): boolean {
  return DONE_REMARK.test(text)
}

/** How far something was that has gone on since: "2/3 done", "Waiting for the reviewer". */
export function isProgress(text: string): boolean {
  return text.length < 120 && PROGRESS.test(text)
}

/** What a message says that only agrees, thanks or asks to go on. */
const ACKNOWLEDGEMENT =
  /^\s*(?:yes|yep|yeah|no|nope|ok(?:ay)?|y|n|sure|continue|go on|go ahead|proceed|do it|\d+|done|thanks?(?: you)?|great|good|perfect|nice|cool|commit(?: (?:this|it|that|these changes))?(?: and push)?(?: please)?|please commit|push(?: it)?|looks good|lgtm|hi|hello|resume|bye|good ?bye|see you)\W*$/i

/** "Thanks, see you tomorrow!" */
const FAREWELL =
  /^(?:(?:ok(?:ay)?|great|perfect|good|nice|cool|awesome|thanks?(?: you)?(?: (?:so much|a lot|very much|again))?|thx|cheers|well done|good (?:job|work)|nice work|that'?s (?:all|it|enough)(?: for (?:today|now))?|(?:i'?m |we'?re )?done for (?:today|now)|bye(?: bye)?|good ?(?:bye|night|evening)|see (?:you|ya)(?: (?:tomorrow|later|soon|next week|on monday|then|around))?|talk (?:to you )?(?:later|soon|tomorrow)|until (?:tomorrow|next time)|have a (?:good|nice|great) (?:one|day|night|evening|weekend)|tomorrow|later)[\s,.!;:)–—-]*(?:and )?)+$/i

export function isAcknowledgement(text: string): boolean {
  return ACKNOWLEDGEMENT.test(text) || isFarewell(text)
}

export function isFarewell(text: string): boolean {
  return text.length < 120 && FAREWELL.test(text.trim())
}
