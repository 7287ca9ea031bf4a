import { expect, test } from 'vitest'
import { createRedactor } from '../redaction/redactor.ts'
import { redactEvent } from '../redaction/redact-event.ts'
import { EventId } from '../kernel/id.ts'
import { readEvent } from './claude-code/events.ts'
import type { Arrival } from './contract/connector.ts'

const KEPT_CHARS = 64_000
const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook' }
const ENV_VALUE = 'tangerine 7, walrus 12, lighthouse 40, umbrella 3'
const PHRASE =
  'legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth title'
const redactor = createRedactor({ extraValues: [ENV_VALUE] })

function storedPrompt(prompt: string): string {
  const payload = { session_id: 's', hook_event_name: 'UserPromptSubmit', cwd: '/app', prompt }
  const event = readEvent('UserPromptSubmit', payload, arrival)
  if (event === undefined) throw new Error('The prompt made no event.')
  const kept = redactEvent(event, redactor)
  return kept.kind === 'prompt-submitted' ? kept.prompt : ''
}

/** Words without newlines: a cut can fall between any two of them. */
const filler = (chars: number) => 'lorem '.repeat(Math.ceil(chars / 6)).slice(0, chars)

test.each([
  ['a value of an env file', ENV_VALUE, /tangerine|walrus|lighthouse|umbrella/],
  ["a wallet's words", `mnemonic: ${PHRASE}.`, /legal|winner|sausage|title/],
])('%s at any place of a prompt that is cut leaves no part of it', (_, secret, part) => {
  for (const chars of [KEPT_CHARS + 3_000, 120_000]) {
    // Where the head ends and where the tail begins, here and in a text that is cut a second time.
    const places = [0.6 * KEPT_CHARS, chars - 0.4 * KEPT_CHARS, 0.6 * 80_000, chars - 0.4 * 80_000]
    for (const place of places.filter((at) => at > 0 && at < chars))
      for (let before = -260; before < 120; before += 37) {
        const at = Math.floor(place + before)
        const prompt = `${filler(at)} ${secret} ${filler(chars - at)}`
        const stored = storedPrompt(prompt)
        expect(stored).not.toMatch(part)
        expect(stored.length).toBeLessThanOrEqual(KEPT_CHARS)
      }
  }
})

test('a long prompt says how much of it was left out, also where it was cut twice', () => {
  for (const chars of [70_000, 90_000, 1_000_000]) {
    const prompt = filler(chars).trim()
    const stored = storedPrompt(prompt)
    const [mark = '', leftOut] = / … \[(\d+) characters left out\] … /.exec(stored) ?? []
    expect(stored.length).toBeGreaterThan(KEPT_CHARS * 0.9)
    expect(stored.length - mark.length + Number(leftOut)).toBe(prompt.length)
    expect(stored.match(/characters left out/g)).toHaveLength(1)
  }
})
