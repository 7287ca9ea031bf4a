import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createExtractor, type Extractor } from './extract.ts'
import { detectLanguage } from './languages.ts'
import { grammarFile } from '../../../test/support/grammar-file.ts'

let extractor: Extractor
beforeAll(async () => {
  extractor = await createExtractor({ builtFile: grammarFile, monotonicMs: () => performance.now() })
})

async function definitionsOf(path: string, source: string): Promise<readonly string[]> {
  const language = detectLanguage(path)
  if (language === undefined) throw new Error(`No language for ${path}.`)
  const { definitions } = await extractor.extract(source, language)
  return definitions.map(({ kind, name, line }) => `${kind} ${name} ${line}`)
}

describe('definitions, each with its kind and line', () => {
  test('TypeScript', async () => {
    const source = `export class Store<T> {
  #secret() {}
  async open(path: string): Promise<void> {}
  close = () => {}
}
export abstract class Base { abstract run(): void }
export interface Port { read(): string }
type Id = string
enum Mode { on, off }
export const LIMIT = 3
export const load = async () => { const inner = 1; return inner }
function plain() { function nested() {} }
declare function later(): void
namespace Space {}
`
    expect(await definitionsOf('a.ts', source)).toEqual([
      'class Store 1',
      'method #secret 2',
      'method open 3',
      'method close 4',
      'class Base 6',
      'method run 6',
      'interface Port 7',
      'type Id 8',
      'type Mode 9',
      'constant LIMIT 10',
      'function load 11',
      'function plain 12',
      'function nested 12',
      'function later 13',
      'module Space 14',
    ])
  })

  test('TSX and JavaScript', async () => {
    expect(await definitionsOf('a.tsx', 'export const App = () => <div>{title}</div>\n')).toEqual(['function App 1'])
    const source = `class Car { start() {} brake = () => {} }
function* steps() {}
var legacy = function () {}
const table = {}
`
    expect(await definitionsOf('a.mjs', source)).toEqual([
      'class Car 1',
      'method start 1',
      'method brake 1',
      'function steps 2',
      'function legacy 3',
      'constant table 4',
    ])
  })

  test('Python', async () => {
    const source = `LIMIT = 3
class Client(Base):
    def get(self): ...
    @property
    def name(self): ...
async def fetch(): ...
`
    expect(await definitionsOf('a.py', source)).toEqual([
      'constant LIMIT 1',
      'class Client 2',
      'method get 3',
      'method name 5',
      'function fetch 6',
    ])
  })

  test('Go', async () => {
    const source = `package p
const Limit = 3
var (
	first = 1
)
type Rule struct{}
type Reader interface{ Read() }
type Name string
func New() *Rule { return nil }
func (r *Rule) Match() bool { return true }
`
    expect(await definitionsOf('a.go', source)).toEqual([
      'constant Limit 2',
      'constant first 4',
      'class Rule 6',
      'interface Reader 7',
      'type Name 8',
      'function New 9',
      'method Match 10',
    ])
  })

  test('Rust', async () => {
    const source = `mod net;
const LIMIT: u8 = 3;
struct Rule;
enum Mode { On }
trait Read { fn read(&self); }
impl Rule { fn new() -> Self { Rule } }
fn main() {}
macro_rules! say { () => {} }
type Id = String;
`
    expect(await definitionsOf('a.rs', source)).toEqual([
      'module net 1',
      'constant LIMIT 2',
      'class Rule 3',
      'type Mode 4',
      'interface Read 5',
      'method read 5',
      'method new 6',
      'function main 7',
      'function say 8',
      'type Id 9',
    ])
  })

  test('Java', async () => {
    const source = `class Store {
  static final int LIMIT = 3;
  private int count;
  void open() {}
}
interface Port {}
enum Mode { ON }
record Point(int x) {}
`
    expect(await definitionsOf('A.java', source)).toEqual([
      'class Store 1',
      'constant LIMIT 2',
      'method open 4',
      'interface Port 6',
      'type Mode 7',
      'class Point 8',
    ])
  })

  test('C', async () => {
    const source = `#define LIMIT 3
#define MAX(a, b) a
struct rule { int a; };
typedef struct rule rule_t;
enum mode { ON };
static char *name(void) { return 0; }
int main(int argc) { return 0; }
`
    expect(await definitionsOf('a.c', source)).toEqual([
      'constant LIMIT 1',
      'function MAX 2',
      'class rule 3',
      'type rule_t 4',
      'type mode 5',
      'function name 6',
      'function main 7',
    ])
  })

  test('C++', async () => {
    const source = `namespace net {
class Socket { public: void open(); };
using Id = int;
void Socket::open() {}
template <typename T> T twice(T value) { return value; }
}
`
    expect(await definitionsOf('a.cpp', source)).toEqual([
      'module net 1',
      'class Socket 2',
      'method open 2',
      'type Id 3',
      'method open 4',
      'function twice 5',
    ])
  })

  test('C#', async () => {
    const source = `class Store {
  const int Limit = 3;
  int count;
  public string Name { get; set; }
  void Open() {}
}
interface IPort {}
enum Mode { On }
struct Point {}
record Pair(int A);
delegate void Done();
`
    expect(await definitionsOf('A.cs', source)).toEqual([
      'class Store 1',
      'constant Limit 2',
      'constant Name 4',
      'method Open 5',
      'interface IPort 7',
      'type Mode 8',
      'class Point 9',
      'class Pair 10',
      'type Done 11',
    ])
  })

  test('Ruby', async () => {
    const source = `LIMIT = 3
module Net
  class Socket::Tcp
    def open; end
    def self.listen; end
  end
end
def main; end
`
    expect(await definitionsOf('a.rb', source)).toEqual([
      'constant LIMIT 1',
      'module Net 2',
      'class Socket::Tcp 3',
      'method open 4',
      'method listen 5',
      'function main 8',
    ])
  })

  test('PHP', async () => {
    const source = `<?php
const LIMIT = 3;
class Store { public const MAX = 1; function open() {} }
interface Port {}
trait Logs {}
enum Mode { case On; }
function main() {}
`
    expect(await definitionsOf('a.php', source)).toEqual([
      'constant LIMIT 2',
      'class Store 3',
      'constant MAX 3',
      'method open 3',
      'interface Port 4',
      'class Logs 5',
      'type Mode 6',
      'function main 7',
    ])
  })
})

test('characters outside the basic plane do not shift names', async () => {
  expect(await definitionsOf('a.ts', '// 😀😀\nconst 名前 = 1 // 𝒳\nfunction after() {}\n')).toEqual([
    'constant 名前 2',
    'function after 3',
  ])
})

test('a parse that takes too long is given up', async () => {
  let now = 0
  const impatient = await createExtractor({ builtFile: grammarFile, monotonicMs: () => (now += 5), maxMsPerFile: 1 })
  const language = detectLanguage('a.ts')
  if (language === undefined) throw new Error('No TypeScript.')
  const source = 'function f() { return [1, 2, 3] }\n'.repeat(2_000)
  expect((await impatient.extract(source, language)).definitions).toEqual([])
})

test('no content of a file crashes the extractor', async () => {
  const pieces = fc.constantFrom(
    'class ',
    'def ',
    'function ',
    '{',
    '}',
    '(',
    ')',
    '"',
    '`',
    '\n',
    '<?php ',
    '#',
    '\\',
    '=>',
  )
  const content = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 60 })
  const path = fc.constantFrom(
    'a.ts',
    'a.tsx',
    'a.js',
    'a.py',
    'a.go',
    'a.rs',
    'a.java',
    'a.c',
    'a.h',
    'a.cs',
    'a.rb',
    'a.php',
  )
  await fc.assert(
    fc.asyncProperty(path, content, async (file, parts) => {
      const source = parts.join('')
      const lines = source.split('\n').length
      const language = detectLanguage(file)
      if (language === undefined) throw new Error(`No language for ${file}.`)
      const { definitions } = await extractor.extract(source, language)
      expect(definitions.filter(({ line, name }) => line < 1 || line > lines || !source.includes(name))).toEqual([])
    }),
    { numRuns: 300 },
  )
})
