import { spawn } from 'node:child_process'
import * as z from 'zod'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { type ProbeReading, type SafetyProbe, SEVERITIES } from '../safety-probe.ts'
import { splitArguments } from '../../../kernel/shell/command-line.ts'
import { parseJson } from '../../../platform/base/json.ts'
import { parse } from '../../../platform/base/parse.ts'

const TIMEOUT_MS = 5_000
const MAX_ANSWER_CHARS = 100_000

const Reading = z.looseObject({
  refusal_rate_window: z.number().min(0).max(1),
  severity: z.enum(SEVERITIES).default('none'),
  signs: z.array(z.string()).default([]),
})

function parseReading(text: string): ProbeReading {
  const { refusal_rate_window: refusalRate, severity, signs } = parse(Reading, parseJson(text))
  return { refusalRate, severity, signs: signs.slice(0, 10).map((sign) => sign.slice(0, 200)) }
}

/** Sends the sample to stdin and reads the result from stdout, both JSON. Runs without a shell. */
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
        // A probe need not read its input.
        child.stdin.on('error', () => undefined).end(JSON.stringify(sample))
        child.on('close', (code, signal) => {
          try {
            if (code !== 0) throw new HoldfastError('invalid-input', `The probe ended with ${signal ?? code}.`)
            resolve(parseReading(answer))
          } catch (thrown) {
            reject(new Error(getErrorMessage(thrown)))
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
      if (!answer.ok) throw new HoldfastError('invalid-input', `The probe answered with status ${answer.status}.`)
      return parseReading((await answer.text()).slice(0, MAX_ANSWER_CHARS))
    },
  }
}

/**
 * The probe that the user configured; undefined for the local one. Never from a repository's file: it names a program to run
 * or a URL that receives session text.
 */
export function createProbe(setting: string, env: NodeJS.ProcessEnv): SafetyProbe | undefined {
  if (setting === '') return undefined
  return /^https?:\/\//.test(setting) ? addressProbe(new URL(setting)) : commandProbe(splitArguments(setting), env)
}
