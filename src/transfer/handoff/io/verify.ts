import { refuseOtherProject } from '../receive-handoff.ts'
import type { Verdict } from '../../../kernel/injection.ts'
import type { Files, Git } from '../../../kernel/ports/ports.ts'
import { mergeCheckpoints } from '../../../recovery/merge/merge-checkpoints.ts'
import { revalidate } from '../../../recovery/revalidate/revalidate.ts'
import type { HandoffContent } from './bundle.ts'
import { checkPatch } from './apply-patch.ts'

/** A claim of the bundle, and this checkout's verdict on it. */
export interface CheckedClaim {
  readonly claim: string
  readonly verdict: Verdict
}

export interface VerifyPorts {
  readonly files: Files
  readonly git: Git
  readonly worktree: string
}

async function verdictOnCommit(head: string | undefined, { git, worktree }: VerifyPorts): Promise<Verdict> {
  const isHere = head === undefined ? undefined : await git.hasCommit(worktree, head)
  return isHere === undefined ? 'cannot-tell' : isHere ? 'holds' : 'gone'
}

const COMMIT = 'commit '

/** Whether the work's commit is unknown here: another repository, or one that has not fetched it. */
export function isCommitUnknown(claims: readonly CheckedClaim[]): boolean {
  return claims.some(({ claim, verdict }) => claim.startsWith(COMMIT) && verdict !== 'holds')
}

/** Throws for a bundle of another project, before anything is done with it. */
export async function refuseElsewhere(
  { checkpoint, base, commits = [] }: HandoffContent,
  { git, worktree }: Pick<VerifyPorts, 'git' | 'worktree'>,
): Promise<void> {
  const known = [base, checkpoint.place.head, ...commits].filter((commit) => commit !== undefined)
  await refuseOtherProject(worktree, [...new Set(known)], git)
}

/** Checks every claim of the bundle that the file system and git can answer. */
export async function verifyHandoff(content: HandoffContent, ports: VerifyPorts): Promise<readonly CheckedClaim[]> {
  const { checkpoint, patch, base } = content
  const { branch, head } = checkpoint.place
  const commit = base ?? head
  const { view, files, commands, tests, head: position } = await revalidate(mergeCheckpoints([checkpoint]), ports)
  const claims: CheckedClaim[] = []
  if (commit !== undefined) {
    const verdict = await verdictOnCommit(commit, ports)
    claims.push({ claim: `${COMMIT}${commit.slice(0, 12)} is known here`, verdict })
  }
  if (branch !== undefined || head !== undefined)
    claims.push({ claim: `the work is on ${branch ?? 'no branch'}@${head?.slice(0, 9) ?? 'none'}`, verdict: position })
  for (const { path, action } of view.work.files)
    claims.push({ claim: `${path} (${action})`, verdict: files.get(path) ?? 'cannot-tell' })
  for (const { command, ok } of view.work.commands)
    claims.push({ claim: `${command} (${ok ? 'ok' : 'failed'})`, verdict: commands.get(command) ?? 'cannot-tell' })
  if (view.work.tests.length > 0) claims.push({ claim: 'the test results speak of this code', verdict: tests })
  if (patch !== undefined)
    claims.push({
      claim: 'its patch applies, or is applied',
      verdict: (await checkPatch(ports.worktree, Buffer.from(patch, 'base64'))) === 'neither' ? 'changed' : 'holds',
    })
  return claims
}
