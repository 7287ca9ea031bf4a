/** How to read a flag's value: all of it, or the part after the user name. */
export type ValueSyntax = 'password' | 'login' | 'login-percent' | 'login-comma' | 'cookie' | 'source'

/** Which flags of which programs take a secret. */
export interface CommandRule {
  readonly programs: readonly string[]
  /** Words that must precede the flag: `login` in `docker login -p …`. */
  readonly behind?: readonly string[]
  /** The value is the next word, or follows `=`. */
  readonly flags?: readonly string[]
  /** The value is in the flag's own word: `-pS3cret`. */
  readonly joined?: readonly string[]
  /** Every `name=value` is a secret. */
  readonly fields?: boolean
  readonly reading: ValueSyntax
}

const mysql = ['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mysqlcheck', 'mysqlshow']
const mariadb = ['mariadb', 'mariadb-dump', 'mariadb-admin']
const mongo = ['mongosh', 'mongo', 'mongodump', 'mongorestore', 'mongoexport', 'mongoimport']
const ldap = ['ldapsearch', 'ldapmodify', 'ldapadd', 'ldapdelete', 'ldapwhoami', 'ldapcompare']
const storePasswords = ['-storepass', '-keypass', '-srcstorepass', '-deststorepass', '-srckeypass', '-destkeypass']

export const commandRules: readonly CommandRule[] = [
  { programs: [...mysql, ...mariadb, '7z', '7za', '7zr', '7zz'], joined: ['-p'], reading: 'password' },
  { programs: ['unrar', 'rar'], joined: ['-p', '-hp'], reading: 'password' },
  { programs: ['zip', 'unzip', 'zipcloak'], flags: ['-P'], joined: ['-P'], reading: 'password' },
  { programs: ['sshpass'], flags: ['-p'], joined: ['-p'], reading: 'password' },
  { programs: [...mongo, 'snowsql'], flags: ['-p', '--password'], reading: 'password' },
  { programs: ldap, flags: ['-w'], reading: 'password' },
  { programs: ['redis-cli', 'valkey-cli'], flags: ['-a', '--pass'], reading: 'password' },
  { programs: ['sqlcmd', 'bcp', 'ipmitool'], flags: ['-P'], reading: 'password' },
  { programs: ['ssh-keygen'], flags: ['-N', '-P'], reading: 'password' },
  { programs: ['keytool', 'jarsigner'], flags: storePasswords, reading: 'password' },
  { programs: ['security'], behind: ['add-generic-password'], flags: ['-w'], reading: 'password' },
  {
    programs: ['docker', 'podman', 'nerdctl', 'helm', 'az', 'oc', 'cf', 'argocd'],
    behind: ['login'],
    flags: ['-p'],
    reading: 'password',
  },
  { programs: ['curl'], flags: ['-u', '--user', '-U', '--proxy-user'], joined: ['-u'], reading: 'login' },
  { programs: ['curl'], flags: ['-b', '--cookie'], reading: 'cookie' },
  { programs: ['http', 'https', 'xh', 'xhs'], flags: ['-a', '--auth'], reading: 'login' },
  { programs: ['smbclient', 'rpcclient'], flags: ['-U', '--user'], reading: 'login-percent' },
  { programs: ['lftp'], flags: ['-u', '--user'], reading: 'login-comma' },
  { programs: ['openssl'], flags: ['-k', '-K', '-hmac'], reading: 'password' },
  { programs: ['openssl'], flags: ['-pass', '-passin', '-passout'], reading: 'source' },
  { programs: ['apksigner'], flags: ['--ks-pass', '--key-pass'], reading: 'source' },
  { programs: ['vault'], behind: ['kv', 'put'], fields: true, reading: 'password' },
  { programs: ['vault'], behind: ['write'], fields: true, reading: 'password' },
  {
    programs: ['fly', 'flyctl', 'doppler', 'supabase', 'wrangler', 'railway'],
    behind: ['secrets', 'set'],
    fields: true,
    reading: 'password',
  },
]
