import type { Command } from 'commander'
import { HoldfastError } from '../../../kernel/errors.ts'
import type { ChangedFile, CheckpointContent, TestCounts } from '../../../tasks/model/task-checkpoint.ts'
import { collect, listOption, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CommandInput } from '../../shared/command.ts'

/** What may be told about a checkpoint, the same on every command that writes one. */
export function addContentOptions(command: Command): Command {
  return command
    .option('--summary <text>', 'what was done')
    .option('--decision <text>', 'what was decided', collect)
    .option('--rationale <text>', 'why; one for each decision, in their order', collect)
    .option('--alternative <text>', 'what else was considered; may be given again', collect)
    .option('--file <path>', 'a file, as created:src/a.ts, modified:… or deleted:…; may be given again', collect)
    .option('--error <text>', 'what went wrong', collect)
    .option('--resolution <text>', 'what solved it; one for each error, in their order', collect)
    .option('--tests <p/f/p>', 'passing/failing/pending: 12/0/2')
    .option('--blocker <text>', 'what stands in the way; may be given again', collect)
    .option('--next <text>', 'a next step; may be given again', collect)
    .option('--step <n>', 'the step within the gate', wholeNumber(0, 10_000))
    .option('--instructions <text>', 'how to resume')
}

function fileOf(text: string): ChangedFile {
  const [, action, path] = /^(created|modified|deleted):(.+)$/s.exec(text) ?? []
  if (path === undefined) return { path: text, action: 'modified' }
  return { path, action: action === 'created' || action === 'deleted' ? action : 'modified' }
}

function testsOf(text: string): TestCounts {
  const [, passing, failing, pending] = /^(\d{1,7})\/(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []
  if (pending === undefined)
    throw new HoldfastError('invalid-input', `${JSON.stringify(text)} is no test status.`, {
      hint: 'Say passing/failing/pending: --tests 12/0/2',
    })
  return { passing: Number(passing), failing: Number(failing), pending: Number(pending) }
}

export function contentOf(options: CommandInput['options']): CheckpointContent {
  const rationales = listOption(options, 'rationale')
  const alternatives = listOption(options, 'alternative')
  const resolutions = listOption(options, 'resolution')
  const decisions = listOption(options, 'decision').map((decision, n) => ({
    decision,
    rationale: rationales[n] ?? '',
    alternatives_considered: alternatives,
  }))
  const errors = listOption(options, 'error').map((error, n) => ({ error, resolution: resolutions[n] ?? '' }))
  const files = listOption(options, 'file').map(fileOf)
  const [blockers, nextSteps] = [listOption(options, 'blocker'), listOption(options, 'next')]
  const tests = textOption(options, 'tests')
  return {
    summary: textOption(options, 'summary'),
    resumeInstructions: textOption(options, 'instructions'),
    step: numberOption(options, 'step'),
    ...(decisions.length > 0 && { decisions }),
    ...(errors.length > 0 && { errors }),
    ...(files.length > 0 && { files }),
    ...(blockers.length > 0 && { blockers }),
    ...(nextSteps.length > 0 && { nextSteps }),
    ...(tests !== undefined && { tests: testsOf(tests) }),
  }
}
