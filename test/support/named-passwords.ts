import { seeded } from './synthetic-secrets.ts'

type Random = ReturnType<typeof seeded>

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const ALNUM = LOWER + UPPER + DIGITS
const USUAL_SYMBOLS = '!@#$%^&*-_+=?.'
const ALL_SYMBOLS = `${USUAL_SYMBOLS}()[]{}<>|\\/:;,~"'\``

function draw(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[random(alphabet.length)]).join('')
}

/** Puts so many symbols at random places, the first and the last among them. */
function withSymbols(random: Random, value: string, symbols: string, count: number): string {
  const chars = Array.from(value)
  const places = new Set<number>()
  while (places.size < count) places.add(random(chars.length))
  for (const place of places) chars[place] = draw(random, symbols, 1)
  return chars.join('')
}

function hasDigitAndLetter(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value)
}

function drawUntil(make: () => string, isMeant: (value: string) => boolean): string {
  for (;;) {
    const value = make()
    if (isMeant(value)) return value
  }
}

export interface ValueKind {
  readonly name: string
  /** With signs of every kind in every third place: a sentence or code around it may end it early. */
  readonly isDense?: boolean
  readonly make: (random: Random) => string
}

/** Nothing but letters and digits, as a generator of passwords makes them. */
export const plainKinds: readonly ValueKind[] = [
  { name: 'letters and digits', make: (random) => draw(random, ALNUM, 12) },
  { name: 'small letters and digits', make: (random) => draw(random, LOWER + DIGITS, 12) },
  { name: 'letters', make: (random) => draw(random, LOWER + UPPER, 12) },
]

export const longKinds: readonly ValueKind[] = [
  { name: 'twenty letters and digits', make: (random) => draw(random, ALNUM, 20) },
]

/** With symbols: few of the usual ones, or any, at the beginning, in the middle and at the end. */
export const symbolKinds: readonly ValueKind[] = [
  {
    name: 'one or two symbols',
    make: (random) => withSymbols(random, draw(random, ALNUM, 10), USUAL_SYMBOLS, 1 + random(2)),
  },
  {
    name: 'three symbols of any kind',
    isDense: true,
    make: (random) => withSymbols(random, draw(random, ALNUM, 10), ALL_SYMBOLS, 3),
  },
  {
    name: 'any character',
    isDense: true,
    make: (random) =>
      drawUntil(
        () => draw(random, ALNUM + ALL_SYMBOLS, 10),
        (value) => hasDigitAndLetter(value) && /[^A-Za-z0-9]/.test(value),
      ),
  },
  {
    name: 'a symbol at the beginning',
    make: (random) => draw(random, USUAL_SYMBOLS, 1) + draw(random, ALNUM, 9),
  },
  {
    name: 'a symbol at the end',
    make: (random) => draw(random, ALNUM, 9) + draw(random, USUAL_SYMBOLS, 1),
  },
]

interface NamedContext {
  readonly name: string
  /** Symbols that end a value where the context stands, so that no value there has them as they are. */
  readonly without?: string
  readonly write: (value: string, random: Random) => string
}

function oneOf(random: Random, words: readonly string[]): string {
  return words[random(words.length)] ?? ''
}

const ENV_NAMES = [
  'DB_PASSWORD',
  'PGPASSWORD',
  'SMTP_PASSWORD',
  'MYSQL_ROOT_PASSWORD',
  'REDIS_PASSWORD',
  'ADMIN_PASSWD',
]
const SECRET_ENV_NAMES = ['API_KEY', 'JWT_SECRET', 'AUTH_TOKEN', 'CLIENT_SECRET', 'SESSION_SECRET', 'SENDGRID_API_KEY']
const PROPERTY_NAMES = [
  'spring.datasource.password',
  'db.password',
  'javax.net.ssl.keyStorePassword',
  'mail.smtp.password',
]
const CODE_NAMES = ['password', 'dbPassword', 'db_password', 'passwd', 'adminPassword', 'userPassword', 'smtp_password']
const SECRET_CODE_NAMES = ['apiKey', 'api_key', 'clientSecret', 'client_secret', 'authToken', 'access_token', 'secret']
const FLAGS = ['--password', '--db-password', '--admin-password', '--passwd', '--pwd', '--smtp-password']
const SECRET_FLAGS = ['--token', '--api-key', '--secret', '--client-secret', '--access-token', '--auth-token']
const HOSTS = ['db.internal', 'git.example.org', 'localhost:8080', 'x', '10.0.0.7', 'cache:6379', 'api.service.local']

/** The value inside a text in double quotes, as JSON and most languages write it. */
function escaped(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

function xmlEscaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Inside of single quotes, where those of the value are left out. */
const SINGLE = `'\\`
const DOUBLE = '"\\'

const namedContexts: readonly NamedContext[] = [
  // Files of settings
  { name: 'env file', without: '"\'`\\', write: (v, r) => `PORT=8080\n${oneOf(r, ENV_NAMES)}=${v}\nDEBUG=true\n` },
  { name: 'env file, secret', without: '"\'`\\', write: (v, r) => `${oneOf(r, SECRET_ENV_NAMES)}=${v}` },
  { name: 'env file, double quotes', write: (v, r) => `${oneOf(r, ENV_NAMES)}="${escaped(v)}"\n` },
  { name: 'env file, single quotes', without: SINGLE, write: (v, r) => `${oneOf(r, ENV_NAMES)}='${v}'\n` },
  { name: 'export', without: '"\'`\\', write: (v, r) => `export ${oneOf(r, ENV_NAMES)}=${v}` },
  { name: 'export, quotes', without: SINGLE, write: (v, r) => `export ${oneOf(r, SECRET_ENV_NAMES)}='${v}' && make` },
  { name: 'before a command', without: '"\'`\\;&|<>()$', write: (v, r) => `${oneOf(r, ENV_NAMES)}=${v} npm start` },
  { name: 'properties', write: (v, r) => `server.port=8080\n${oneOf(r, PROPERTY_NAMES)}=${v}\n` },
  { name: 'properties, blanks', write: (v, r) => `${oneOf(r, PROPERTY_NAMES)} = ${v}\n` },
  { name: 'properties alone', write: (v, r) => `${oneOf(r, PROPERTY_NAMES)}=${v}` },
  {
    name: 'YAML',
    without: `"'\`#:{}[]&*!|>%@,-?`,
    write: (v, r) => `spring:\n  datasource:\n    username: app\n    ${oneOf(r, CODE_NAMES)}: ${v}\n`,
  },
  { name: 'YAML, double quotes', write: (v, r) => `db:\n  ${oneOf(r, CODE_NAMES)}: "${escaped(v)}"\n  port: 1\n` },
  { name: 'YAML, single quotes', without: SINGLE, write: (v, r) => `  ${oneOf(r, SECRET_CODE_NAMES)}: '${v}'\n` },
  {
    name: 'YAML, list of env',
    without: DOUBLE,
    write: (v, r) => `env:\n  - name: ${oneOf(r, ENV_NAMES)}\n    value: "${v}"\n`,
  },
  { name: 'compose', without: `"'\`#`, write: (v, r) => `    environment:\n      - ${oneOf(r, ENV_NAMES)}=${v}\n` },
  { name: 'compose, map', without: `"'\`#:{}[]&*!|>%@,-?`, write: (v, r) => `      ${oneOf(r, ENV_NAMES)}: ${v}\n` },
  { name: 'TOML', write: (v, r) => `[db]\n${oneOf(r, CODE_NAMES)} = "${escaped(v)}"\n` },
  { name: 'TOML table', write: (v) => `secrets = { conn = "x", password = "${escaped(v)}" }\n` },
  { name: 'JSON', write: (v, r) => JSON.stringify({ user: 'app', [oneOf(r, CODE_NAMES)]: v, port: 1 }) },
  { name: 'JSON, indented', write: (v, r) => JSON.stringify({ [oneOf(r, SECRET_CODE_NAMES)]: v, a: [1] }, null, 2) },
  { name: 'JSON in JSON', write: (v) => JSON.stringify({ body: JSON.stringify({ password: v, id: 7 }) }) },
  { name: 'XML element', write: (v) => `<db>\n  <password>${xmlEscaped(v)}</password>\n</db>` },
  { name: 'XML attribute', write: (v) => `<add key="DbPassword" value="${xmlEscaped(v)}" />` },
  { name: 'XML property', write: (v) => `<property name="password" value="${xmlEscaped(v)}"/>` },
  {
    name: 'Maven server',
    write: (v) => `<server><id>a</id><username>ci</username><password>${xmlEscaped(v)}</password></server>`,
  },
  { name: 'INI', without: ';#', write: (v, r) => `[client]\nuser=app\n${oneOf(r, CODE_NAMES)}=${v}\nhost=db\n` },
  { name: 'INI, blanks', without: ';#', write: (v, r) => `[smtp]\n${oneOf(r, CODE_NAMES)} = ${v}\n` },
  { name: 'netrc', write: (v) => `machine api.example.org login ci password ${v}\n`, without: '"\'\\' },
  { name: 'pgpass', write: (v) => `db.internal:5432:app:app:${v}\n`, without: '"\'`\\:' },
  // Commands
  { name: 'flag with =', without: '"\'`\\;&|<>()', write: (v, r) => `deploy ${oneOf(r, FLAGS)}=${v} --region eu-1` },
  { name: 'flag', without: '"\'`\\;&|<>()-', write: (v, r) => `deploy ${oneOf(r, FLAGS)} ${v} --force` },
  { name: 'flag in quotes', without: SINGLE, write: (v, r) => `tool ${oneOf(r, FLAGS)} '${v}' run` },
  { name: 'flag = quotes', without: `${DOUBLE}$\``, write: (v, r) => `tool ${oneOf(r, FLAGS)}="${v}" run` },
  { name: 'secret flag', without: '"\'`\\;&|<>()-', write: (v, r) => `gh ${oneOf(r, SECRET_FLAGS)} ${v} --force` },
  { name: 'secret flag with =', without: '"\'`\\;&|<>()', write: (v, r) => `app ${oneOf(r, SECRET_FLAGS)}=${v}` },
  { name: 'mysql -p', without: '"\'`\\;&|<>()', write: (v) => `mysql -h db -u root -p${v} app < dump.sql` },
  { name: 'mysql -p quotes', without: SINGLE, write: (v) => `mysqldump -uroot -p'${v}' app` },
  { name: 'curl -u', without: '"\'`\\;&|<>()', write: (v) => `curl -s -u admin:${v} https://api.example.org/v1` },
  { name: 'curl --user', without: `${DOUBLE}$\``, write: (v) => `curl --user "admin:${v}" https://api.example.org` },
  { name: 'docker -e', without: '"\'`\\;&|<>()', write: (v) => `docker run -d -e MYSQL_ROOT_PASSWORD=${v} mysql:8` },
  { name: 'docker -e quotes', without: SINGLE, write: (v) => `docker run -e 'POSTGRES_PASSWORD=${v}' postgres` },
  { name: 'docker login', without: '"\'`\\;&|<>()-', write: (v) => `docker login -u ci -p ${v} registry.example.org` },
  {
    name: 'kubectl literal',
    without: '"\'`\\;&|<>()',
    write: (v) => `kubectl create secret generic db --from-literal=password=${v} -n app`,
  },
  { name: 'helm --set', without: '"\'`\\;&|<>(),', write: (v) => `helm upgrade a ./c --set auth.password=${v} -n a` },
  { name: 'htpasswd -b', without: '"\'`\\;&|<>()-', write: (v) => `htpasswd -b -c /etc/nginx/.htpasswd admin ${v}` },
  { name: 'htpasswd -nb', without: SINGLE, write: (v) => `htpasswd -nbB admin '${v}'` },
  { name: 'sshpass', without: SINGLE, write: (v) => `sshpass -p '${v}' ssh root@10.0.0.7` },
  { name: 'redis-cli -a', without: '"\'`\\;&|<>()-', write: (v) => `redis-cli -h cache -a ${v} ping` },
  { name: 'PGPASSWORD', without: '"\'`\\;&|<>()$', write: (v) => `PGPASSWORD=${v} psql -h db -U app -c 'select 1'` },
  { name: 'chpasswd', without: `${DOUBLE}$\`|`, write: (v) => `echo "bob:${v}" | chpasswd` },
  { name: 'sudo -S', without: `${SINGLE}|`, write: (v) => `echo '${v}' | sudo -S apt update` },
  { name: 'wget', without: '"\'`\\;&|<>()', write: (v) => `wget --user=bob --password=${v} https://x.org/f.zip` },
  { name: 'terraform -var', without: `${DOUBLE}$\``, write: (v) => `terraform apply -var "db_password=${v}"` },
  { name: 'ansible -e', without: `${DOUBLE}$\`'`, write: (v) => `ansible-playbook site.yml -e "db_password=${v}"` },
  { name: 'npm config', without: '"\'`\\;&|<>()', write: (v) => `npm config set //r.example.org/:_password=${v}` },
  // Windows
  { name: 'set', without: '&|<>^%', write: (v) => `set DB_PASS=${v}\nset PORT=1` },
  { name: 'set PASSWORD', without: '&|<>^%', write: (v) => `SET PASSWORD=${v}` },
  { name: 'setx', without: '"\'`&|<>^%', write: (v) => `setx DB_PASSWORD ${v}` },
  { name: 'net user', without: '"\'`&|<>^%/', write: (v) => `net user bob ${v} /add` },
  { name: 'net use', without: '"\'`&|<>^%/', write: (v) => `net use Z: \\\\srv\\share ${v} /user:bob` },
  {
    name: 'secure string',
    without: `${DOUBLE}\`$`,
    write: (v) => `$s = ConvertTo-SecureString "${v}" -AsPlainText -Force`,
  },
  { name: 'PowerShell env', without: `${DOUBLE}\`$`, write: (v) => `$env:DB_PASSWORD = "${v}"` },
  { name: 'PowerShell argument', without: SINGLE, write: (v) => `Connect-Db -User bob -Password '${v}'` },
  // Headers
  { name: 'X-Api-Key', without: '"\'`\\', write: (v) => `X-Api-Key: ${v}` },
  { name: 'X-Auth-Token', without: '"\'`\\', write: (v) => `GET / HTTP/1.1\r\nX-Auth-Token: ${v}\r\nAccept: */*\r\n` },
  {
    name: 'curl -H key',
    without: `${DOUBLE}$\``,
    write: (v) => `curl -H "X-API-Key: ${v}" https://api.example.org/v1`,
  },
  { name: 'Authorization', without: '"\'`\\', write: (v) => `Authorization: ${v}` },
  { name: 'Authorization Bearer', without: '"\'`\\', write: (v) => `authorization: Bearer ${v}\n` },
  { name: 'Authorization Token', without: '"\'`\\', write: (v) => `Authorization: Token ${v}` },
  { name: 'Authorization ApiKey', without: '"\'`\\', write: (v) => `-H 'Authorization: ApiKey ${v}'` },
  {
    name: 'Proxy-Authorization',
    write: (v) => `Proxy-Authorization: Basic ${Buffer.from(`bob:${v}`).toString('base64')}`,
  },
  { name: 'Cookie', without: '"\'`\\;,', write: (v) => `Cookie: theme=dark; auth_token=${v}; lang=en` },
  { name: 'fetch header', without: SINGLE, write: (v) => `fetch(url, { headers: { 'X-Api-Key': '${v}' } })` },
  // Addresses
  { name: 'URL', without: '"\'`\\<>', write: (v, r) => `https://bob:${v}@${oneOf(r, HOSTS)}` },
  {
    name: 'URL with path',
    without: '"\'`\\<>',
    write: (v, r) => `git clone https://ci:${v}@${oneOf(r, HOSTS)}/a/b.git`,
  },
  {
    name: 'URL in env file',
    without: '"\'`\\<>',
    write: (v) => `DATABASE_URL=postgres://app:${v}@db:5432/app?ssl=1\n`,
  },
  { name: 'URL in quotes', without: '"\'`\\<>', write: (v) => `url: "redis://:${v}@cache:6379/0"` },
  { name: 'URL in text', without: '"\'`\\<>', write: (v) => `see mongodb://root:${v}@mongo.internal:27017/a for more` },
  { name: 'URL query', without: '"\'`\\&#<>', write: (v) => `https://api.example.org/login?user=bob&password=${v}` },
  { name: 'URL query key', without: '"\'`\\&#<>', write: (v) => `GET /v1/items?api_key=${v}&page=2 200` },
  // Connection strings
  { name: 'ADO', without: '"\'`\\;', write: (v) => `Server=db;Database=a;User Id=app;Password=${v};Encrypt=True` },
  { name: 'ADO PWD', without: '"\'`\\;', write: (v) => `"Driver={ODBC Driver 17};Server=db;UID=sa;PWD=${v};"` },
  { name: 'JDBC query', without: '"\'`\\&;#', write: (v) => `jdbc:postgresql://db:5432/a?user=app&password=${v}` },
  { name: 'JDBC semicolon', without: '"\'`\\;', write: (v) => `jdbc:sqlserver://db:1433;user=sa;password=${v};` },
  { name: 'JDBC Oracle', without: '"\'`\\@/', write: (v) => `jdbc:oracle:thin:app/${v}@db:1521:x` },
  { name: 'libpq', without: '"\'`\\', write: (v) => `psql "host=db user=app password=${v} dbname=a"` },
  { name: 'Go DSN', without: '"\'`\\@:/', write: (v) => `dsn := "app:${v}@tcp(db:3306)/a"` },
  {
    name: 'connection in C#',
    without: '"\'`\\;',
    write: (v) => `new SqlConnection("Server=db;User=sa;Password=${v}")`,
  },
  // SQL
  { name: 'IDENTIFIED BY', without: SINGLE, write: (v) => `CREATE USER 'app'@'%' IDENTIFIED BY '${v}';` },
  { name: 'identified by', without: SINGLE, write: (v) => `alter user app identified by '${v}'` },
  { name: 'PASSWORD', without: SINGLE, write: (v) => `CREATE ROLE app LOGIN PASSWORD '${v}';` },
  {
    name: 'WITH PASSWORD =',
    without: SINGLE,
    write: (v) => `CREATE LOGIN app WITH PASSWORD = '${v}', CHECK_POLICY = ON`,
  },
  { name: 'SET PASSWORD', without: SINGLE, write: (v) => `SET PASSWORD FOR 'app'@'localhost' = PASSWORD('${v}');` },
  { name: 'ENCRYPTED PASSWORD', without: SINGLE, write: (v) => `ALTER USER app WITH ENCRYPTED PASSWORD '${v}';` },
  { name: 'IDENTIFIED BY, Oracle', without: '"\\', write: (v) => `CREATE USER app IDENTIFIED BY "${v}" QUOTA 1M ON u` },
  // Code
  { name: 'Python', without: SINGLE, write: (v, r) => `${oneOf(r, CODE_NAMES)} = '${v}'\nprint(1)` },
  {
    name: 'Python keyword',
    write: (v) => `conn = connect(host="db", user="app", password="${escaped(v)}", port=5432)`,
  },
  { name: 'Python dict', without: SINGLE, write: (v) => `DATABASES = {'default': {'USER': 'a', 'PASSWORD': '${v}'}}` },
  { name: 'Python environ', without: SINGLE, write: (v) => `os.environ['DB_PASSWORD'] = '${v}'` },
  { name: 'Python default', write: (v) => `pw = os.getenv("DB_PASSWORD", "${escaped(v)}")` },
  { name: 'PHP arrow', without: SINGLE, write: (v) => `    'password' => '${v}',` },
  { name: 'PHP define', without: SINGLE, write: (v) => `define('DB_PASSWORD', '${v}');` },
  { name: 'PHP variable', without: SINGLE, write: (v) => `$db_password = '${v}';` },
  { name: 'PHP connect', without: SINGLE, write: (v) => `$password='${v}';$c=mysqli_connect('db','app',$password);` },
  { name: 'Ruby arrow', without: SINGLE, write: (v) => `connect(:user => 'app', :password => '${v}')` },
  { name: 'Ruby keyword', without: SINGLE, write: (v) => `Client.new(user: 'app', password: '${v}')` },
  { name: 'JS constant', without: SINGLE, write: (v, r) => `const ${oneOf(r, CODE_NAMES)} = '${v}'` },
  {
    name: 'JS object',
    without: SINGLE,
    write: (v, r) => `const c = { host: 'db', ${oneOf(r, CODE_NAMES)}: '${v}', a: 1 }`,
  },
  { name: 'JS secret', write: (v, r) => `export const ${oneOf(r, SECRET_CODE_NAMES)} = "${escaped(v)}";` },
  { name: 'JS fallback', without: SINGLE, write: (v) => `const password = process.env.DB_PASSWORD || '${v}'` },
  { name: 'TypeScript type', without: SINGLE, write: (v) => `private readonly password: string = '${v}'` },
  { name: 'Go', write: (v) => `	dbPassword := "${escaped(v)}"` },
  { name: 'Go field', write: (v) => `opts := Options{User: "app", Password: "${escaped(v)}"}` },
  { name: 'Java', write: (v) => `private static final String DB_PASSWORD = "${escaped(v)}";` },
  { name: 'Java setter', write: (v) => `dataSource.setPassword("${escaped(v)}");` },
  { name: 'Java property', write: (v) => `props.setProperty("mail.password", "${escaped(v)}");` },
  { name: 'Java put', write: (v) => `props.put("password", "${escaped(v)}");` },
  { name: 'Java builder', write: (v) => `Client.builder().user("a").password("${escaped(v)}").build()` },
  { name: 'Java equals', write: (v) => `if (password.equals("${escaped(v)}")) return true;` },
  { name: 'C#', write: (v) => `string password = "${escaped(v)}";` },
  { name: 'C# initialiser', write: (v) => `new NetworkCredential { UserName = "a", Password = "${escaped(v)}" }` },
  { name: 'C# credential', write: (v) => `new NetworkCredential("bob", "${escaped(v)}")` },
  { name: 'C define', write: (v) => `#define WIFI_PASSWORD "${escaped(v)}"` },
  { name: 'C array', write: (v) => `const char* password = "${escaped(v)}";` },
  { name: 'Rust', write: (v) => `let password: &str = "${escaped(v)}";` },
  { name: 'Kotlin', write: (v) => `    val apiKey = "${escaped(v)}"` },
  { name: 'Swift', write: (v) => `let password: String = "${escaped(v)}"` },
  { name: 'Perl', without: SINGLE, write: (v) => `my $password = '${v}';` },
  { name: 'comparison', without: SINGLE, write: (v) => `if (password === '${v}') {` },
  { name: 'Gradle', write: (v) => `    storePassword "${escaped(v)}"\n    keyAlias "a"` },
  { name: 'Terraform', write: (v) => `resource "aws_db_instance" "a" {\n  password = "${escaped(v)}"\n}` },
  { name: 'Terraform default', write: (v) => `variable "db_password" {\n  default = "${escaped(v)}"\n}` },
  {
    name: 'Ansible',
    without: DOUBLE,
    write: (v) => `- mysql_user:\n    name: app\n    password: "${v}"\n    state: present`,
  },
  {
    name: 'ansible_password',
    without: `"'\`#:{}[]&*!|>%@,-?`,
    write: (v) => `ansible_password: ${v}\nansible_user: root`,
  },
  { name: 'Ansible host', without: '"\'`\\#', write: (v) => `web1 ansible_host=10.0.0.7 ansible_password=${v}` },
  { name: 'CI YAML', without: `"'\`#:{}[]&*!|>%@,-?`, write: (v) => `    env:\n      NPM_TOKEN: ${v}\n      CI: true` },
  { name: 'CI variables', without: SINGLE, write: (v) => `variables:\n  DEPLOY_PASSWORD: '${v}'\n` },
  { name: 'Dockerfile ENV', without: '"\'`\\', write: (v) => `ENV POSTGRES_PASSWORD=${v}\nEXPOSE 5432` },
  { name: 'Dockerfile ENV, space', without: '"\'`\\', write: (v) => `ENV DB_PASSWORD ${v}` },
  { name: 'systemd', without: DOUBLE, write: (v) => `Environment="DB_PASSWORD=${v}"` },
  { name: 'nginx', write: (v) => `    auth_basic_password "${escaped(v)}";` },
  { name: 'redis', without: '"\'`\\', write: (v) => `requirepass ${v}` },
  { name: 'diff', without: SINGLE, write: (v) => `@@ -1 +1 @@\n-password: old\n+password: '${v}'\n` },
  { name: 'diff, env', without: '"\'`\\', write: (v) => `@@ -1 +1 @@\n-DB_PASSWORD=\n+DB_PASSWORD=${v}\n` },
  { name: 'log', without: '"\'`\\', write: (v) => `2026-01-02T03:04:05Z DEBUG login user=bob password=${v} try=1` },
  // Prose
  { name: 'the password is', without: '"\'`.,;:!?()', write: (v) => `The password is ${v} and the user is bob.` },
  { name: 'password:', without: '"\'`.,;:!?()', write: (v) => `Password: ${v}` },
  { name: 'user and password', without: '"\'`.,;:!?()', write: (v) => `user: bob, password: ${v}` },
  { name: 'pw', without: '"\'`.,;:!?()', write: (v) => `login bob pw ${v}` },
  { name: 'pw:', without: '"\'`.,;:!?()', write: (v) => `pw: ${v}` },
  { name: 'password in code marks', without: '`', write: (v) => `use password \`${v}\` to log in` },
  { name: 'password in quotes', without: '"\'`', write: (v) => `my password is "${v}", do not tell` },
  { name: 'with password', without: '"\'`.,;:!?()', write: (v) => `log in as bob with password ${v}` },
  { name: 'Markdown', without: '"\'`.,;:!?()*_', write: (v) => `- **Password**: ${v}` },
  { name: 'Markdown table', without: '"\'`|', write: (v) => `| admin password | ${v} |` },
  { name: 'a note', without: '"\'`.,;:!?()<>=', write: (v) => `${v} = the password` },
  { name: 'a note in text', without: '"\'`.,;:!?()<>=', write: (v) => `use ${v} as the password for staging` },
  { name: 'credentials', without: '"\'`.,;:!?()<>/', write: (v) => `credentials: bob / ${v}` },
  { name: 'login', without: '"\'`.,;:!?()<>/', write: (v) => `login: bob:${v}` },
  { name: 'German', without: '"\'`.,;:!?()', write: (v) => `Das Passwort lautet ${v}` },
  { name: 'German, Kennwort', without: '"\'`.,;:!?()', write: (v) => `Kennwort: ${v}` },
  { name: 'French', without: '"\'`.,;:!?()', write: (v) => `mot de passe : ${v}` },
  { name: 'Spanish', without: '"\'`.,;:!?()', write: (v) => `contraseña: ${v}` },
  { name: 'Spanish, clave', without: '"\'`\\', write: (v) => `DB_CLAVE=${v}` },
  { name: 'Portuguese', without: '"\'`\\', write: (v) => `senha=${v}` },
  { name: 'Italian', without: '"\'`.,;:!?()', write: (v) => `la password è ${v}` },
]

export interface NamedPassword {
  readonly kind: string
  readonly context: string
  readonly secret: string
  readonly text: string
}

function isWritable({ without = '' }: NamedContext, value: string): boolean {
  return !Array.from(value).some((char) => without.includes(char))
}

function plant(context: NamedContext, kind: ValueKind, random: Random): NamedPassword {
  const secret = drawUntil(
    () => kind.make(random),
    (value) => isWritable(context, value),
  )
  return { kind: kind.name, context: context.name, secret, text: context.write(secret, random) }
}

/** So many values of the kinds in turn, each behind a name in one of the contexts. */
export function namedPasswords(seed: number, count: number, kinds: readonly ValueKind[]): NamedPassword[] {
  const random = seeded(seed)
  return Array.from({ length: count }, (_, index) => {
    const context = namedContexts[random(namedContexts.length)]
    const kind = kinds[index % kinds.length]
    if (context === undefined || kind === undefined) throw new Error('no context or no kind to choose from')
    return plant(context, kind, random)
  })
}

/** Every context with so many values of a kind. */
export function passwordsInEveryContext(seed: number, perContext: number, kind: ValueKind): NamedPassword[] {
  const random = seeded(seed)
  return namedContexts.flatMap((context) => Array.from({ length: perContext }, () => plant(context, kind, random)))
}

/** Each part of a secret that a text may show it in, as far as the text escapes it. */
export function isLeft({ secret }: NamedPassword, output: string): boolean {
  const size = Math.max(6, Math.floor(secret.length / 2))
  const spellings = [secret, escaped(secret), xmlEscaped(secret)]
  return spellings.some((spelling) => {
    for (let start = 0; start + size <= spelling.length; start += 1)
      if (output.includes(spelling.slice(start, start + size))) return true
    return false
  })
}
