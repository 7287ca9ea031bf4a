// Replies of the API for demo data: what the screenshots show, and what pages are developed against.
const NOW = Date.parse('2026-11-18T11:00:00Z')
const MINUTE = 60_000
const DAY = 86_400_000

export function createDemo({ now = NOW, timelineEvents = 160 } = {}) {
  const at = (msAgo) => new Date(now - msAgo).toISOString()
  const worktree = '/home/sam/work/shop'
  const place = { projectId: 'p1', project: 'shop', worktree, branch: 'checkout-retry' }
  const keys = ['7f3a91c2-checkout', 'b81d04ee-docs', '0c55fa17-review', '5e9920ab-spike', 'd4410c9f-first']
  const harnesses = ['claude-code', 'codex', 'claude-code', 'opencode', 'claude-code']
  const session = (n) => ({
    id: `${harnesses[n]}:${keys[n]}`,
    key: keys[n],
    harness: harnesses[n],
    harnessVersion: '2.1.90',
    place: n === 1 ? { ...place, branch: 'docs', worktree: '/home/sam/work/shop-docs' } : place,
    cwd: worktree,
    phase: ['working', 'idle', 'interrupted', 'ended', 'ended'][n],
    model: 'sonnet-5',
    startedAt: at((n + 1) * 5 * 60 * MINUTE),
    lastEventAt: at(n * 4 * 60 * MINUTE + 20_000),
    lastEventSeq: 900 - n,
    promptCount: 14 - n,
    toolCount: 160 - n * 20,
    compactionCount: n === 0 ? 1 : 0,
    promptsSinceCheckpoint: 2,
    hasNewWork: true,
    epoch: 1,
    recoveredEpoch: 1,
    ...(n === 0 && { labels: { title: 'Retry of failed payments', tags: ['payments'], isPinned: true } }),
  })
  const checkpoint = (n) => ({
    id: `cp-${n}`,
    seq: 100 - n,
    sessionId: session(n % 5).id,
    sessionKey: keys[n % 5],
    harness: harnesses[n % 5],
    projectId: 'p1',
    project: 'shop',
    worktree,
    branch: 'checkout-retry',
    trigger: ['periodic', 'pre_compaction', 'session_end', 'explicit'][n % 4],
    ...(n === 3 && { name: 'before-queue-rewrite' }),
    summary: [
      'Retry failed payments with backoff; two of five tests fail',
      'Idempotency key is stored with the order',
      'Decide: retries run in the worker, not in the request',
      'Queue rewrite planned, not begun',
    ][n % 4],
    promptCount: 12 - (n % 10),
    eventSeq: 880 - n * 9,
    createdAt: at(n * 47 * MINUTE + 9 * MINUTE),
  })
  const event = (seq, kind) => ({
    seq,
    sessionId: session(0).id,
    sessionKey: keys[0],
    harness: 'claude-code',
    kind,
    at: at(40 * MINUTE),
  })
  const line = (text, reason, verdict, origin = 'work.files') => ({
    text,
    role: 'line',
    reason: { line: text, section: 'files', origin, reason, ...(verdict && { verdict }), score: 0.81 },
    evidence: [event(871, 'tool-finished')],
  })
  const lines = [
    { text: '<holdfast-recovery id="c1f0">', role: 'frame', evidence: [] },
    { text: '## Goal', role: 'heading', evidence: [] },
    line(
      'Retry failed payments with exponential backoff, at most 5 times.',
      'The last request of the user that was not finished.',
      undefined,
      'work.asks',
    ),
    { text: '## Rules of the user', role: 'heading', evidence: [] },
    line(
      '- Never call the payment provider from a test.',
      'A rule of this project, said on 12 November.',
      undefined,
      'rules',
    ),
    line(
      '- Ask before you change the database schema.',
      'A rule of this project, said on 3 November.',
      undefined,
      'rules',
    ),
    { text: '## State of the checks', role: 'heading', evidence: [] },
    line(
      '- npm test -- payments: 2 failing (backoff resets after success, gives up after 5)',
      'The last run of this check; the code was not edited since.',
      'holds',
      'work.checks',
    ),
    { text: '## Files in work', role: 'heading', evidence: [] },
    line('- src/payments/retry.ts (edited, not committed)', 'Edited 6 times; named in the open todo.', 'holds'),
    line(
      '- src/payments/queue.ts (edited; changed since by somebody else)',
      'Edited once; its content differs from what the session left.',
      'changed',
    ),
    line('- src/payments/legacy-retry.ts (was deleted since)', 'Read 4 times in the last session.', 'gone'),
    { text: '## Decided', role: 'heading', evidence: [] },
    line(
      '- Retries run in the worker, not in the request: a request must answer within 2 s.',
      'A decision of this work; it was not reopened.',
      'cannot-tell',
      'work.decisions',
    ),
    { text: '## Next', role: 'heading', evidence: [] },
    line(
      '- Fix the reset of the backoff: attempt is not set to 0 after a success (retry.ts:41).',
      "The agent's last message before it was interrupted.",
      'cannot-tell',
      'nextAction',
    ),
    { text: '</holdfast-recovery>', role: 'frame', evidence: [] },
  ]
  const text = lines.map((one) => one.text).join('\n')
  const spread = (median, width) => ({
    n: 24,
    median,
    lowest: Math.max(0, median - width * 2),
    highest: median + width * 3,
    interval: { from: Math.max(0, median - width), to: median + width },
  })
  const outcome = (n) => {
    const isWarm = n % 3 !== 0
    const base = isWarm ? 1 : 4
    return {
      sessionId: session(n % 5).id,
      sessionKey: keys[n % 5],
      harness: harnesses[n % 5],
      worktree,
      source: 'startup',
      startedAt: at(n * 9 * 60 * MINUTE),
      isWarm,
      calls: 30,
      callsToFirstEdit: base * 4 + (n % 4),
      msToFirstEdit: (base * 50 + (n % 5) * 12) * 1_000,
      rework: {
        filesReread: Array.from({ length: base + (n % 3) }, (_, one) => ({ path: `src/file-${one}.ts` })),
        commandsRepeated: Array.from({ length: Math.floor(base / 2) + (n % 2) }, () => 'npm test'),
        decisionsReopened: [],
      },
    }
  }
  const injection = (n) => ({
    seq: 500 - n,
    sessionId: session(n % 5).id,
    sessionKey: keys[n % 5],
    harness: harnesses[n % 5],
    worktree,
    project: 'shop',
    at: at(n * 33 * MINUTE + 4 * MINUTE),
    kind: n % 3 === 0 ? 'recovery' : 'memories',
    epoch: 1,
    chars: n % 4 === 2 ? 0 : 2_431 - n * 7,
    estimatedTokens: n % 4 === 2 ? 0 : 608 - n,
    why:
      n % 3 === 0
        ? 'The session started; unfinished work of the same branch'
        : 'The prompt shares 4 words with 2 memories',
    sources: [],
    textHash: 'x',
    isSkipped: n % 4 === 2,
    ...(n % 4 === 2 && { rule: 'No memory reached the threshold: the best shares 1 of 6 words of the prompt' }),
    lines:
      n % 4 === 2
        ? []
        : lines
            .filter((one) => one.role === 'line')
            .map((one, i) => ({
              ...one.reason,
              use:
                i % 3 === 0
                  ? { status: 'used', afterCalls: i + 1 }
                  : { status: i % 3 === 1 ? 'not-used' : 'cannot-tell' },
            })),
    notes: [],
    lineCount: n % 4 === 2 ? 0 : 8,
    usedCount: n % 4 === 2 ? 0 : 3,
  })
  const lanes = [
    'prompt',
    'tool',
    'tool',
    'tool',
    'subagent',
    'tool',
    'tool',
    'tool',
    'checkpoint',
    'tool',
    'tool',
    'compaction',
  ]
  const points = Array.from({ length: timelineEvents }, (_, n) => {
    const lane = n === 0 ? 'session' : lanes[n % lanes.length]
    return {
      seq: n + 1,
      at: at((timelineEvents - n) * 55_000 + (n % 7) * 9_000),
      kind: lane === 'prompt' ? 'prompt-submitted' : 'tool-finished',
      lane,
      label: {
        prompt: 'The backoff is not reset after a success. Find out why and fix it.',
        tool: n % 4 === 0 ? 'npm test -- payments' : 'src/payments/retry.ts',
        subagent: 'Search for callers of enqueue()',
        compaction: 'Context compacted (auto)',
        checkpoint: 'Checkpoint: periodic',
        session: 'Session started',
      }[lane],
      ...(lane === 'tool' && {
        ok: n % 17 !== 0,
        durationMs: (n % 9) * 4_000,
        toolKind: n % 4 === 0 ? 'shell' : 'edit',
      }),
      ...(lane === 'checkpoint' && { checkpointId: `cp-${n % 5}` }),
    }
  })
  const memory = (n) => ({
    id: `m-${n}`,
    projectId: 'p1',
    type: ['decision', 'preference', 'fact', 'lesson', 'failed_approach'][n % 5],
    content: [
      'Retries run in the worker, not in the request: a request must answer within 2 s.',
      'Use pnpm in this repository; the lockfile of npm is ignored.',
      'The payment provider answers 409 for a repeated idempotency key.',
      'Tests that sleep are flaky on the build machine: use the fake clock.',
      'Raising the timeout of the provider client did not fix the flaky test; the fake clock did.',
    ][n % 5],
    importance: 5 + (n % 5),
    tags: n === 0 ? ['pinned', 'payments'] : ['payments'],
    source: n % 2 === 0 ? 'mcp' : 'cli',
    createdAt: at(n * 9 * 60 * MINUTE),
    hits: 12 - (n % 12),
  })
  const task = {
    definition: {
      schema_version: 1,
      task_slug: 'payment-retry',
      title: 'Retry of failed payments',
      flow: 'standard',
      acceptance_criteria: ['A failed payment is retried at most five times', 'No payment is made twice'],
      created_at: at(9 * DAY),
    },
    status: {
      schema_version: 1,
      task_slug: 'payment-retry',
      flow: 'standard',
      status: 'in-progress',
      current_gate: 'G4',
      current_step: 2,
      last_session: 's-2',
      last_activity: at(8 * MINUTE),
      last_checkpoint: 'c-9',
      blockers: ['The sandbox account of the provider is locked'],
      next_steps: [],
      attempts: { 'G4-2': 2 },
      regression: null,
    },
    gates_held: ['G0', 'G1', 'G2', 'G3'],
    gates_open: ['G4', 'G5', 'G6', 'G7', 'G8', 'G9', 'G10'],
    active_session: null,
  }
  const node = (n) => {
    const { place: where, key, id, ...rest } = session(n)
    return { ...rest, sessionId: id, sessionKey: key, project: 'shop', worktree: where.worktree, branch: where.branch }
  }
  const live = (n) => ({
    ...node(n),
    state: n === 0 ? 'working' : 'waiting',
    doing: n === 0 ? 'npm test -- payments' : 'Which of the two examples should the page begin with?',
    request:
      n === 0 ? 'The backoff is not reset after a success. Find out why and fix it.' : 'Write the page about retries.',
    contextTokens: n === 0 ? 141_000 : 38_000,
    contextWindowTokens: 200_000,
    lastCheckpoint: { id: `cp-${n}`, createdAt: at(9 * MINUTE), summary: 'x' },
    files: (n === 0
      ? ['src/payments/retry.ts', 'src/payments/queue.ts', 'test/payments/retry.test.ts']
      : ['docs/retries.md', 'src/payments/retry.ts']
    ).map((path) => ({ path: `${node(n).worktree}/${path}`, edits: 3, lastAt: at(MINUTE) })),
    conflicts:
      n === 0
        ? [
            {
              path: `${worktree}/src/payments/retry.ts`,
              sessionId: 'x',
              sessionKey: keys[1],
              harness: 'codex',
              isSameWorktree: false,
              how: 'edited',
            },
          ]
        : [],
  })
  const days = Array.from({ length: 30 }, (_, n) => ({
    day: at((29 - n) * DAY).slice(0, 10),
    sessions: 2 + (n % 5),
    messages: 80,
    inputTokens: 40_000 + (n % 7) * 9_000,
    outputTokens: 22_000 + (n % 5) * 6_000,
    cacheReadTokens: 900_000 + (n % 6) * 210_000,
    cacheWriteTokens: 60_000,
    injections: 6,
    injectedChars: 9_000,
    injectedTokens: 2_250 + (n % 4) * 700,
  }))
  const work = {
    asks: [{ text: 'Retry failed payments with backoff', at: at(0), order: 1 }],
    files: [{ path: 'src/payments/retry.ts', action: 'edited', reads: 3, edits: 6, lastOrder: 9 }],
    commands: [],
    tests: [],
    decisions: [{ decision: 'Retries run in the worker', evidence: 'claimed', lastOrder: 4 }],
    errors: [{ text: 'AssertionError: expected 1 to be 0', signature: 'x', count: 3, lastOrder: 8 }],
    todos: [
      { text: 'Reset the backoff', status: 'in_progress' },
      { text: 'Cover giving up', status: 'pending' },
    ],
    checks: [{ command: 'npm test -- payments', purpose: 'test', verdict: 'failed', order: 8 }],
    blockers: [],
    refs: [],
    statements: [],
    failedApproaches: [],
  }
  const whole = (id) => ({
    seq: 3,
    hash: 'a4c1'.repeat(16),
    checkpoint: {
      ...checkpoint(0),
      id,
      place,
      work,
      digest: '# Retry failed payments\n\nTwo of five tests fail.\n',
      recentQueries: [],
      recentRemembers: [],
      waitOrContinue: 'continue',
      nextSteps: [],
      canResume: true,
      nextAction: 'Fix the reset of the backoff in retry.ts:41',
      parentId: 'cp-1',
    },
  })
  const found = (kind, n) => ({
    kind,
    project: 'shop',
    projectId: 'p1',
    session: keys[n],
    harness: harnesses[n],
    title: ['Retry of failed payments', 'Docs', 'Review'][n],
    at: at((n + 1) * 20 * DAY),
    text: 'We decided that retries run in the worker, not in the request, because a request must answer within 2 s.',
    matched: ['retries', 'worker'],
    ref: String(871 - n),
    reopen: `cd ${worktree} && claude --resume ${keys[n]}`,
  })
  const hindsight = [0, 2, 3].map((n) => ({
    session: node(n),
    given: { text, chars: text.length, estimatedTokens: 340, lines },
    reason: 'It continued work of the same branch.',
  }))
  return {
    '/api/projects': {
      projects: [
        {
          projectId: 'p1',
          project: 'shop',
          worktrees: [worktree, '/home/sam/work/shop-docs'],
          sessions: 5,
          lastEventAt: at(20_000),
        },
        {
          projectId: 'p2',
          project: 'invoices',
          worktrees: ['/home/sam/work/invoices'],
          sessions: 3,
          lastEventAt: at(3 * DAY),
        },
      ],
    },
    '/api/counts': { counts: { events: 4_812, sessions: 37, checkpoints: 112, memories: 58 } },
    '/api/live': { live: { at: at(0), sessions: [live(0), live(1)] } },
    '/api/handoff': {
      handoff: {
        cwd: worktree,
        place,
        at: at(0),
        text,
        chars: text.length,
        estimatedTokens: Math.round(text.length / 4),
        budgetChars: 9_000,
        lines,
        sources: [checkpoint(0), checkpoint(2)],
        why: [
          {
            line: '',
            origin: 'selection',
            reason: 'The newest unfinished work of this worktree and branch. A session of branch docs was passed over.',
          },
        ],
        leftOut: {
          text: '',
          pieces: [
            { text: 'Read: src/payments/provider.ts, src/payments/types.ts' },
            { text: 'Command that passed: npm run lint' },
          ],
          count: 3,
        },
        offered: [],
      },
    },
    '/api/injections': {
      injections: {
        entries: Array.from({ length: 40 }, (_, n) => injection(n)),
        totals: { injections: 214, chars: 402_118, estimatedTokens: 100_529, lineCount: 1_702, usedCount: 741 },
      },
    },
    '/api/stats': {
      stats: {
        projects: [
          {
            projectId: 'p1',
            worktree,
            comparisons: [
              {
                circumstance: 'start',
                warm: {
                  starts: 24,
                  filesReread: spread(1, 1),
                  commandsRepeated: spread(1, 0.6),
                  decisionsReopened: spread(0, 0.2),
                  callsToFirstEdit: spread(6, 2),
                  msToFirstEdit: spread(74_000, 20_000),
                },
                cold: {
                  starts: 12,
                  filesReread: spread(5, 2),
                  commandsRepeated: spread(2, 1),
                  decisionsReopened: spread(1, 0.8),
                  callsToFirstEdit: spread(17, 5),
                  msToFirstEdit: spread(228_000, 60_000),
                },
                isEnough: true,
                caution: 'An observation, not an experiment: the starts differ in other ways too.',
              },
            ],
          },
        ],
        receipts: Array.from({ length: 36 }, (_, n) => outcome(n)),
        pendingSessions: 1,
      },
    },
    '/api/sessions': { sessions: [0, 1, 2, 3, 4].map(session) },
    '/api/timeline/*': { timeline: { points, total: points.length } },
    '/api/events/*': {
      event: {
        stored: {
          seq: 871,
          hash: 'be10'.repeat(16),
          event: {
            id: 'e',
            kind: 'tool-finished',
            harness: 'claude-code',
            sessionKey: keys[0],
            at: at(40 * MINUTE),
            door: 'hook',
            tool: { name: 'Bash', kind: 'shell', command: 'npm test -- payments' },
            outcome: { ok: false, exitStatus: 1, output: '2 failed | 3 passed' },
          },
        },
        sessionId: session(0).id,
        checkpoint: checkpoint(0),
        injections: [],
      },
    },
    '/api/sessions/*/reopen': {
      reopen: { harness: 'claude-code', sessionKey: keys[0], text: `cd ${worktree} && claude --resume ${keys[0]}` },
    },
    '/api/sessions/*': { session: session(0) },
    '/api/lineage': {
      lineage: {
        nodes: [0, 1, 2, 3, 4].map(node),
        edges: [
          {
            from: session(4).id,
            to: session(3).id,
            how: 'recovery',
            isOtherHarness: true,
            isOtherWorktree: false,
            isOtherMachine: false,
          },
          {
            from: session(3).id,
            to: session(2).id,
            how: 'handoff',
            isOtherHarness: true,
            isOtherWorktree: false,
            isOtherMachine: true,
          },
          {
            from: session(2).id,
            to: session(0).id,
            how: 'recovery',
            isOtherHarness: false,
            isOtherWorktree: false,
            isOtherMachine: false,
          },
          {
            from: session(2).id,
            to: session(1).id,
            how: 'fork',
            isOtherHarness: true,
            isOtherWorktree: true,
            isOtherMachine: false,
          },
        ],
      },
    },
    '/api/checkpoint-heads': { page: { heads: Array.from({ length: 30 }, (_, n) => checkpoint(n)) } },
    '/api/checkpoints/id/*': { checkpoint: whole('cp-0') },
    '/api/checkpoint-diff': {
      diff: {
        from: checkpoint(2),
        to: checkpoint(0),
        sections: [
          {
            section: 'checks',
            added: [],
            removed: [],
            changed: [{ item: 'npm test -- payments', from: '5 failing', to: '2 failing' }],
          },
          { section: 'todos', added: ['Cover giving up'], removed: ['Write the retry loop'], changed: [] },
          { section: 'decisions', added: ['Retries run in the worker'], removed: [], changed: [] },
        ],
      },
    },
    '/api/find': {
      hits: [found('decision', 0), found('request', 1), found('memory', 2)],
      facets: {
        project: [{ value: 'p1', label: 'shop', count: 3 }],
        harness: [
          { value: 'claude-code', count: 2 },
          { value: 'codex', count: 1 },
        ],
        kind: [
          { value: 'decision', count: 1 },
          { value: 'request', count: 1 },
          { value: 'memory', count: 1 },
        ],
        month: [
          { value: '2026-10', count: 2 },
          { value: '2026-09', count: 1 },
        ],
      },
      isComplete: true,
    },
    '/api/memories': { memories: Array.from({ length: 25 }, (_, n) => memory(n)) },
    '/api/memories/search': { hits: [{ memory: memory(0), score: 1, coverage: 1 }] },
    '/api/memories/*': {
      memory: memory(0),
      checks: [
        { anchor: { kind: 'file', name: 'src/payments/worker.ts' }, state: 'unchanged' },
        { anchor: { kind: 'symbol', name: 'enqueueRetry' }, state: 'changed' },
      ],
      history: [],
    },
    '/api/memory-drafts': { drafts: [{ state: 'proposed', at: at(MINUTE), memory: memory(3) }] },
    '/api/rules': {
      rules: [
        {
          id: 'r1',
          projectId: 'p1',
          text: 'Never call the payment provider from a test.',
          since: at(6 * DAY),
          state: 'active',
          source: 'found',
          scope: 'project',
        },
        {
          id: 'r2',
          projectId: 'p1',
          text: 'Prefer small commits.',
          since: at(DAY),
          state: 'proposed',
          source: 'proposed',
          scope: 'project',
        },
      ],
    },
    '/api/tasks': { tasks: [task] },
    '/api/tasks/*/timeline': {
      timeline: [
        { at: at(DAY), kind: 'gate', gate: 'G4', from: 'G3', checkpoint_id: 'c-9', session_id: 's-2' },
        {
          at: at(MINUTE),
          kind: 'incident',
          incident: 'interrupted',
          session_id: 's-2',
          checkpoint_id: null,
          detail: 'The process ended without an end event.',
        },
      ],
    },
    '/api/tasks/*/verification': {
      verification: { slug: 'payment-retry', checkpoints: 9, sessions: 2, head: 'x', findings: [] },
    },
    '/api/tasks/*': { task },
    '/api/privacy': {
      privacy: {
        removed: [
          { day: '2026-11-18', kind: 'github-token', project: 'shop', sessionKey: keys[0], count: 2 },
          { day: '2026-11-17', kind: 'aws-secret-key', project: 'shop', sessionKey: keys[2], count: 1 },
          { day: '2026-11-15', kind: 'password', project: 'invoices', count: 4 },
        ],
        since: '2026-10-01',
        stored: [
          { what: 'events', rows: 4_812, bytes: 9_400_000, oldestAt: at(48 * DAY), days: 90 },
          { what: 'checkpoints', rows: 112, bytes: 2_100_000, oldestAt: at(48 * DAY), days: 180 },
          { what: 'memories', rows: 58, bytes: 61_000, oldestAt: at(46 * DAY) },
        ],
        storeBytes: 12_600_000,
        homeBytes: 14_100_000,
      },
    },
    '/api/redaction-trial': {
      trial: { text: 'TOKEN=[redacted:github-token]', findings: [{ kind: 'github-token', count: 1 }] },
    },
    '/api/health-report': {
      report: {
        version: '0.1.0',
        pid: 4_182,
        startedAt: at(2 * DAY),
        node: '20.20.2',
        hooks: ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PreCompact'].map((hook, n) => ({
          harness: 'claude-code',
          harnessVersion: '2.1.90',
          hook,
          count: 40 * (n + 1),
          lastSeenAt: at(n * MINUTE),
        })),
        latencies: Array.from({ length: 60 }, (_, n) => ({
          at: at((60 - n) * MINUTE),
          count: 9,
          p50Ms: 7 + (n % 5),
          p95Ms: 18 + (n % 9) * 2,
          maxMs: 41,
        })),
        spool: { files: 0 },
        store: { engine: 'sqlite', state: 'ok', bytes: 12_600_000 },
        disk: { freeBytes: 81e9, totalBytes: 240e9 },
        memoryBytes: 92e6,
        advice: [
          { level: 'ok', what: 'All hooks of claude-code arrive.' },
          { level: 'warn', what: 'codex was last seen 6 days ago.', do: 'Run holdfast doctor codex' },
        ],
      },
    },
    '/api/cost': { cost: { days } },
    '/api/imports': {
      imports: {
        state: 'none',
        sources: [
          { harness: 'claude-code', sessions: 214, bytes: 88e6 },
          { harness: 'codex', sessions: 31, bytes: 9e6 },
        ],
        done: 0,
        total: 245,
        events: 0,
      },
    },
    '/api/hindsight': { hindsight },
  }
}
