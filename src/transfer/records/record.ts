import type { SessionSummary } from '../../kernel/agent-records.ts'
import type { Checkpoint } from '../../kernel/checkpoint.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { KnownLocation, Location, MachineRef } from '../../kernel/location.ts'
import type { Memory } from '../../kernel/memory.ts'
import type { Rule } from '../../kernel/rule.ts'

/** An event with where and on which machine it happened. */
export interface RecordedEvent {
  readonly event: SessionEvent
  readonly place?: Location
  readonly machine?: MachineRef
}

/** One thing that the store keeps, as it is written to a file. */
export type DataRecord =
  | { readonly kind: 'location'; readonly value: KnownLocation }
  | { readonly kind: 'event'; readonly value: RecordedEvent }
  | { readonly kind: 'checkpoint'; readonly value: Checkpoint }
  | { readonly kind: 'memory'; readonly value: Memory }
  | { readonly kind: 'rule'; readonly value: Rule }
  | { readonly kind: 'summary'; readonly value: SessionSummary }

/** Written at the beginning of a file. */
export const RECORD_FORMAT = 'holdfast-export/1'
