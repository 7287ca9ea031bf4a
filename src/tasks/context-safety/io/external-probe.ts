import { spawn } from 'node:child_process'
import * as z from 'zod'
import { HoldfastError, messageOf } from '../../../kernel/errors.ts'
import { type ProbeReading, type SafetyProbe, SEVERITIES } from '../probe.ts'
import { argumentsOf } from '../../../kernel/shell/command-line.ts'
import { parseJson } from '../../../platform/base/json.ts'
import { parse } from '../../../platform/base/parse.ts'

const TIMEOUT_MS = 5_000
const MAX_ANSWER_CHARS = 100_000

const Reading = z.looseObject({
  refusal_rate_window: z.number().min(0).max(1),
  severity: z.enum(SEVERITIES).default('none'),
  signs: z.array(z.string()).default([]),
})

function readingOf(text: string): ProbeReading {
  const { refusal_rate_window: refusalRate, severity, signs } = parse(Reading, parseJson(text))
  return { refusalRate, severity, signs: signs.slice(0, 10).map((sign) => sign.slice(0, 200)) }
}

/** The sample on its stdin, a reading on its stdout, both JSON. No shell sees the command. */
function commandProbe(words: readonly string[], env: NodeJS.ProcessEnv): SafetyProbe {
  const [file = '', ...args] = words
  return {
    name: `command ${file}`,
    read: (sample) =>
      new Promise((resolve, reject) => {
        const child = spawn(file, args, {
          env,
          stdio: ['pipe', 'pipe', 'ignore'],
          timeout: TIMEOUT_MS,
          killSignal: 'SIGKILL',
        })
        let answer = ''
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          if (answer.length < MAX_ANSWER_CHARS) answer += chunk
        })
        child.on('error', reject)
        // A probe that does not read what it is given still answers.
        child.stdin.on('error', () => undefined).end(JSON.stringify(sample))
        child.on('close', (code, signal) => {
          try {
            if (code !== 0) throw new HoldfastError('invalid-input', `It ended with ${signal ?? code}.`)
            resolve(readingOf(answer))
          } catch (thrown) {
            reject(new Error(messageOf(thrown)))
          }
        })
      }),
  }
}

function addressProbe(url: URL): SafetyProbe {
  return {
    name: `address ${url.origin}`,
    async read(sample) {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sample),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (!answer.ok) throw new HoldfastError('invalid-input', `It answered with status ${answer.status}.`)
      return readingOf((await answer.text()).slice(0, MAX_ANSWER_CHARS))
    },
  }
}

/**
 * The probe that the user configured; undefined for the local one. Never from a repository's file: it names a program to run
 * or an address that is told what the session says.
 */
export function probeOf(setting: string, env: NodeJS.ProcessEnv): SafetyProbe | undefined {
  if (setting === '') return undefined
  return /^https?:\/\//.test(setting) ? addressProbe(new URL(setting)) : commandProbe(argumentsOf(setting), env)
}
