/** Begin a word, or stand behind a sign: the state in which no letter has been read. */
const STATES = 27
const LETTERS = 26

/** How many occurrences of a pair weigh as much as what is known of its parts. */
const PAIR_PRIOR = 20
const TRIPLE_PRIOR = 10

/** Words of code that no dictionary has: what follows from their letters is true of many more. */
export const abbreviations: readonly string[] =
  `acl addr admin alloc ansi api app apps arg args argc argv arn arr ascii asm ast async atob attr attrs auth authn authz
  aux avg aws bg bin btn btoa buf bytea cb cbc cdn cert certs cfg cgi char chk chmod chown cidr ci cjs clk cls cmd cmds cmp
  cname col cols concat cond conf config configs conn const cp cpu cpp crc crl cron crypt crud csr css csv ctl ctrl ctx cur
  curl cwd daemon db dbg dbname def del dep deps dest dev dict diff dir dirs dirname div dll dns docker doc docs dom dsn
  dst dtls ecdh ecdsa elem elems elif elt ebadf econn econnrefused einval enoent eof eol epoch eperm err errno errs etag etc
  eval evt exe exec expr ext fd fds ffi fft fget fifo filename fmt fn fns fp fprintf fputs frac freq fs fseek fstat fsync ftp
  func funcs gcc gcm gcp gcs gen getattr getenv gid git github gitlab glob goto gpg gpu grpc gql gui guid gz gzip hash hdr
  hex hgt hkdf hls hmac hostname href hrtime hsm html htpasswd http https hwnd iam ico idx ids iface ifdef ifndef img impl
  imap inc incr info init inode inout instr int interp intl io ioctl ip ipc ips ipv iso iter jdbc jpeg jpg js json jsx jwe
  jwk jwks jwt kb kdf keygen kms kql kube kubectl kv lang lb ld ldap len lhs lib libs linux ln loc localhost lock login lru
  ls lsof lstat ltd macos malloc mariadb max mb mbuf mc md mem memcpy memset mfa mgr microservice middleware min misc mkdir
  mlock mod mongo mongodb mq msg msgs mssql mtime mtls mut mutex mux mysql mysqldump namespace nan nav net netrc nginx nil
  nlp noop npm npx ns ntp num nums obj objs oauth oidc opcode openssl opt opts org orig orm os osx otp param params parser
  passwd passphrase pbkdf pct pem perf perm perms pg pgp php pid pids pk pkce pkcs pkg pkgs plpgsql png pnpm podman pos posix
  postgres postgresql ppid pre prefs prev printf priv proc procs prod prog props proto prs ps psk psql pswd ptr pty pub pubkey
  pw pwd pwr px py pypi qps qs qty query queue rabbitmq rand rbac rc rcv rdbms rds readdir readme realpath rec recv redis
  redux ref refs regex regexp rel repl repo repos req reqs res resp ret rev rfc rgb rgba rhs rm rmdir rng rpc rpm rsa rsync
  rtl rtt ruby runtime rw rx saml sasl sbin scp scss sdk sec sem seq serde servlet setattr setenv sftp sha sig sigint
  sigkill sigterm simd smtp snd sns soap sock socks spec specs sprintf sql sqlite sqlx sqs src srcs srv ssh sshd ssl sso
  sst stat stats std stderr stdin stdio stdout stmt str strcmp strdup strftime strlen strncpy struct structs sub subnet
  subprocess sudo svc svg sym sync sys syscall sysctl syslog systemd tbl tcp tee temp tf tgt tgz thr thumbnail tkn tls tmp
  tmpdir todo tok toml toolchain totp tpl ts tsconfig tsx ttl tty tx txn txt typedef ubuntu udp ui uid uint unicode unix
  unlink upsert uri url urls usb usr utf util utils uuid val vals var varchar vars vec ver vim vm vpc vpn wasm webhook
  websocket wg wget whoami wifi win wks wsl www xattr xaml xcode xhr xlsx xml xpath xsd xslt yaml yarn yml zip zlib zone zsh`
    .split(/\s+/)
    .filter((word) => word !== '')

function add(table: Float64Array, index: number): void {
  table[index] = (table[index] ?? 0) + 1
}

function counted(words: Iterable<string>) {
  const triples = new Float64Array(STATES * STATES * STATES)
  const pairs = new Float64Array(STATES * STATES)
  const singles = new Float64Array(STATES)
  for (const word of words) {
    let first = 0
    let second = 0
    for (const letter of word) {
      const third = letter.charCodeAt(0) - 96
      add(triples, (first * STATES + second) * STATES + third)
      add(pairs, second * STATES + third)
      add(singles, third)
      first = second
      second = third
    }
  }
  return { triples, pairs, singles }
}

function sumOf(table: Float64Array, from: number): number {
  return table.subarray(from, from + STATES).reduce((sum, count) => sum + count, 0)
}

/**
 * What each letter costs behind each two others, in bits: how unlikely it is in the words, smoothed by what is known of
 * pairs and of single letters. In the order of the two letters before and of the letter.
 */
export function letterCosts(words: Iterable<string>): number[] {
  const { triples, pairs, singles } = counted(words)
  const all = sumOf(singles, 0)
  const costs: number[] = []
  for (let first = 0; first < STATES; first += 1)
    for (let second = 0; second < STATES; second += 1) {
      const pairSum = sumOf(pairs, second * STATES)
      const tripleSum = sumOf(triples, (first * STATES + second) * STATES)
      for (let third = 1; third <= LETTERS; third += 1) {
        const single = ((singles[third] ?? 0) + 1) / (all + LETTERS)
        const pair = ((pairs[second * STATES + third] ?? 0) + PAIR_PRIOR * single) / (pairSum + PAIR_PRIOR)
        const triple = triples[(first * STATES + second) * STATES + third] ?? 0
        costs.push(-Math.log2((triple + TRIPLE_PRIOR * pair) / (tripleSum + TRIPLE_PRIOR)))
      }
    }
  return costs
}
