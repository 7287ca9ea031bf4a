// Node types per grammar, and how each language spells what is unfinished. Data only.

export interface LanguageShape {
  readonly id: string
  readonly functions: ReadonlySet<string>
  /** Types that own functions. */
  readonly containers: ReadonlySet<string>
  readonly comments: ReadonlySet<string>
  readonly strings: ReadonlySet<string>
  /** Literals. */
  readonly constants: ReadonlySet<string>
  /** Literals that are constant when all that is in them is. */
  readonly collections: ReadonlySet<string>
  /** Expressions that are as constant as what they contain. */
  readonly wrappers: ReadonlySet<string>
  /** Calls that are as constant as their arguments. */
  readonly constantCalls: RegExp
  readonly returns: ReadonlySet<string>
  readonly declarations: ReadonlySet<string>
  /** Statements that end a function with an error. */
  readonly failures: ReadonlySet<string>
  /** The text of such a statement: certainly unfinished, or perhaps refused by design. */
  readonly notImplemented: RegExp
  readonly unsupported: RegExp
  /** Statements without an effect on the result. */
  readonly noise: RegExp
  readonly logging: RegExp
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** What an error message says when a part is missing. */
const MISSING = String.raw`(?:not[\s_-]*(?:yet[\s_-]*)?(?:been[\s_-]*)?(?:fully[\s_-]*)?implemented|unimplemented|to\s?do\b|tbd\b|fixme\b|not supported yet|implement\s?me|implement this|stub(?:bed)?\b|coming soon|not (?:done|finished|ready|written)(?: yet)?\b|missing implementation|no implementation|needs implementation|unfinished)`

/** A handler that answers with the HTTP status for what is not implemented. */
const REFUSING_ANSWER = String.raw`(?:return\s+|await\s+)*(?:res|response|reply|ctx|c)\b[\w.()]{0,60}(?:\.(?:status|sendStatus|code|writeHead)\(\s*501\b|[\w.()]{0,60}\(\s*[{\w\s:]{0,40}['"\`][^'"\`]{0,40}\bnot (?:yet )?implemented)|ctx\.status\s*=\s*501|return\s+(?:new\s+)?(?:Next)?Response\b[^\n]{0,200}\b501\b`

const LOG_WORDS = String.raw`(?:console\.\w+|(?:window\.)?alert|(?:click|typer)\.s?echo|(?:self|sys)\.std(?:out|err)\.write|print(?:f|ln)?|puts|log(?:ger|ging)?(?:\.\w+)+|slog\.\w+|fmt\.Print\w*|fmt\.Fprint\w*|System\.(?:out|err)\.print\w*|e?print(?:ln)?!|dbg!|(?:tracing::|log::)?(?:info|warn|debug|trace|error)!|this\.logger\.\w+|self\.log(?:ger)?\.\w+)`
const SLEEP_WORDS = String.raw`(?:await\s+)?(?:new Promise\([^;]{0,60}?setTimeout|sleep\(|delay\(|setTimeout\(|asyncio\.sleep|time\.[sS]leep|Thread\.sleep|TimeUnit\.\w+\.sleep|(?:std::)?thread::sleep|tokio::time::sleep)`

const ECMA: LanguageShape = {
  id: 'ecma',
  functions: set(
    'function_declaration generator_function_declaration method_definition arrow_function function_expression generator_function',
  ),
  containers: set('class_declaration abstract_class_declaration class'),
  comments: set('comment html_comment'),
  strings: set('string template_string jsx_text'),
  constants: set('true false null undefined number string regex'),
  collections: set('array object pair unary_expression'),
  wrappers: set(
    'parenthesized_expression as_expression satisfies_expression await_expression non_null_expression type_assertion',
  ),
  constantCalls:
    /^(?:Promise\.(?:resolve|reject)|Object\.freeze|new (?:Map|Set|Date|Array|Uint8Array)|Array\.of|Boolean|String|Number|NextResponse\.json|Response\.json|(?:res|response|reply|c)\.(?:json|send|sendStatus|end|text))$/,
  returns: set('return_statement'),
  declarations: set('lexical_declaration variable_declaration'),
  failures: set('throw_statement expression_statement call_expression'),
  notImplemented: new RegExp(
    String.raw`^${REFUSING_ANSWER}|^(?:throw|return Promise\.reject\()\s*(?:new\s+)?(?:[\w.]*(?:NotImplemented|Unimplemented)\w*|[\w.]+\s*\(\s*['"\`][^'"\`]{0,60}?\b${MISSING})`,
    'i',
  ),
  unsupported: /^throw\s+(?:new\s+)?[\w.]+\(\s*['"`](?:method |operation )?not supported/i,
  noise: new RegExp(
    String.raw`^(?:void\s+[\w.]+;?$|\w+\.(?:preventDefault|stopPropagation)\(\)|${SLEEP_WORDS}|['"]use strict['"]|debugger)`,
  ),
  logging: new RegExp(String.raw`^(?:await\s+)?${LOG_WORDS}\s*\(`),
}

const PYTHON: LanguageShape = {
  id: 'python',
  functions: set('function_definition'),
  containers: set('class_definition'),
  comments: set('comment'),
  strings: set('string'),
  constants: set('true false none integer float string ellipsis concatenated_string'),
  collections: set('list tuple dictionary pair set unary_operator expression_list'),
  wrappers: set('parenthesized_expression await'),
  constantCalls:
    /^(?:dict|list|set|tuple|frozenset|str|int|float|bool|JsonResponse|jsonify|HttpResponse|Response|Decimal|OrderedDict|defaultdict)$/,
  returns: set('return_statement'),
  declarations: set('assignment'),
  failures: set('raise_statement return_statement expression_statement'),
  notImplemented: new RegExp(
    String.raw`^(?:(?:flask\.)?abort\(\s*501\b|raise\s+HTTPException\([^\n]{0,80}\b501\b|assert\s+(?:False|0)\s*,\s*f?['\"][^'\"]{0,60}?\b${MISSING}|return\s[^\n]{0,200}(?:,\s*501\)?$|status(?:_code)?\s*=\s*501\b|HTTP_501))|^raise\s+(?:NotImplementedError\b|NotImplemented\b|[\w.]+\(\s*f?['"][^'"]{0,60}?\b${MISSING})`,
    'i',
  ),
  unsupported: /^raise\s+[\w.]*(?:Unsupported|NotSupported)\w*/,
  noise: new RegExp(
    String.raw`^(?:pass$|\.\.\.$|del\s+\w+(?:\s*,\s*\w+)*$|_\s*=\s*\w+$|global\s|nonlocal\s|${SLEEP_WORDS})`,
  ),
  logging: new RegExp(String.raw`^${LOG_WORDS}\s*\(`),
}

const GO: LanguageShape = {
  id: 'go',
  functions: set('function_declaration method_declaration func_literal'),
  containers: set('interface_type'),
  comments: set('comment'),
  strings: set('interpreted_string_literal raw_string_literal'),
  constants: set(
    'true false nil int_literal float_literal interpreted_string_literal raw_string_literal rune_literal iota',
  ),
  collections: set('expression_list composite_literal literal_value keyed_element literal_element unary_expression'),
  wrappers: set('parenthesized_expression'),
  constantCalls: /^(?:make|new|string|int|int64|float64|bool|time\.Duration|json\.RawMessage|\[\]byte)$/,
  returns: set('return_statement'),
  declarations: set('short_var_declaration var_declaration const_declaration'),
  failures: set('expression_statement return_statement'),
  notImplemented: new RegExp(
    String.raw`^(?:panic|log\.(?:Fatal|Panic)\w*|return\b[^\n]{0,80}?(?:errors\.New|fmt\.Errorf|status\.Errorf?|xerrors\.\w+))\(?[^"\n]{0,40}["\`][^"\`]{0,60}?\b${MISSING}|^return\b[^\n]*\b(?:err)?(?:Not|Un)Implemented\b|^panic\("?(?:TODO|implement me)|codes\.Unimplemented|^(?:return\s+)?\w+(?:\.\w+)?\([^\n]{0,200}\bStatusNotImplemented\b`,
    'i',
  ),
  unsupported: /^(?:panic|return\b.*errors\.New)\("(?:operation )?not supported/i,
  noise: new RegExp(
    String.raw`^(?:_\s*(?:,\s*_\s*)*=\s*[\w.,\s]+$|${SLEEP_WORDS}|defer\s+\w+\.Unlock\(\)|w\.Header\(\)\.(?:Set|Add)\(|w\.WriteHeader\([^)]*\)$)`,
  ),
  logging: new RegExp(String.raw`^(?:${LOG_WORDS}|log\.\w+)\s*\(`),
}

const JAVA: LanguageShape = {
  id: 'java',
  functions: set('method_declaration constructor_declaration'),
  containers: set('class_declaration interface_declaration enum_declaration record_declaration'),
  comments: set('line_comment block_comment'),
  strings: set('string_literal'),
  constants: set(
    'true false null_literal decimal_integer_literal hex_integer_literal decimal_floating_point_literal string_literal character_literal class_literal',
  ),
  collections: set('unary_expression array_creation_expression array_initializer dimensions_expr'),
  wrappers: set('parenthesized_expression cast_expression'),
  constantCalls:
    /^(?:(?:java\.util\.)?Collections\.empty\w+|(?:List|Set|Map|Stream)\.(?:of|empty|entry)|Arrays\.asList|Optional\.(?:empty|of)|CompletableFuture\.completedFuture|Mono\.(?:just|empty)|Flux\.(?:just|empty)|ResponseEntity\.ok|new \w*(?:List|Map|Set|BigDecimal|Date|Object|StringBuilder)|BigDecimal\.valueOf|(?:Integer|Long|Boolean|Double)\.valueOf|ImmutableList\.of|ImmutableMap\.of)$/,
  returns: set('return_statement'),
  declarations: set('local_variable_declaration'),
  failures: set('throw_statement return_statement'),
  notImplemented: new RegExp(
    String.raw`^(?:throw|return)\s[^\n]{0,120}(?:\bHttpStatus\.NOT_IMPLEMENTED\b|\bstatus\(\s*501\b)|^throw\s+new\s+(?:[\w.]*NotImplemented\w*|[\w.]+\s*\(\s*"[^"]{0,60}?\b${MISSING})`,
    'i',
  ),
  unsupported: /^throw\s+new\s+[\w.]*Unsupported\w*/,
  noise: new RegExp(String.raw`^(?:${SLEEP_WORDS}|super\([^)]*\);?$|;$)`),
  logging: new RegExp(String.raw`^(?:${LOG_WORDS}|(?:LOG|LOGGER|log|logger)\.\w+)\s*\(`),
}

const RUST: LanguageShape = {
  id: 'rust',
  functions: set('function_item'),
  containers: set('impl_item trait_item mod_item'),
  comments: set('line_comment block_comment'),
  strings: set('string_literal raw_string_literal'),
  constants: set(
    'boolean_literal integer_literal float_literal string_literal raw_string_literal char_literal unit_expression',
  ),
  collections: set(
    'array_expression tuple_expression unary_expression reference_expression struct_expression field_initializer_list field_initializer',
  ),
  wrappers: set('parenthesized_expression await_expression type_cast_expression expression_statement'),
  constantCalls:
    /^(?:Ok|Err|Some|Box::new|Arc::new|Rc::new|String::(?:new|from)|Vec::(?:new|with_capacity)|(?:Hash|BTree)(?:Map|Set)::new|Default::default|\w+::default|(?:[\w:]+::)?(?:Json|Html)|HttpResponse::(?:Ok|Created|NoContent)|Cow::Borrowed|Poll::Ready|Duration::from_\w+)$/,
  returns: set('return_expression'),
  declarations: set('let_declaration const_item static_item'),
  failures: set(
    'macro_invocation expression_statement call_expression return_expression scoped_identifier tuple_expression',
  ),
  notImplemented: new RegExp(
    String.raw`^(?:return\s+)?(?:(?:std::|core::)?(?:todo|unimplemented)!|(?:panic|unreachable)!\(\s*"[^"]{0,60}?\b${MISSING}|(?:Err|bail!|anyhow!|return Err)\s*\([^"\n]{0,40}"[^"]{0,60}?\b${MISSING}|Err\([\w:]*(?:NotImplemented|Unimplemented)|\(?(?:[\w:]+::)?StatusCode::NOT_IMPLEMENTED\b|HttpResponse::NotImplemented\b)`,
    'i',
  ),
  unsupported: /^(?:return\s+)?Err\([\w:]*Unsupported/,
  noise: new RegExp(String.raw`^(?:let\s+_\s*=\s*[&\w.(),\s]+;$|${SLEEP_WORDS}|_\s*=)`),
  logging: new RegExp(String.raw`^${LOG_WORDS}\s*\(`),
}

const SHAPES: Readonly<Record<string, LanguageShape>> = {
  typescript: ECMA,
  tsx: ECMA,
  javascript: ECMA,
  python: PYTHON,
  go: GO,
  java: JAVA,
  rust: RUST,
}

/** Undefined for a language whose grammar the index has, but whose unfinished code is not described here. */
export function findShape(languageId: string): LanguageShape | undefined {
  return Object.hasOwn(SHAPES, languageId) ? SHAPES[languageId] : undefined
}
