// One query per language. A capture's name is the symbol's kind, its node the symbol's name; where two patterns match the
// same node, the earlier one in the query wins.

const FUNCTION_VALUE = '[(arrow_function) (function_expression) (generator_function)]'

/** Top-level variables: functions when their value is one, constants otherwise. */
const ecmaVariables = ['lexical_declaration', 'variable_declaration']
  .flatMap((declaration) => [
    `(program (${declaration} (variable_declarator name: (identifier) @function value: ${FUNCTION_VALUE})))`,
    `(program (export_statement (${declaration} (variable_declarator name: (identifier) @function value: ${FUNCTION_VALUE}))))`,
    `(program (${declaration} (variable_declarator name: (identifier) @constant)))`,
    `(program (export_statement (${declaration} (variable_declarator name: (identifier) @constant))))`,
  ])
  .join('\n')

const ecmaShared = `
(function_declaration name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(class_body (method_definition name: [(property_identifier) (private_property_identifier)] @method))
${ecmaVariables}
(program (expression_statement (assignment_expression left: (member_expression property: (property_identifier) @function) right: ${FUNCTION_VALUE})))
(program (expression_statement (assignment_expression right: (object (method_definition name: (property_identifier) @function)))))
`

const typescript = `
${ecmaShared}
(function_signature name: (identifier) @function)
(class_declaration name: (type_identifier) @class)
(abstract_class_declaration name: (type_identifier) @class)
(class_body (abstract_method_signature name: (property_identifier) @method))
(class_body (public_field_definition name: (property_identifier) @method value: ${FUNCTION_VALUE}))
(interface_declaration name: (type_identifier) @interface)
(type_alias_declaration name: (type_identifier) @type)
(enum_declaration name: (identifier) @type)
(internal_module name: (identifier) @module)
`

const javascript = `
${ecmaShared}
(class_declaration name: (identifier) @class)
(class_body (field_definition property: (property_identifier) @method value: ${FUNCTION_VALUE}))
`

const python = `
(class_definition body: (block (function_definition name: (identifier) @method)))
(class_definition body: (block (decorated_definition definition: (function_definition name: (identifier) @method))))
(function_definition name: (identifier) @function)
(class_definition name: (identifier) @class)
(module (expression_statement (assignment left: (identifier) @constant)))
(type_alias_statement left: (type (identifier) @type))
`

const go = `
(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @method)
(type_spec name: (type_identifier) @interface type: (interface_type))
(type_spec name: (type_identifier) @class type: (struct_type))
(type_spec name: (type_identifier) @type)
(type_alias name: (type_identifier) @type)
(source_file (const_declaration (const_spec name: (identifier) @constant)))
(source_file (var_declaration (var_spec name: (identifier) @constant)))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @constant))))
`

const rust = `
(impl_item body: (declaration_list (function_item name: (identifier) @method)))
(trait_item body: (declaration_list [(function_item name: (identifier) @method) (function_signature_item name: (identifier) @method)]))
(function_item name: (identifier) @function)
(struct_item name: (type_identifier) @class)
(union_item name: (type_identifier) @class)
(enum_item name: (type_identifier) @type)
(trait_item name: (type_identifier) @interface)
(source_file (type_item name: (type_identifier) @type))
(const_item name: (identifier) @constant)
(static_item name: (identifier) @constant)
(mod_item name: (identifier) @module)
(macro_definition name: (identifier) @function)
`

const java = `
(class_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(annotation_type_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @type)
(method_declaration name: (identifier) @method)
((field_declaration declarator: (variable_declarator name: (identifier) @constant)) (#match? @constant "^[A-Z][A-Z0-9_]+$"))
`

const c = `
(function_declarator declarator: (identifier) @function)
(struct_specifier name: (type_identifier) @class body: (_))
(union_specifier name: (type_identifier) @class body: (_))
(enum_specifier name: (type_identifier) @type body: (_))
(type_definition declarator: (type_identifier) @type)
(preproc_def name: (identifier) @constant)
(preproc_function_def name: (identifier) @function)
`

const cpp = `
${c}
(function_declarator declarator: (field_identifier) @method)
(function_declarator declarator: (qualified_identifier name: (identifier) @method))
(class_specifier name: (type_identifier) @class body: (_))
(alias_declaration name: (type_identifier) @type)
(concept_definition name: (identifier) @interface)
(namespace_definition name: (namespace_identifier) @module)
`

const cSharp = `
(class_declaration name: (identifier) @class)
(struct_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @type)
(delegate_declaration name: (identifier) @type)
(method_declaration name: (identifier) @method)
(local_function_statement name: (identifier) @function)
(property_declaration name: (identifier) @constant)
((field_declaration (modifier) @modifier (variable_declaration (variable_declarator name: (identifier) @constant))) (#eq? @modifier "const"))
`

const ruby = `
(class name: [(constant) (scope_resolution name: (constant))] @class)
(module name: [(constant) (scope_resolution name: (constant))] @module)
(class body: (body_statement (method name: (_) @method)))
(module body: (body_statement (method name: (_) @method)))
(singleton_method name: (_) @method)
(method name: (_) @function)
(assignment left: (constant) @constant)
`

const php = `
(class_declaration name: (name) @class)
(trait_declaration name: (name) @class)
(interface_declaration name: (name) @interface)
(enum_declaration name: (name) @type)
(function_definition name: (name) @function)
(method_declaration name: (name) @method)
(const_declaration (const_element (name) @constant))
`

const QUERIES = { typescript, javascript, python, go, rust, java, c, cpp, cSharp, ruby, php } as const

/** A language: the file of its grammar and the query that finds its definitions. */
export interface Language {
  readonly id: string
  readonly grammar: string
  readonly query: string
}

const language = (id: string, grammar: string, query: string): Language => ({
  id,
  grammar: `tree-sitter-${grammar}.wasm`,
  query,
})

const TYPESCRIPT = language('typescript', 'typescript', QUERIES.typescript)
const TSX = language('tsx', 'tsx', QUERIES.typescript)
const JAVASCRIPT = language('javascript', 'javascript', QUERIES.javascript)
const PYTHON = language('python', 'python', QUERIES.python)
const GO = language('go', 'go', QUERIES.go)
const RUST = language('rust', 'rust', QUERIES.rust)
const JAVA = language('java', 'java', QUERIES.java)
const C = language('c', 'c', QUERIES.c)
const CPP = language('cpp', 'cpp', QUERIES.cpp)
const C_SHARP = language('c-sharp', 'c_sharp', QUERIES.cSharp)
const RUBY = language('ruby', 'ruby', QUERIES.ruby)
const PHP = language('php', 'php', QUERIES.php)

// A `.h` file may be C or C++; the C++ grammar parses both.
const BY_EXTENSION: Readonly<Record<string, Language>> = {
  ts: TYPESCRIPT,
  mts: TYPESCRIPT,
  cts: TYPESCRIPT,
  tsx: TSX,
  js: JAVASCRIPT,
  mjs: JAVASCRIPT,
  cjs: JAVASCRIPT,
  jsx: JAVASCRIPT,
  py: PYTHON,
  pyi: PYTHON,
  go: GO,
  rs: RUST,
  java: JAVA,
  c: C,
  h: CPP,
  cc: CPP,
  cpp: CPP,
  cxx: CPP,
  hh: CPP,
  hpp: CPP,
  hxx: CPP,
  cs: C_SHARP,
  rb: RUBY,
  rake: RUBY,
  php: PHP,
}

/** Pathspecs of every file that a grammar parses. */
export const SOURCE_PATHSPECS: readonly string[] = Object.keys(BY_EXTENSION).map((extension) => `*.${extension}`)

/** Undefined for a file without a grammar. */
export function detectLanguage(path: string): Language | undefined {
  const dot = path.lastIndexOf('.')
  if (dot <= path.lastIndexOf('/')) return undefined
  const extension = path.slice(dot + 1).toLowerCase()
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
}
