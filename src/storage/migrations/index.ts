import { eventsAndSessions } from './0001-0020/0001-events-and-sessions.ts'
import { checkpoints } from './0001-0020/0002-checkpoints.ts'
import { memories } from './0001-0020/0003-memories.ts'
import { workAndLedgers } from './0001-0020/0004-work-and-ledgers.ts'
import { logAnchor } from './0001-0020/0005-log-anchor.ts'
import { agentApi } from './0001-0020/0006-agent-api.ts'
import { checklistRecords } from './0001-0020/0007-checklist-records.ts'
import { receipts } from './0001-0020/0008-receipts.ts'
import { failureEvidence } from './0001-0020/0009-failure-evidence.ts'
import { workItems } from './0001-0020/0010-work-items.ts'
import { sessionOrder } from './0001-0020/0011-session-order.ts'
import { projectLocations } from './0001-0020/0012-project-locations.ts'
import { rules } from './0001-0020/0013-rules.ts'
import { memoryDrafts } from './0001-0020/0014-memory-drafts.ts'
import { archive } from './0001-0020/0015-archive.ts'
import { ownerAndScope } from './0001-0020/0016-owner-and-scope.ts'
import { repositories } from './0001-0020/0017-repositories.ts'
import { sync } from './0001-0020/0018-sync.ts'
import { records } from './0021-0040/0021-records.ts'
import { takenWork } from './0021-0040/0022-taken-work.ts'
import { eszettTerms } from './0021-0040/0023-eszett-terms.ts'
import type { Migration } from '../rows/schema-dialect.ts'

/** In order. Append only: a released migration is never edited. The keys are stored in databases. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-events-and-sessions': eventsAndSessions,
  '0002-checkpoints': checkpoints,
  '0003-memories': memories,
  '0004-work-and-ledgers': workAndLedgers,
  '0005-log-anchor': logAnchor,
  '0006-agent-door': agentApi,
  '0007-checklist-records': checklistRecords,
  '0008-receipts': receipts,
  '0009-failure-evidence': failureEvidence,
  '0010-work-items': workItems,
  '0011-session-order': sessionOrder,
  '0012-project-locations': projectLocations,
  '0013-rules': rules,
  '0014-memory-drafts': memoryDrafts,
  '0015-archive': archive,
  '0016-owner-and-scope': ownerAndScope,
  '0017-repositories': repositories,
  '0018-sync': sync,
  '0021-records': records,
  '0022-taken-work': takenWork,
  '0023-eszett-terms': eszettTerms,
}
