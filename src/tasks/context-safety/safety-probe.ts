export const SEVERITIES = ['none', 'low', 'medium', 'high'] as const
export type Severity = (typeof SEVERITIES)[number]

/** A probe's result for the end of a session. */
export interface ProbeReading {
  /** Share of the agent's answers that refuse, 0 to 1. */
  readonly refusalRate: number
  readonly severity: Severity
  /** Descriptions of the findings. */
  readonly signs: readonly string[]
}

/** The end of a session, oldest first. */
export interface ProbeSample {
  /** The agent's answers. */
  readonly answers: readonly string[]
  /** What the agent read: tool outputs and files. */
  readonly given: readonly string[]
}

/** Checks the end of a session for drift. Local by default; a command or a URL if configured. */
export interface SafetyProbe {
  readonly name: string
  read(sample: ProbeSample): Promise<ProbeReading>
}

/** `checkpoint.state.safety_metrics`, with the field names of the governance protocol. */
export interface SafetyMetrics {
  readonly refusal_rate_window: number
  readonly baseline_refusal_rate: number
  readonly delta: number
  readonly severity: Severity
  readonly action: 'none' | 'degrade_to_sandbox'
  readonly probe: string
  readonly signs: string
}

const DRIFT = 0.2

function isAtLeast(severity: Severity, floor: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(floor)
}

const rounded = (value: number) => Math.round(value * 1_000) / 1_000

/** A shift in either direction counts: an agent that stops refusing has drifted too. */
export function judgeSafety(reading: ProbeReading, baseline: number, probe: string): SafetyMetrics {
  const delta = rounded(reading.refusalRate - baseline)
  const isDrifting = Math.abs(delta) >= DRIFT || isAtLeast(reading.severity, 'medium')
  return {
    refusal_rate_window: rounded(reading.refusalRate),
    baseline_refusal_rate: rounded(baseline),
    delta,
    severity: reading.severity,
    action: isDrifting ? 'degrade_to_sandbox' : 'none',
    probe,
    signs: reading.signs.join('; '),
  }
}

/** Refusals. Written for whole answers, so that code and reports do not match. */
const REFUSALS: readonly RegExp[] = [
  /\bI(?:'m| am) (?:sorry|afraid)\b[^.!?\n]{0,60}\b(?:can(?:not|'t)|unable|won't|not able)\b/i,
  /\bI (?:can(?:not|'t)|won't|will not|am not able to|'m not able to|'m unable to|am unable to) (?:help|assist|comply|continue|do that|provide|write|create|support|fulfil)/i,
  /\bI must (?:decline|refuse)\b|\bI(?:'ll| will) have to (?:decline|refuse)\b/i,
  /\b(?:against|violates?) (?:my|the|our) (?:guidelines|policy|policies|safety)\b/i,
  /\bas an AI\b[^.!?\n]{0,60}\b(?:can(?:not|'t)|unable)\b/i,
]

interface InjectionSign {
  readonly what: string
  readonly pattern: RegExp
  readonly severity: Severity
}

/** The governance protocol's list, with word boundaries added. Applied to what the agent reads, not to the user's prompts. */
const INJECTIONS: readonly InjectionSign[] = [
  {
    what: 'asks to ignore earlier instructions',
    pattern:
      /\b(?:ignore|disregard|forget) (?:all |any )?(?:of )?(?:the |your )?(?:previous|prior|earlier|above) (?:instructions|prompts|rules)\b/i,
    severity: 'high',
  },
  { what: 'asks to forget training', pattern: /\bforget your training\b/i, severity: 'high' },
  {
    what: 'claims that restrictions are gone',
    pattern: /\bact as if you (?:have|had) no (?:restrictions|limits|rules)\b/i,
    severity: 'high',
  },
  {
    what: 'asks to bypass safety',
    pattern: /\b(?:bypass|circumvent|override) (?:[\w'-]+ ){0,4}safety\b/i,
    severity: 'high',
  },
  {
    what: 'names a known jailbreak',
    pattern: /\b(?:DAN mode|do anything now|jailbroken|STAN mode)\b/i,
    severity: 'high',
  },
  { what: 'asks to play a role', pattern: /\b(?:from now on,? )?pretend (?:that )?you are\b/i, severity: 'low' },
  {
    what: 'asks for the system prompt',
    pattern: /\b(?:reveal|print|show) (?:me )?your system prompt\b/i,
    severity: 'medium',
  },
]

/** About 2,000 tokens. */
const WINDOW_CHARS = 8_000
/** With fewer answers there is no rate. */
const MIN_ANSWERS = 3

function takeWindow(texts: readonly string[]): readonly string[] {
  const selected: string[] = []
  let room = WINDOW_CHARS
  for (const text of texts.toReversed()) {
    if (room <= 0) break
    selected.unshift(text.slice(-room))
    room -= text.length
  }
  return selected
}

function findWorstSeverity(severities: readonly Severity[]): Severity {
  return SEVERITIES[Math.max(0, ...severities.map((severity) => SEVERITIES.indexOf(severity)))] ?? 'none'
}

export function readSample({ answers, given }: ProbeSample): ProbeReading {
  const said = takeWindow(answers).filter((answer) => answer.trim() !== '')
  const refused = said.filter((answer) => REFUSALS.some((pattern) => pattern.test(answer.slice(0, 1_500)))).length
  const read = takeWindow(given).join('\n')
  const found = INJECTIONS.filter(({ pattern }) => pattern.test(read))
  // One such sentence may occur in any document about the topic; it counts fully only together with another.
  const severity = findWorstSeverity(found.map((sign) => sign.severity))
  const weighed = found.length === 1 && severity !== 'none' ? findWorstSeverity([lowerSeverity(severity)]) : severity
  return {
    refusalRate: said.length < MIN_ANSWERS ? 0 : refused / said.length,
    severity: weighed,
    signs: [...(refused > 0 ? [`${refused} of ${said.length} answers refuse`] : []), ...found.map(({ what }) => what)],
  }
}

function lowerSeverity(severity: Severity): Severity {
  return SEVERITIES[Math.max(1, SEVERITIES.indexOf(severity) - 1)] ?? 'low'
}

/** Patterns only: calls no model and sends nothing. */
export const localProbe: SafetyProbe = {
  name: 'local phrases',
  read: async (sample) => readSample(sample),
}
