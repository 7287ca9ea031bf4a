import { expect, test } from 'vitest'
import { findPid, findPort, isDetached, isServerCommand } from './find-server.ts'

test.each([
  'npm run dev',
  'pnpm --filter web dev',
  'cd app && yarn start',
  'python3 -m http.server 8000',
  'uvicorn app:main --port 9000',
  'node tests/e2e/mock-ipns-routing.cjs',
  'docker compose up -d',
])('%s serves', (command) => {
  expect(isServerCommand(command)).toBe(true)
})

test.each(['npm test', 'npm run build', 'go test ./...', 'pnpm install', 'git log --oneline', 'npm run lint:dev-deps'])(
  '%s does not',
  (command) => {
    expect(isServerCommand(command)).toBe(false)
  },
)

test('`&` at the end of a command detaches it; other uses of the character do not', () => {
  expect(['sleep 9 &', 'a &>/tmp/log &\necho started', 'nohup x > y 2>&1 &'].map(isDetached)).toEqual([
    true,
    true,
    true,
  ])
  expect(['a && b', 'a 2>&1', 'a &> log', 'a >&2', 'a |& b'].map(isDetached)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
})

test.each([
  ['npm run dev', '  ➜  Local:   http://localhost:1420/', 1420],
  ['npm start', 'Server listening on port 8080', 8080],
  ['npm start', 'listening on :3000', 3000],
  ['npm run dev -- --port 4000', '', 4000],
  ['PORT=4001 npm start', '', 4001],
  ['python3 -m http.server 8000', '', 8000],
  ['npm run dev', 'ready in 176 ms', undefined],
  ['npm run dev', 'started at 12:30', undefined],
  ['npm run dev', '', undefined],
])('%j with the output %j has port %s', (command, output, port) => {
  expect(findPort(command, output)).toBe(port)
})

test.each([
  ['nohup ./train.sh > train.log 2>&1 & echo $!', '48213\n', 48_213],
  ['./watch.sh &\necho "PID=$!"', 'PID=71242', 71_242],
  ['./watch.sh & printf "started %s" $!', 'started 512', 512],
  ['npm test; echo $?', '17', undefined],
  ['./watch.sh &', '1234', undefined],
])('%j with the output %j left process %s behind', (command, output, pid) => {
  expect(findPid(command, output)).toBe(pid)
})
