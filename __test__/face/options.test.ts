import { flow, PawlError, RetryAfterError, task } from 'pawl'
import { duration, moment, name, note, optionsOf, runId, suggest } from '../../ts/options'

const DAY_MS = 86_400_000
const option = (message: string | RegExp) =>
  expect.objectContaining({ code: 'PAWL_OPTION', message: expect.stringMatching(message) })

describe('a duration', () => {
  test.each([
    ['30s', 30_000],
    ['1.5h', 5_400_000],
    ['2d', 2 * DAY_MS],
    ['1w', 7 * DAY_MS],
    ['250ms', 250],
    ['2 h', 7_200_000],
    ['0s', 0],
    [0, 0],
    [-0, 0],
    [1500, 1500],
    [0.2, 1],
    ['0.0001s', 1],
    ['36500d', 36_500 * DAY_MS],
    [315_576_000_000_000, 315_576_000_000_000],
  ])('%p is %p ms', (given, ms) => {
    expect(duration(given, 'timeout')).toBe(ms)
  })

  test.each([
    '', '5 parsecs', '30', '-5s', '1h30m', '1e3s', ' 30s', 's', '30S', '٣s', 'Infinitys',
    -1, Number.NaN, Number.POSITIVE_INFINITY, 1e18, 315_576_000_000_001,
    null, undefined, true, {}, [], new Date(), 5n, Symbol('x'), () => 1,
  ])('is refused by the name of its option: %p', (given) => {
    expect(() => duration(given, 'timeout')).toThrow(option(/^"timeout" is /))
  }) // biome-ignore format: a table

  test.each([0, '0s', -0])('is refused where no time at all makes no sense: %p', (given) => {
    expect(() => task('charge', async () => 1, { timeout: given as 0 })).toThrow(option(/"timeout".*longer than 0/))
    expect(() => flow('f', { deadline: given as 0 })).toThrow(option('deadline'))
  })
})

describe('a moment', () => {
  test.each([
    [new Date(5), 5],
    [5, 5],
    [-1, -1],
    ['1970-01-01T00:00:01Z', 1000],
    ['1970-01-01T01:00+01:00', 0],
    ['1970-01-02', DAY_MS],
  ])('%p is %p', (given, ms) => {
    expect(moment(given, 'until')).toBe(ms)
  })

  test.each([
    '',
    'yesterday',
    '2h',
    '2030-01-01T00:00:00',
    '31.12.2030',
    new Date(Number.NaN),
    Number.NaN,
    1e300,
    null,
    undefined,
    {},
  ])('is refused: %p', (given) => {
    expect(() => moment(given, 'until')).toThrow(option('"until" is '))
  })
})

describe('options', () => {
  test.each([
    ['timeoutMs', 'timeout'],
    ['timeout_ms', 'timeout'],
    ['Timeout', 'timeout'],
    ['timout', 'timeout'],
    ['retrys', 'retry'],
  ])('%s is answered with "did you mean %s?"', (given, meant) => {
    expect(() => optionsOf('task "charge"', { [given]: 1 }, ['timeout', 'retry'])).toThrow(
      option(`task "charge" has no option "${given}". Did you mean "${meant}"?`),
    )
  })

  test('what resembles nothing is answered with all that there is', () => {
    expect(() => optionsOf('flow "f"', { colour: 1 }, ['deadline'])).toThrow(option('Known options: deadline'))
    expect(suggest('colour', ['deadline', 'timeout'])).toBeUndefined()
  })

  test.each([null, 5, 'x', [], true])('%p are no options', (given) => {
    expect(() => optionsOf('flow "f"', given, ['deadline'])).toThrow(option('The options of flow "f" are '))
  })

  test('prototype members are no options', () => {
    expect(() => optionsOf('f', JSON.parse('{"__proto__":1}'), ['a'])).toThrow(option('no option "__proto__"'))
    expect(optionsOf('f', {}, ['constructor' as never])).toEqual({})
  })

  test.each([
    [{ maxAttempts: 0 }, 'retry.maxAttempts'],
    [{ maxAttempts: 1.5 }, 'retry.maxAttempts'],
    [{ maxAttempts: Number.POSITIVE_INFINITY }, 'retry.maxAttempts'],
    [{ maxAttempts: '3' }, 'retry.maxAttempts'],
    [{ factor: 0.5 }, 'retry.factor'],
    [{ factor: Number.NaN }, 'retry.factor'],
    [{ backoff: 'soon' }, 'retry.backoff'],
    [{ maxBackoff: -1 }, 'retry.maxBackoff'],
    [{ jitter: 1 }, 'retry.jitter'],
    [{ attempts: 3 }, 'no option "attempts". Did you mean "maxAttempts"'],
    [3, 'retry of task "charge"'],
  ])('retry: %p is refused', (retry, message) => {
    expect(() => task('charge', async () => 1, { retry } as never)).toThrow(option(message))
  })

  test('a wrong option is reported where it was written', () => {
    try {
      task('charge', async () => 1, { timeoutMs: 5 } as never)
    } catch (error) {
      expect(PawlError.is(error) && error.stack).toContain('options.test')
      return
    }
    throw new Error('it was accepted')
  })

  test('the wait of a RetryAfterError is a duration', () => {
    expect(new RetryAfterError('later', '30s').afterMs).toBe(30_000)
    expect(() => new RetryAfterError('later', 'soon' as never)).toThrow(option('"after" is "soon"'))
  })
})

describe('ids and names', () => {
  const argument = (message: string) =>
    expect.objectContaining({ code: 'PAWL_ARGUMENT', message: expect.stringContaining(message) })

  test.each([
    'a',
    'A',
    'x'.repeat(500),
    '😀'.repeat(500),
    'order/42',
    "it's 100%",
    '__proto__',
    'constructor',
    'é',
    'e\u0301',
  ])('may be %p', (id) => {
    expect(runId(id, 'start()')).toBe(id)
  })

  test.each([
    ['', 'empty'],
    [' ', 'space'],
    ['a ', 'space'],
    ['\u00a0a', 'space'],
    ['x'.repeat(501), '501 characters'],
    ['😀'.repeat(501), '501 characters'],
    ['a\0b', 'control character'],
    ['a\nb', 'control character'],
    ['a\u0085b', 'control character'],
    ['\ud83d', 'surrogate'],
    [5, 'a run id is a text'],
    [null, 'a run id is a text'],
    [{}, 'a run id is a text'],
  ])('%p is refused', (id, why) => {
    expect(() => runId(id, 'start()')).toThrow(argument(why))
  })

  test('names are shorter', () => {
    expect(() => name('x'.repeat(201), 'signal()', 'name')).toThrow(argument('201 characters; at most 200'))
  })

  test('texts for people are kept, with half characters replaced', () => {
    expect(note('why \ud83d not 😀', 'reason')).toBe('why \ufffd not 😀')
    expect(note(undefined, 'reason')).toBeNull()
    expect(() => note(5, 'reason')).toThrow(option('"reason" is 5'))
  })
})
