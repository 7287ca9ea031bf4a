import { join } from 'node:path'

/** Where Pieces keeps its database, unless `PIECES_DB_PATH` says otherwise; whether there is one is another matter. */
export function piecesFile(env: NodeJS.ProcessEnv): string | undefined {
  if (env.PIECES_DB_PATH) return env.PIECES_DB_PATH
  const userHome = env.HOME || env.USERPROFILE
  return userHome && join(userHome, 'Documents/com.pieces.os/production/Pieces/couchbase.cblite2/db.sqlite3')
}
