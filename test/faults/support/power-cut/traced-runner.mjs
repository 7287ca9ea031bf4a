// The process that strace starts: whatever runs in the recording is a child of this one. Reads one JSON command per line and
// answers with one JSON line. `mark` appends a line to the file of marks, so that the trace itself says when it was written.
import { spawn } from 'node:child_process'
import { openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const marks = openSync(process.argv[2], 'a', 0o600)

function run({ command, input, cwd, env }) {
  return new Promise((resolve) => {
    const [file, ...args] = command
    const child = spawn(file, args, { cwd, env, stdio: 'pipe' })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    child.stdin.on('error', () => undefined)
    child.on('error', (error) => resolve({ code: -1, stdout, stderr: String(error) }))
    child.on('exit', (code, signal) => resolve({ code: code ?? signal, stdout, stderr }))
    child.stdin.end(input ?? '')
  })
}

async function obey({ n, mark, end, ...program }) {
  if (mark !== undefined) writeSync(marks, `${mark}\n`)
  const result = program.command === undefined ? {} : await run(program)
  if (end !== undefined) writeSync(marks, `${end}\n`)
  process.stdout.write(`${JSON.stringify({ n, ...result })}\n`)
}

createInterface({ input: process.stdin }).on('line', (line) => void obey(JSON.parse(line)))
