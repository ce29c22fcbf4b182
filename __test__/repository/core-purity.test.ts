import { filesIn, linesMatching, rustCode } from './sources'

/** What would make the same question get different answers. */
const IMPURE: [string, RegExp][] = [
  ['reads a clock', /\b(Instant|SystemTime|UNIX_EPOCH|chrono|OffsetDateTime)\b/],
  ['draws a random number', /\b(rand|fastrand|getrandom|RandomState|thread_rng)\b/],
  ['touches the outside', /\bstd::(\{[^}]*\b)?(fs|net|env|thread|process|io|os)\b/],
  ['waits', /\b(async|\.await|tokio|futures|Mutex|RwLock|Condvar|mpsc)\b/],
  ['prints or logs', /\b(e?print(ln)?!|dbg!|tracing|log::)/],
  ['keeps state of its own', /\b(static mut|thread_local!|OnceLock|OnceCell|LazyLock|AtomicU?\w+)\b/],
]

describe('crates/core', () => {
  const files = filesIn('crates/core/src', /\.rs$/)

  test('is there to be read', () => expect(files.length).toBeGreaterThan(10))

  test.each(IMPURE)('nothing in it %s', (_what, pattern) => {
    expect(files.flatMap((file) => linesMatching(file, pattern, rustCode(file)))).toEqual([])
  })

  test('it has no unsafe code', () => {
    expect(files.flatMap((file) => linesMatching(file, /\bunsafe\b/, rustCode(file)))).toEqual([])
  })
})
