import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { HoldfastError } from '../../../kernel/errors.ts'
import { readIfPresent } from '../../../platform/files/read-if-present.ts'
import type { Home } from '../../../platform/base/home.ts'
import { ensurePrivateDir, writeFileAtomic } from '../../../platform/files/atomic-file.ts'
import { TEAM_ROLES } from '../../team-role.ts'

const Membership = z.object({
  server: z.string(),
  team: z.string(),
  teamName: z.string(),
  /** The id of this person in the team; further machines have the id of the first one. */
  person: z.string(),
  machine: z.string(),
  role: z.enum(TEAM_ROLES),
  key: z.string(),
  joinedAt: z.string(),
})
/** How this machine reaches its team. The key is in this file only. */
export type Membership = z.output<typeof Membership>

const Operator = z.object({ server: z.string(), team: z.string(), key: z.string() })
/** How the server's operator manages people. */
export type OperatorAccess = z.output<typeof Operator>

type TeamHome = Pick<Home, 'root'>

const membershipFile = ({ root }: TeamHome) => join(root, 'team', 'membership.json')
const operatorFile = ({ root }: TeamHome) => join(root, 'team', 'operator.json')

function readPrivate<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> | undefined {
  const text = readIfPresent(file)
  if (text === undefined) return undefined
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new HoldfastError('settings-unreadable', `${file} cannot be read.`, {
      hint: 'Move it away and join the team again with a new invite.',
      cause,
    })
  }
}

function writePrivate(file: string, { root }: TeamHome, value: object): void {
  ensurePrivateDir(dirname(file), root)
  writeFileAtomic(file, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 })
}

/** Undefined when this home has not joined a team. */
export function readMembership(home: TeamHome): Membership | undefined {
  return readPrivate(membershipFile(home), Membership)
}

export function writeMembership(home: TeamHome, membership: Membership): void {
  writePrivate(membershipFile(home), home, membership)
}

export function deleteMembership(home: TeamHome): void {
  rmSync(membershipFile(home), { force: true })
}

/** Undefined unless a team server was started from this home. */
export function readOperator(home: TeamHome): OperatorAccess | undefined {
  return readPrivate(operatorFile(home), Operator)
}

export function writeOperator(home: TeamHome, access: OperatorAccess): void {
  writePrivate(operatorFile(home), home, access)
}
