import type { Node } from 'web-tree-sitter'
import type { LiteralFacts } from '../../kernel/code-facts.ts'
import { excerpt, lineOf, namedChildren, textOf } from './tree.ts'

const HOST =
  /^(?:(?:https?|wss?|ftp|redis|mongodb(?:\+srv)?|postgres(?:ql)?|mysql|amqps?|grpc|jdbc:\w+|tcp|nats|kafka):\/\/(?:[^\s/@'"]*@)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|192\.168\.\d+\.\d+|10\.\d+\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|host\.docker\.internal)(?=[:/?#]|$)|(?:localhost|127\.0\.0\.1|192\.168\.\d+\.\d+|10\.\d+\.\d+\.\d+):\d{2,5}(?:\/\S*)?$)/i
const EXAMPLE_HOST =
  /^https?:\/\/(?:[\w-]+\.)*(?:example\.(?:com|org|net)|your-?(?:domain|server|host|api|company)[\w.-]*|placeholder\.\w+|changeme\.\w+)(?=[:/?#]|$)/i
const PLACEHOLDER =
  /replace[-_ ]?me\b|change[-_ ]?me\b|replace[-_ ]with|^<?your[-_ ](?:own[-_ ])?[\w-]*(?:key|token|secret|password|id|url|email|domain|account|bucket|host|name)(?:[-_ ]here)?>?$|\byour[-_](?:api|secret|access|auth|client)[-_](?:key|token|secret|id)|insert[-_ ].{0,20}here|\w[-_]here$|(?:^|[-_])x{4,}$|^(?:tbd|todo|fixme|placeholder|dummy)$|^(?:todo|fixme|tbd):|^placeholder\b|\/x{3,}(?:\/|$)|\/T0{6,}\/|lorem ipsum|\bcoming soon\b|\bunder construction\b/i
/** `todo get` may be a message of an application for todos. */
const MARKED = /^(?:TODO|FIXME|TBD)\b\s/
const SECRET_NAME = /key|token|secret|passw|credential|auth|dsn|licen[cs]e/i
const WEAK_SECRET =
  /^(?:test|dummy|fake|sample|example|demo|foo|my|default|temp|dev)[-_]?(?:api)?[-_]?(?:key|token|secret|password|pass|pwd)[-_\d\w]*$|^(?:secret|password|passw0rd|hunter2|changeit|letmein|admin|abc123|123456\d*|test123|password123|secret123|supersecret|super-secret[\w-]*|my-secret[\w-]*)$/i
/** A name of a secret. */
const OWN_SECRET =
  /(?:^|[._-]|(?<=[a-z]))(?:secret|secret_?key|signing_?key|private_?key|api_?key|password|passwd|encryption_?key|jwt_?secret|auth_?token|access_?token)$/i
/** A message, a name of a field or header, or a pattern, and not the secret itself. */
const NOT_SECRET =
  /[!?.,:<>{}()[\]*^\\]|^\$|\b(?:required|invalid|must|enter|your|wrong|forgot|reset|confirm|is|the)\b|key$|token$|password$|secret$|^[A-Z][a-z]+(?: [a-z]+)*$|^[A-Z][A-Z_]+$/

const ADDRESS_NAME =
  /url|uri|host|endpoint|base|origin|server|addr|api|dsn|database|broker|redis|mongo|connection|service|webhook|target|upstream|proxy/i
/** Names for values that are meant for development, or to be replaced. */
const MEANT =
  /default|example|sample|test|dev(?!ice)|local|loopback|fallback|fixture|mock|demo|placeholder|hint|help|usage|doc/i

const HOLDERS =
  /^(?:variable_declarator|pair|public_field_definition|field_definition|assignment|assignment_expression|const_item|static_item|let_declaration|const_spec|var_spec|keyed_element|field_initializer|short_var_declaration|keyword_argument|assignment_statement|property_signature|element_value_pair)$/
const CALLS = /^(?:call_expression|call|method_invocation|new_expression|object_creation_expression|macro_invocation)$/
/** Whether a literal is compared, listed, matched or shown rather than used. */
const NOT_USED =
  /^(?:binary_expression|comparison_operator|array|list|set|tuple|switch_case|match_arm|match_pattern|expression_case|case_clause|import_statement|import_from_statement|import_spec|import_declaration|jsx_attribute|type_annotation|literal_type|attribute_item|decorator|annotation|marker_annotation|enum_assignment|union_pattern|required_parameter|default_parameter|typed_default_parameter|assignment_pattern|optional_parameter|slice_type|in_clause)$/
const ENVIRONMENT =
  /process\.env|import\.meta\.env|os\.environ|os\.getenv|getenv|System\.getProperty|env::var|env!\(|option_env|config\.get|getConfig|\benv\(|\benv\.|settings\.|viper\.|flag\.\w+\(|add_argument|\.option\(|\.default\(|unwrap_or|getOrDefault|orElse|\bdefault_value|Field\(/i
/** Python's way to run a module by hand, as a demonstration. */
const MAIN_GUARD = /^if\s+__name__\s*==/
const SHOWN =
  /^(?:console\.|print|log|logger|fmt\.(?:Print|Fprint|Sprint|Errorf)|System\.(?:out|err)|println!|eprintln!|format!|info!|warn!|debug!|error!|assert|expect|describe|it$|test$|throw|raise|errors\.New|panic|new URL|URL$|urlparse|parse_url|urljoin|.*(?:Error|Exception)$|.*\.(?:startsWith|endsWith|includes|indexOf|replace|match|test|equals|contains|has|starts_with|HasPrefix|Contains|info|warn|debug|error)$)/

function valueOf(node: Node): string {
  return textOf(node, 400)
    .replace(/^[a-zA-Z]{0,2}#*("""|'''|["'`])/, '')
    .replace(/("""|'''|["'`])#*$/, '')
    .trim()
}

interface NamedLiteral {
  readonly name: string
  readonly isUsed: boolean
  readonly hasFallback: boolean
}

function nameIn(holder: Node): string {
  const name =
    holder.childForFieldName('name') ??
    holder.childForFieldName('key') ??
    holder.childForFieldName('left') ??
    holder.childForFieldName('pattern') ??
    holder.childForFieldName('property') ??
    holder.childForFieldName('field') ??
    namedChildren(holder)[0]
  return name === undefined ? '' : textOf(name, 80)
}

/** A host without scheme and port, in a field for the host of another service. */
const BARE_HOST = /^(?:localhost|127\.0\.0\.1|192\.168\.\d+\.\d+)$/i
const HOST_NAME =
  /^(?:\w*(?:db|database|redis|smtp|mail|pg|mysql|mongo|api|broker|amqp|kafka|sql|cache|queue)_?)?host(?:_?name)?$/i
const LISTENS = /listen|serve|bind|(?:^|\.)run$|start|Server|createApp|uvicorn|Addr/i

/** Calls whose argument is the host that they connect to. */
const CONNECTS =
  /(?:^|[.:]|new )(?:connect|sendto|create_connection|createConnection|open_connection|Dial\w*|Socket|Redis|StrictRedis|SMTP(?:_SSL)?|MongoClient|HTTPS?Connection)$/

/** `sendto(data, ("localhost", 8125))` */
const isAddressPair = (node: Node): boolean =>
  node.type === 'tuple' &&
  node.parent?.type === 'argument_list' &&
  CONNECTS.test(textOf(node.parent.parent?.childForFieldName('function') ?? node, 100))

function isBareHost(literal: Node, text: string): boolean {
  if (!BARE_HOST.test(text)) return false
  for (let node = literal.parent; node !== null; node = node.parent)
    if (CALLS.test(node.type) && LISTENS.test(textOf(node.childForFieldName('function') ?? node, 80))) return false
  return true
}

function isInMainGuard(literal: Node): boolean {
  for (let node = literal.parent; node !== null; node = node.parent)
    if (node.type === 'if_statement' && MAIN_GUARD.test(textOf(node, 60))) return true
  return false
}

/** What the literal is the value of. */
function findSetting(literal: Node): NamedLiteral {
  let callee = ''
  let hasFallback = false
  for (let node = literal.parent, from: Node = literal; node !== null; from = node, node = node.parent) {
    if (
      /^(?:binary_expression|boolean_operator|logical_expression)$/.test(node.type) &&
      /\|\||\?\?|\bor\b/.test(textOf(node, 300))
    ) {
      hasFallback = true
      continue
    }
    if (/^(?:ternary_expression|conditional_expression)$/.test(node.type)) {
      hasFallback = true
      continue
    }
    if (NOT_USED.test(node.type) && !isAddressPair(node)) return { name: '', isUsed: false, hasFallback }
    if (CALLS.test(node.type)) {
      const name =
        node.childForFieldName('function') ??
        node.childForFieldName('constructor') ??
        node.childForFieldName('name') ??
        node.childForFieldName('type') ??
        node.childForFieldName('macro')
      callee = name === null ? '' : `${node.type === 'new_expression' ? 'new ' : ''}${textOf(name, 100)}`
      if (SHOWN.test(callee)) return { name: callee, isUsed: false, hasFallback }
      if (ENVIRONMENT.test(textOf(node, 300))) hasFallback = true
    }
    if (HOLDERS.test(node.type)) {
      const value = textOf(node, 400)
      return {
        name: nameIn(node),
        isUsed: from.type !== 'identifier',
        hasFallback: hasFallback || ENVIRONMENT.test(value),
      }
    }
    if (
      /statement|declaration|^block$|function|body$/.test(node.type) &&
      !/declarator|expression_list/.test(node.type)
    ) {
      if (callee !== '') return { name: callee, isUsed: true, hasFallback }
      return { name: '', isUsed: /return/.test(node.type), hasFallback }
    }
  }
  return { name: callee, isUsed: callee !== '', hasFallback }
}

const SAMPLE_VALUE =
  /^(?:(?:product|item|user|customer|order|task|post|article|book|event|project|company|category)[ _-]?(?:\d{1,2}|one|two|[AB])|sample \w+|john doe|jane doe|john smith|lorem ipsum\b.*)$/i

/** `[{ id: 1, name: 'Product 1' }]`: made-up data. */
function isSampleRow(literal: Node, text: string): boolean {
  const pair = literal.parent
  const row = pair?.parent
  return (
    SAMPLE_VALUE.test(text) &&
    pair?.type === 'pair' &&
    /^(?:object|dictionary)$/.test(row?.type ?? '') &&
    /^(?:array|list)$/.test(row?.parent?.type ?? '') &&
    !MEANT.test(nameIn(pair))
  )
}

/** Addresses of this machine and values to be replaced, where the program uses them. */
export function readLiterals(strings: readonly Node[]): readonly LiteralFacts[] {
  return strings.flatMap((node): readonly LiteralFacts[] => {
    const text = valueOf(node)
    if (isSampleRow(node, text))
      return [{ line: lineOf(node), kind: 'placeholder-value', name: 'sample data', text: text.slice(0, 80) }]
    // An address with a port or host from a variable is made at run time.
    if (text === '' || text.length > 300 || /\$\{|^[^/]*:\/\/[^/]*[{%]/.test(text)) return []
    const isBare = isBareHost(node, text)
    const isLocal = isBare || HOST.test(text)
    const isExample = EXAMPLE_HOST.test(text)
    const isPlaceholder = PLACEHOLDER.test(text) || MARKED.test(text)
    const isWeak = WEAK_SECRET.test(text)
    const mayBeSecret = text.length >= 6 && !NOT_SECRET.test(text) && node.type !== 'jsx_text' && !text.includes('/')
    if (!isLocal && !isExample && !isPlaceholder && !isWeak && !mayBeSecret) return []
    if (node.type === 'jsx_text')
      return isPlaceholder ? [{ line: lineOf(node), kind: 'placeholder-value', name: 'text', text: excerpt(node) }] : []
    const { name, isUsed, hasFallback } = findSetting(node)
    if (!isUsed || MEANT.test(name) || isInMainGuard(node)) return []
    if (isBare && !HOST_NAME.test(name) && !CONNECTS.test(name)) return []
    const found = { line: lineOf(node), name, text: text.slice(0, 80) }
    // Without a port or path it is a base for parsing, which nothing connects to.
    if (/^https?:\/\/(?:localhost|127\.0\.0\.1)\/?$/i.test(text)) return []
    if (isLocal) return hasFallback ? [] : [{ ...found, kind: 'local-host' }]
    if (isExample) return hasFallback || !ADDRESS_NAME.test(name) ? [] : [{ ...found, kind: 'placeholder-value' }]
    if (isPlaceholder)
      return /placeholder|title|label|message|text|description/i.test(name)
        ? []
        : [{ ...found, kind: 'placeholder-value' }]
    if (!isWeak) return OWN_SECRET.test(name) ? [{ ...found, kind: 'placeholder-value' }] : []
    return SECRET_NAME.test(name) ? [{ ...found, kind: 'placeholder-value' }] : []
  })
}
