import type { Checkpoint, WorkSummary, AgentNote } from '../kernel/checkpoint.ts'
import type { Redactor } from '../kernel/ports/ports.ts'
import { type CleanField, redactFields } from './redact-fields.ts'
import type { Memory, FailureEvidence } from '../kernel/memory.ts'

/** Redacts everything that came from a command or its output. */
export function redactEvidence(evidence: FailureEvidence, redactor: Redactor): FailureEvidence {
  const { undone, resolved } = evidence
  const all = (texts: readonly string[]) => redactor.redactAll(texts)
  return {
    ...evidence,
    keys: all(evidence.keys),
    command: redactor.redact(evidence.command),
    ...(evidence.error === undefined ? {} : { error: redactor.redact(evidence.error) }),
    traits: all(evidence.traits),
    files: all(evidence.files),
    ...(undone === undefined ? {} : { undone: { ...undone, how: redactor.redact(undone.how) } }),
    ...(resolved === undefined ? {} : { resolved: { ...resolved, files: all(resolved.files) } }),
  }
}

/** Redacts a stored memory before it is shown: a value may have become a secret since, as when an env file got it. */
export function redactMemory(memory: Memory, redactor: Redactor): Memory {
  const evidence = memory.evidence === undefined ? {} : { evidence: redactEvidence(memory.evidence, redactor) }
  return redactFields(redactor, (clean) => ({
    ...memory,
    content: clean(memory.content),
    tags: memory.tags.map((tag) => clean(tag, 'tags')),
    ...evidence,
  }))
}

function redactWork(work: WorkSummary, clean: CleanField): WorkSummary {
  const optional = (text: string | undefined) => (text === undefined ? undefined : clean(text))
  return {
    ...work,
    asks: work.asks.map((ask) => ({ ...ask, text: clean(ask.text, 'asks'), answers: optional(ask.answers) })),
    files: work.files.map((file) => ({
      ...file,
      path: clean(file.path, 'files'),
    })),
    commands: work.commands.map((run) => ({ ...run, command: clean(run.command, 'commands') })),
    tests: work.tests.map((test) => ({ ...test, name: clean(test.name), command: clean(test.command) })),
    decisions: work.decisions.map((made) => ({
      ...made,
      decision: clean(made.decision, 'decisions'),
      rationale: optional(made.rationale),
      alternatives: made.alternatives?.map((text) => clean(text, 'alternatives')),
      savedAs: optional(made.savedAs),
    })),
    errors: work.errors.map((error) => ({
      ...error,
      text: clean(error.text, 'errors'),
      signature: clean(error.signature),
      command: optional(error.command),
      resolution: optional(error.resolution),
    })),
    todos: work.todos.map((todo) => ({ ...todo, text: clean(todo.text, 'todos') })),
    plan: work.plan && { ...work.plan, text: clean(work.plan.text) },
    blockers: work.blockers.map((text) => clean(text, 'blockers')),
    refs: work.refs.map((text) => clean(text, 'refs')),
    statements: work.statements.map((said) => ({ ...said, text: clean(said.text, 'statements') })),
    failedApproaches: work.failedApproaches.map((text) => clean(text, 'failedApproaches')),
    claims: work.claims?.map((claim) => ({
      ...claim,
      text: clean(claim.text, 'claims'),
      contradictedBy: optional(claim.contradictedBy),
    })),
    steps: work.steps?.map((step) => ({ ...step, what: clean(step.what, 'steps'), error: optional(step.error) })),
    edits: work.edits?.map((edit) => ({
      ...edit,
      path: clean(edit.path),
      defined: edit.defined?.map((name) => clean(name, 'defined')),
    })),
    pullRequest: work.pullRequest && { ...work.pullRequest, url: optional(work.pullRequest.url) },
    merge: work.merge && {
      ...work.merge,
      command: clean(work.merge.command),
      conflicts: work.merge.conflicts.map((path) => clean(path)),
    },
    gitStatus: work.gitStatus && {
      ...work.gitStatus,
      changed: work.gitStatus.changed.map((path) => clean(path)),
      untracked: work.gitStatus.untracked.map((path) => clean(path)),
    },
    dialogue: work.dialogue?.map((message) => ({
      ...message,
      text: clean(message.text, 'dialogue'),
      about: optional(message.about),
    })),
    checks: work.checks?.map((check) => ({
      ...check,
      command: clean(check.command),
      line: optional(check.line),
      failing: check.failing?.map((name) => clean(name, 'failing')),
      findings: check.findings?.map(({ place, text }) => ({ place: clean(place, 'places'), text: clean(text) })),
    })),
    commits: work.commits?.map((commit) => ({ ...commit, subject: clean(commit.subject) })),
    inFlight: work.inFlight?.map((started) => ({ ...started, what: clean(started.what) })),
  }
}

function redactAgentNote(written: AgentNote, clean: CleanField): AgentNote {
  const optional = (text: string | undefined) => (text === undefined ? undefined : clean(text))
  return {
    ...written,
    summary: clean(written.summary),
    nextAction: optional(written.nextAction),
    waitingFor: optional(written.waitingFor),
    name: optional(written.name),
    decisions: written.decisions.map(({ decision, rationale, alternatives }) => ({
      decision: clean(decision, 'written.decisions'),
      rationale: optional(rationale),
      alternatives: alternatives?.map((text) => clean(text, 'alternatives')),
    })),
    blockers: written.blockers.map((text) => clean(text, 'blockers')),
  }
}

/** Redacts with the secrets that this machine knows: the machine that wrote the checkpoint may not have known them. */
export function redactCheckpoint(checkpoint: Checkpoint, redactor: Redactor): Checkpoint {
  return redactFields(redactor, (clean) => cleanCheckpoint(checkpoint, clean))
}

function cleanCheckpoint(checkpoint: Checkpoint, clean: CleanField): Checkpoint {
  const optional = (text: string | undefined) => (text === undefined ? undefined : clean(text))
  const { dirty } = checkpoint
  return {
    ...checkpoint,
    summary: clean(checkpoint.summary),
    digest: clean(checkpoint.digest),
    name: optional(checkpoint.name),
    recentQueries: checkpoint.recentQueries.map((text) => clean(text, 'recentQueries')),
    recentRemembers: checkpoint.recentRemembers.map((text) => clean(text, 'recentRemembers')),
    nextAction: optional(checkpoint.nextAction),
    waitingFor: optional(checkpoint.waitingFor),
    nextSteps: checkpoint.nextSteps.map((text) => clean(text, 'nextSteps')),
    resumeInstructions: optional(checkpoint.resumeInstructions),
    written: checkpoint.written === undefined ? undefined : redactAgentNote(checkpoint.written, clean),
    dirty: dirty === undefined ? undefined : { ...dirty, paths: dirty.paths.map((text) => clean(text, 'paths')) },
    work: redactWork(checkpoint.work, clean),
  }
}
