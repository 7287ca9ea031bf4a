import type { Checkpoint, WorkSummary, Written } from '../checkpoint.ts'
import type { Redactor } from '../ports.ts'

function redactWork(work: WorkSummary, clean: (text: string) => string): WorkSummary {
  const optional = (text: string | undefined) => (text === undefined ? undefined : clean(text))
  return {
    ...work,
    asks: work.asks.map((ask) => ({ ...ask, text: clean(ask.text), answers: optional(ask.answers) })),
    files: work.files.map((file) => ({ ...file, path: clean(file.path), names: file.names?.map(clean) })),
    named: work.named?.map((file) => ({ ...file, path: clean(file.path) })),
    commands: work.commands.map((run) => ({ ...run, command: clean(run.command) })),
    tests: work.tests.map((test) => ({ ...test, name: clean(test.name), command: clean(test.command) })),
    decisions: work.decisions.map((made) => ({
      ...made,
      decision: clean(made.decision),
      rationale: optional(made.rationale),
      alternatives: made.alternatives?.map(clean),
    })),
    errors: work.errors.map((error) => ({
      ...error,
      text: clean(error.text),
      signature: clean(error.signature),
      command: optional(error.command),
      resolution: optional(error.resolution),
    })),
    todos: work.todos.map((todo) => ({ ...todo, text: clean(todo.text) })),
    plan: work.plan && { ...work.plan, text: clean(work.plan.text) },
    blockers: work.blockers.map(clean),
    identifiers: work.identifiers.map((found) => ({ ...found, name: clean(found.name) })),
    refs: work.refs.map(clean),
    statements: work.statements.map((said) => ({ ...said, text: clean(said.text) })),
    failedApproaches: work.failedApproaches.map(clean),
    claims: work.claims?.map((claim) => ({
      ...claim,
      text: clean(claim.text),
      contradictedBy: optional(claim.contradictedBy),
    })),
  }
}

function redactWritten(written: Written, clean: (text: string) => string): Written {
  const optional = (text: string | undefined) => (text === undefined ? undefined : clean(text))
  return {
    ...written,
    summary: clean(written.summary),
    nextAction: optional(written.nextAction),
    waitingFor: optional(written.waitingFor),
    decisions: written.decisions.map(({ decision, rationale, alternatives }) => ({
      decision: clean(decision),
      rationale: optional(rationale),
      alternatives: alternatives?.map(clean),
    })),
    blockers: written.blockers.map(clean),
  }
}

/** Without the secrets that this machine knows: one that was redacted where it was written may not know ours. */
export function redactCheckpoint(checkpoint: Checkpoint, redactor: Redactor): Checkpoint {
  const clean = (text: string) => redactor.redact(text)
  const optional = (text: string | undefined) => (text === undefined ? undefined : clean(text))
  const { dirty } = checkpoint
  return {
    ...checkpoint,
    summary: clean(checkpoint.summary),
    digest: clean(checkpoint.digest),
    name: optional(checkpoint.name),
    recentQueries: checkpoint.recentQueries.map(clean),
    recentRemembers: checkpoint.recentRemembers.map(clean),
    nextAction: optional(checkpoint.nextAction),
    waitingFor: optional(checkpoint.waitingFor),
    nextSteps: checkpoint.nextSteps.map(clean),
    resumeInstructions: optional(checkpoint.resumeInstructions),
    written: checkpoint.written === undefined ? undefined : redactWritten(checkpoint.written, clean),
    dirty: dirty === undefined ? undefined : { ...dirty, paths: dirty.paths.map(clean) },
    work: redactWork(checkpoint.work, clean),
  }
}
