import { canonicalJson } from '../kernel/json-shape.ts'
import type { ExchangePorts } from './exchange-ports.ts'
import type { KnownMember, RefusedRange } from './ledger.ts'
import { meetMembers, type MembershipPorts } from './members.ts'
import { catchUpOwnLog, type ReadContent, receiveRecords } from './receive.ts'
import { sendHistory, sendRecords } from './send.ts'
import type { SpaceKey } from './sealing.ts'

export interface ExchangeReport {
  readonly sent: number
  readonly received: number
  readonly refused: readonly RefusedRange[]
  /** Machines that were accepted, seen for the first time, or have left. */
  readonly changes: readonly KnownMember[]
  /** This machine has joined, and no other member has given it the key yet. */
  readonly isWaiting: boolean
}

type OneExchange = Omit<ExchangePorts, 'keys' | 'members'> &
  Pick<MembershipPorts, 'acceptance' | 'hasPersonKeys'> & {
    readonly keys: readonly SpaceKey[]
    readonly saveKeys: (keys: readonly SpaceKey[]) => Promise<void>
    readonly readContent: ReadContent
    /** Only joins the space, or gives the key to those who joined. */
    readonly isMeetingOnly?: boolean
  }

/** Sends what the space does not have, and stores what this machine does not have. Repeating it does no harm. */
export async function exchangeRecords(ports: OneExchange): Promise<ExchangeReport> {
  const { ledger, replica } = ports
  let [sent, received] = [0, 0]
  const onProgress: ExchangePorts['onProgress'] = (done) => {
    sent += done.sent
    received += done.received
    ports.onProgress({ sent, received })
  }
  const { keys, members, changes, isWaiting } = await meetMembers({ ...ports, machine: replica.machine })
  // Durable before anything is encrypted to them.
  if (canonicalJson(keys) !== canonicalJson(ports.keys)) await ports.saveKeys(keys)
  if (ports.isMeetingOnly !== true && (!isWaiting || ports.isPlain)) {
    const exchange = { ...ports, keys, members, onProgress }
    await catchUpOwnLog(exchange)
    // First: what was changed here gets its version before the changes of others are stored.
    await sendRecords(exchange)
    await receiveRecords(exchange)
    // What was received is not waiting to be sent.
    if (received > 0) await sendHistory(exchange)
  }
  return { sent, received, refused: [...(await ledger.refused()).values()], changes, isWaiting }
}
