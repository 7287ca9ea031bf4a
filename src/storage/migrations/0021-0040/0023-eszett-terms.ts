import { reindexEszett } from '../../queries/search/reindex-eszett.ts'
import type { Migration } from '../../rows/schema-dialect.ts'

/** Search terms have an eszett as two letters since this version; what was stored before has it as one. */
export const eszettTerms: Migration = reindexEszett
